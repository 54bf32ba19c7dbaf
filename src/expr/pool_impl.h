// The inside of a Pool: the arena, the tables of interned nodes and the table of symbols.
#pragma once

#include <array>
#include <functional>
#include <memory_resource>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "expr/expr.h"
#include "expr/intern_table.h"

namespace onnx_shapes {

using Terms = std::span<const Term>;
using Operands = std::span<const Expr* const>;

/// Everything here returns the unknown dim or a null pointer where a limit is reached; the public
/// operations turn that into a count.
class Pool::Impl {
 public:
  explicit Impl(Pool& pool);

  [[nodiscard]] Dim number(int64_t value);
  /// The terms are sorted by monomial id and without zeros. Terms that can have one value only
  /// become that number.
  [[nodiscard]] Dim sum(Terms terms);
  /// Null if the degree is too high. The factors are sorted by atom id.
  [[nodiscard]] const Monomial* monomial(std::span<const Factor> factors);
  [[nodiscard]] const Monomial* one() const { return one_; }

  /// An atom over operands that are in their final form and order; null if it nests too deeply.
  [[nodiscard]] const Atom* atom(AtomKind kind, Operands operands, Interval bounds);
  /// The dim of one atom; unknown for null.
  [[nodiscard]] Dim dim(const Atom* atom);
  [[nodiscard]] Dim dim(const Monomial* monomial);

  [[nodiscard]] SymbolId add_symbol(std::string name, Interval range);
  [[nodiscard]] Dim symbol(SymbolId id) { return dim(symbols_[id].atom); }
  [[nodiscard]] bool has_symbol_named(std::string_view name) const { return names_.contains(name); }

  /// Counts an operation on known dims that came out unknown, and passes the result on.
  [[nodiscard]] Dim checked(Dim result) {
    if (!result.known()) ++overflows_;
    return result;
  }

 private:
  friend class Pool;

  struct Symbol {
    std::string name;
    Interval range;
    const Atom* atom = nullptr;
  };

  struct NameHash {
    using is_transparent = void;
    size_t operator()(std::string_view name) const { return std::hash<std::string_view>{}(name); }
  };

  template <class T>
  [[nodiscard]] std::span<const T> store(std::span<const T> items);
  template <class T>
  [[nodiscard]] const T* store(const T& item);
  [[nodiscard]] Dim intern(Terms terms);

  /// Most numbers are small: those from kLeastSmall on are found by their value.
  static constexpr int64_t kLeastSmall = -1;
  static constexpr int64_t kSmallCount = 130;

  Pool& pool_;
  std::pmr::monotonic_buffer_resource arena_;
  InternTable<Atom> atoms_;
  InternTable<Monomial> monomials_;
  InternTable<Expr> exprs_;
  std::vector<Symbol> symbols_;
  std::unordered_set<std::string, NameHash, std::equal_to<>> names_;
  const Monomial* one_ = nullptr;
  std::array<const Expr*, kSmallCount> small_{};  // null: not made yet
  uint32_t atom_count_ = 0;
  uint64_t overflows_ = 0;
  uint64_t bytes_ = 0;
};

}  // namespace onnx_shapes
