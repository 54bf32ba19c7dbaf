// Dims as immutable, interned, canonical integer expressions.
//
// An expression is a sum of `coefficient * product of atoms`; an atom is a symbol, a floor
// division, a min, a max or a broadcast. Everything is interned in a Pool, so two dims that have
// the same normal form are the same pointer and `==` is one pointer compare. Whether two different
// normal forms are equal, or ordered, is a question for the prover in facts/.
//
// All arithmetic is that of the mathematical integers. Where a coefficient does not fit 64 bits,
// the result is the unknown dim, and the pool counts the event. An operation on an unknown dim
// gives an unknown dim.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "support/interval.h"

namespace onnx_shapes {

class Pool;
struct Expr;
struct Atom;
struct Monomial;

/// A handle to an interned expression, or unknown. Eight bytes, passed by value.
class Dim {
 public:
  constexpr Dim() = default;
  explicit constexpr Dim(const Expr* expr) : expr_(expr) {}

  [[nodiscard]] constexpr bool known() const { return expr_ != nullptr; }
  [[nodiscard]] constexpr const Expr* expr() const { return expr_; }

  /// The number, if the dim is one.
  [[nodiscard]] std::optional<int64_t> number() const;
  [[nodiscard]] bool is(int64_t number) const;
  /// What follows from the ranges of the symbols alone. All integers for an unknown dim.
  [[nodiscard]] Interval bounds() const;

  /// Identity of the normal forms; two unknown dims are never known to be equal, but are
  /// identical here.
  constexpr bool operator==(const Dim&) const = default;

 private:
  const Expr* expr_ = nullptr;
};

enum class AtomKind : uint8_t { kSymbol, kFloorDiv, kMax, kMin, kBroadcast };

using SymbolId = uint32_t;

/// An indivisible part. `operands` is {numerator, denominator} for kFloorDiv, two or more distinct
/// expressions for the others, empty for a symbol. Ids grow in order of creation.
struct Atom {
  AtomKind kind = AtomKind::kSymbol;
  uint32_t id = 0;
  SymbolId symbol = 0;
  std::span<const Expr* const> operands;
  Interval bounds;
  /// 0 for a symbol, else one more than the deepest operand.
  uint32_t depth = 0;
};

struct Factor {
  const Atom* atom = nullptr;
  uint32_t exponent = 0;
  bool operator==(const Factor&) const = default;
};

/// A product of atoms, sorted by atom id; id 0 is the empty product, 1.
struct Monomial {
  uint32_t id = 0;
  uint32_t degree = 0;
  std::span<const Factor> factors;
  Interval bounds;
};

struct Term {
  const Monomial* monomial = nullptr;
  int64_t coefficient = 0;
  bool operator==(const Term&) const = default;
};

/// A sum of terms, sorted by monomial id, without zero coefficients; empty is 0.
struct Expr {
  uint32_t id = 0;
  std::span<const Term> terms;
  Interval bounds;
  Pool* pool = nullptr;
  /// That of the deepest atom; 0 for a polynomial in symbols.
  uint32_t depth = 0;
};

inline std::optional<int64_t> Dim::number() const {
  if (expr_ == nullptr || expr_->terms.size() > 1) return std::nullopt;
  if (expr_->terms.empty()) return 0;
  const Term& term = expr_->terms.front();
  return term.monomial->degree == 0 ? std::optional(term.coefficient) : std::nullopt;
}

inline bool Dim::is(int64_t number) const { return this->number() == number; }

inline Interval Dim::bounds() const { return known() ? expr_->bounds : Interval::all(); }

// Arithmetic. An unknown operand gives an unknown result.
[[nodiscard]] Dim operator+(Dim a, Dim b);
[[nodiscard]] Dim operator-(Dim a, Dim b);
[[nodiscard]] Dim operator*(Dim a, Dim b);
[[nodiscard]] Dim operator+(Dim a, int64_t b);
[[nodiscard]] Dim operator-(Dim a, int64_t b);
[[nodiscard]] Dim operator*(Dim a, int64_t b);
[[nodiscard]] Dim operator-(Dim a);

/// `a * ka + b * kb` in one step.
/// The sum of one or more dims, brought into normal form as a whole: no partial sum is.
[[nodiscard]] Dim sum(std::span<const Dim> dims);
[[nodiscard]] Dim combine(Dim a, int64_t ka, Dim b, int64_t kb);

/// floor(a / b). Contract: in every run in which the result matters, b >= 1; so a common factor
/// may cancel. A constant b below 1, or one that no run can have above 0, gives an unknown dim.
[[nodiscard]] Dim floor_div(Dim a, Dim b);
[[nodiscard]] Dim floor_div(Dim a, int64_t b);
/// ceil(a / b), written through floor_div; same contract.
[[nodiscard]] Dim ceil_div(Dim a, Dim b);
[[nodiscard]] Dim ceil_div(Dim a, int64_t b);
/// a - b * floor(a / b); same contract.
[[nodiscard]] Dim mod(Dim a, Dim b);
[[nodiscard]] Dim mod(Dim a, int64_t b);
/// Contract of max and min: the operands fit 64 bits in every run in which the result matters, so
/// `min(a, INT64_MAX)` is `a`, and so is `max(a, INT64_MIN)`.
[[nodiscard]] Dim max(Dim a, Dim b);
[[nodiscard]] Dim min(Dim a, Dim b);
[[nodiscard]] Dim max(Dim a, int64_t b);
[[nodiscard]] Dim min(Dim a, int64_t b);
/// The dim that two dims broadcast to: 1 is the identity, equal dims stay, a constant other than 1
/// wins, and so does a dim whose bounds exclude 1. Never `max`, since 0 with 1 is 0. Contract: a
/// and b are equal, or one of them is 1. Two different constants other than 1 give an unknown dim.
[[nodiscard]] Dim broadcast(Dim a, Dim b);
/// The same for one or more operands at once. No operands give an unknown dim.
[[nodiscard]] Dim max(std::span<const Dim> operands);
[[nodiscard]] Dim min(std::span<const Dim> operands);
[[nodiscard]] Dim broadcast(std::span<const Dim> operands);

/// The quotient when b divides a as a polynomial (no remainder for any value), else unknown.
[[nodiscard]] Dim exact_quotient(Dim a, Dim b);

/// Owns every node. It lives as long as one inference, is not shared between threads and is
/// neither copied nor moved.
class Pool {
 public:
  Pool();
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  [[nodiscard]] Dim constant(int64_t value);
  /// A new symbol. The name is for printing only; uniqueness is the caller's business.
  [[nodiscard]] SymbolId add_symbol(std::string name, Interval range = Interval::at_least(0));
  [[nodiscard]] Dim symbol(SymbolId id);
  [[nodiscard]] size_t symbol_count() const;
  [[nodiscard]] const std::string& symbol_name(SymbolId id) const;
  [[nodiscard]] Interval symbol_range(SymbolId id) const;

  /// How many operations so far gave up: overflow of a coefficient, or too many terms.
  [[nodiscard]] uint64_t overflow_count() const;
  [[nodiscard]] uint64_t expression_count() const;
  [[nodiscard]] uint64_t bytes() const;

  /// The largest number of terms and of atom nesting that an expression may have; an operation
  /// whose result would be larger gives the unknown dim and counts as an overflow.
  static constexpr size_t kMaxTerms = 64;
  static constexpr size_t kMaxDepth = 64;
  /// The same for the number of factors of a product, counted with their exponents.
  static constexpr uint32_t kMaxDegree = 128;

  class Impl;
  [[nodiscard]] Impl& impl() { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

// Questions about the structure.

/// The symbol, if the dim is one bare symbol.
[[nodiscard]] std::optional<SymbolId> as_symbol(Dim dim);
/// Calls `visit` once for each distinct symbol in the dim, in order of id.
void for_each_symbol(Dim dim, const std::function<void(SymbolId)>& visit);
[[nodiscard]] bool mentions(Dim dim, SymbolId symbol);

/// Replaces symbols and simplifies again. `replacement` returns the dim for a symbol, or an unknown
/// dim to leave the symbol as it is. Memoised for the lifetime of the Substitution.
class Substitution {
 public:
  explicit Substitution(std::function<Dim(SymbolId)> replacement);
  ~Substitution();
  [[nodiscard]] Dim operator()(Dim dim);

 private:
  struct Memo;
  std::function<Dim(SymbolId)> replacement_;
  std::unique_ptr<Memo> memo_;
};

/// The number under a binding of the symbols. Nothing if the binding lacks a symbol, a divisor is
/// below 1, a broadcast does not hold, or the value does not fit 64 bits.
[[nodiscard]] std::optional<int64_t> evaluate(
    Dim dim, const std::function<std::optional<int64_t>(SymbolId)>& binding);

/// The numbers of atoms under one binding, for evaluations that follow one another. A copy knows
/// none at first.
class AtomValues {
 public:
  AtomValues();
  ~AtomValues();
  AtomValues(const AtomValues& other);
  AtomValues(AtomValues&& other) noexcept;
  AtomValues& operator=(AtomValues other) noexcept;

  /// To be called when the binding changes.
  void forget() { ++stamp_; }
  /// As evaluate(), with the binding for which the numbers are.
  [[nodiscard]] std::optional<int64_t> evaluate(
      Dim dim, const std::function<std::optional<int64_t>(SymbolId)>& binding);

 private:
  friend class Evaluation;
  struct Entry;
  std::vector<Entry> entries_;  // by atom id
  uint64_t stamp_ = 1;
};

/// A total order on the dims of one pool by what they print, independent of the order in which they
/// were made: numbers first, then by degree and names.
[[nodiscard]] bool reads_before(Dim a, Dim b);

}  // namespace onnx_shapes
