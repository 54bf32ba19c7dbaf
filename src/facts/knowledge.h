// What the recorded constraints say: solved symbols, narrowed ranges, and the facts left over.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "facts/narrowing.h"
#include "facts/solve.h"
#include "facts/symbol_lists.h"
#include "facts/symbols.h"

namespace onnx_shapes {

/// Why something is known: an index into equalities() or upper_bounds(), or the range of a symbol.
struct Cause {
  enum class Kind : uint8_t { kNone, kEquality, kBound, kSymbol } kind = Kind::kNone;
  uint32_t index = 0;
  bool operator==(const Cause&) const = default;
};

/// form == 0 or form >= 0, in solved symbols' values as far as they fit.
struct KnownFact {
  Dim form;
  bool equality = false;
  Cause cause;
  bool active = true;
};

/// Facts are added one by one; each either fits, and is then committed, or contradicts what is
/// known, and is then rolled back without a trace.
class Knowledge {
 public:
  explicit Knowledge(SymbolTable& symbols);
  ~Knowledge();

  enum class Outcome : uint8_t { kKnown, kNew, kContradiction };
  Outcome add_equal(Dim a, Dim b, Cause cause);
  Outcome add_at_most(Dim lhs, Dim rhs, Cause cause);
  void commit() { journal_.clear(); }
  void rollback();
  /// After kContradiction: what the new fact contradicts; kNone if it is false by itself or
  /// contradicts the values of solved symbols only.
  [[nodiscard]] Cause conflict() const { return conflict_; }

  /// The dim with every solved symbol replaced, to a fixed point.
  [[nodiscard]] Dim resolve(Dim dim);
  [[nodiscard]] bool solved(SymbolId symbol) const;
  /// Why the symbol has the value it has. Precondition: solved(symbol).
  [[nodiscard]] Cause solved_by(SymbolId symbol) const { return entries_[symbol].cause; }
  [[nodiscard]] std::vector<SymbolId> solved_symbols() const;

  [[nodiscard]] const KnownFact& fact(uint32_t index) const { return facts_[index]; }
  [[nodiscard]] size_t fact_count() const { return facts_.size(); }
  /// Indices of facts that mention the symbol, and of some that no longer do.
  [[nodiscard]] std::span<const uint32_t> facts_of(SymbolId symbol) const;
  /// The narrowed range, if there is one.
  [[nodiscard]] const Interval* range(SymbolId symbol) const;
  [[nodiscard]] SymbolLists& lists() { return lists_; }
  /// Grows with every change of what is known.
  [[nodiscard]] uint64_t version() const { return version_; }

 private:
  struct Entry {  // of a symbol
    Dim value;    // unknown: not solved
    Cause cause;
    uint64_t current = 0;  // the solution version at which the value mentions no solved symbol
  };
  struct Range {
    Interval interval;
    Cause cause;
  };
  struct Pending {
    Dim form;
    bool equality = false;
    Cause cause;
  };

  // Adding (knowledge_add.cc).
  Outcome settle(Cause cause);
  bool settle_equality(Dim form, Cause cause);
  bool settle_bound(Dim form, Cause cause);
  bool meets_opposite(Dim part, int64_t constant, Dim form, Cause cause);
  bool apply(const SolvedSymbol& solved, Cause cause);
  bool propagate(Dim form, bool equality, Cause cause);
  bool narrow(SymbolId symbol, Interval interval, Cause cause);
  bool narrow_factors(Dim form, Cause cause);
  void retry_equalities(std::span<const SymbolId> symbols);
  bool fail(Cause cause);
  bool fail_by_interval(Dim form, Cause cause);
  [[nodiscard]] int sign(Dim dim);
  [[nodiscard]] bool mentions_solved(Dim dim);

  // State with undo (knowledge.cc).
  Entry& entry(SymbolId symbol);
  void set_entry(SymbolId symbol, const Entry& value);
  void set_range(SymbolId symbol, const Range& range);
  void set_bound_index(const Expr* part, uint32_t fact);
  void add_fact(Dim form, bool equality, Cause cause);
  void deactivate(uint32_t fact);
  void make_current(SymbolId symbol);
  Substitution& substitution();

  SymbolTable& symbols_;
  SymbolLists lists_;
  SolveContext solve_context_;
  std::vector<Entry> entries_;  // by SymbolId
  std::vector<KnownFact> facts_;
  std::unordered_map<SymbolId, std::vector<uint32_t>> facts_of_;
  std::unordered_map<SymbolId, Range> ranges_;
  std::unordered_map<const Expr*, uint32_t> bound_index_;  // form without constant -> fact
  Narrowing narrowing_;
  uint64_t version_ = 1;
  uint64_t solution_version_ = 1;

  std::deque<Pending> pending_;
  std::vector<std::function<void()>> journal_;
  bool changed_ = false;
  size_t steps_ = 0;
  Cause adding_;
  Cause conflict_;

  struct Resolved {
    uint64_t version = 0;
    Dim dim;
  };
  std::unordered_map<const Expr*, Resolved> resolved_;
  std::unique_ptr<Substitution> substitution_;
  uint64_t substitution_version_ = 0;
};

}  // namespace onnx_shapes
