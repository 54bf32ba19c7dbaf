// What the recorded constraints say: solved symbols, narrowed ranges, and the facts left over.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "facts/linear.h"
#include "facts/narrowing.h"
#include "facts/solve.h"
#include "facts/symbol_lists.h"
#include "facts/symbols.h"

namespace onnx_shapes {

/// Why something is known: an index into equalities() or upper_bounds().
struct Cause {
  enum class Kind : uint8_t { kNone, kEquality, kBound } kind = Kind::kNone;
  uint32_t index = 0;
  bool operator==(const Cause&) const = default;
};

/// form == 0 or form >= 0, in solved symbols' values as far as they fit.
struct KnownFact {
  Dim dim;
  Linear form;
  bool equality = false;
  Cause cause;
  bool active = true;
};

/// Facts are added one by one; each either fits or contradicts what is known, and then leaves no
/// trace. Every change can be undone, back to any earlier position.
class Knowledge {
 public:
  explicit Knowledge(SymbolTable& symbols);
  ~Knowledge();
  Knowledge(const Knowledge&) = delete;
  Knowledge& operator=(const Knowledge&) = delete;

  enum class Outcome : uint8_t { kKnown, kNew, kContradiction };
  Outcome add_equal(Dim a, Dim b, Cause cause);
  Outcome add_at_most(Dim lhs, Dim rhs, Cause cause);
  /// After kContradiction: what the new fact contradicts; kNone if it is false by itself. Where
  /// several constraints do together, the latest equality of them.
  [[nodiscard]] Cause conflict() const { return conflict_; }

  /// Where roll_back comes back to.
  [[nodiscard]] size_t position() const { return trail_.size(); }
  void roll_back(size_t position);
  void clear();

  /// The dim with every solved symbol replaced, to a fixed point.
  [[nodiscard]] Dim resolve(Dim dim);
  [[nodiscard]] bool any_solved() const { return solved_count_ != 0; }
  [[nodiscard]] bool solved(SymbolId symbol) const {
    return symbol < entries_.size() && entries_[symbol].value.known();
  }
  [[nodiscard]] std::vector<SymbolId> solved_symbols() const;
  /// The constraints that a solved symbol's value comes from, in order of index, equalities first;
  /// of very many, some.
  [[nodiscard]] std::vector<Cause> causes_of(SymbolId symbol);
  /// What was said of `cause`, for causes_of: the dims of that constraint.
  void describe(Cause cause, Dim a, Dim b);

  /// Facts in which the monomial stands, newest last; some of them no longer active.
  [[nodiscard]] std::span<const uint32_t> facts_with(const Monomial* monomial) const;
  /// The same for a symbol, at any depth.
  [[nodiscard]] std::span<const uint32_t> facts_about(SymbolId symbol) const;
  [[nodiscard]] const KnownFact& fact(uint32_t index) const { return facts_[index]; }
  [[nodiscard]] std::span<const KnownFact> facts() const { return facts_; }
  [[nodiscard]] bool any_facts() const { return !facts_.empty(); }
  /// The number that a product of atoms is known to equal, or that the ranges of symbols leave. (A
  /// symbol that is known to be a number is solved.)
  [[nodiscard]] std::optional<int64_t> number_of(const Monomial& product);
  [[nodiscard]] std::optional<int64_t> number_of(const Atom& atom);
  /// The intervals of expressions under the narrowed ranges.
  [[nodiscard]] Narrowing& narrowing() { return narrowing_; }
  /// Whether nothing but the symbols' own ranges is known of the (resolved) dim's symbols.
  [[nodiscard]] bool knows_nothing_of(Dim dim);
  /// Whether a fact other than a narrowed range mentions one of the (resolved) dim's symbols.
  [[nodiscard]] bool any_facts_about(Dim dim);
  [[nodiscard]] SymbolLists& lists() { return lists_; }

  /// Grows with every change of what is known.
  [[nodiscard]] uint64_t version() const { return version_; }
  /// Grows with every change of what solved symbols stand for.
  [[nodiscard]] uint64_t solution_version() const { return solution_version_; }
  /// Grows whenever something that was known is forgotten.
  [[nodiscard]] uint64_t forgotten() const { return forgotten_; }

 private:
  struct Entry {    // of a symbol
    Dim value;      // unknown: not solved
    Cause cause;    // what it was solved from
    Cause trigger;  // what was being added then
    uint32_t order = 0;
    // The value in the symbols that were unsolved at the version `current`.
    Dim latest;
    uint64_t current = 0;
    uint64_t forgotten = 0;  // `latest` is void once more was forgotten than this
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
  /// One change, with what undoes it.
  struct Change {
    enum class Kind : uint8_t { kSolved, kRange, kFact, kInactive, kIndex } kind = Kind::kFact;
    uint32_t id = 0;  // the symbol, or the fact
    bool existed = false;
    Range range;                 // kRange
    const Expr* part = nullptr;  // kIndex
  };

  // Adding (knowledge_add.cc, knowledge_bound.cc).
  Outcome settle(Dim form, bool equality, Cause cause);
  bool settle_pending();
  bool settle_equality(Dim form, Cause cause);
  bool settle_bound(Dim form, Cause cause);
  [[nodiscard]] const Expr* only_operand_that_reaches(const Atom& atom, bool at_least,
                                                      int64_t limit);
  bool settle_single_term(const Linear& form, Cause cause, bool& done);
  bool meets_opposite(Dim part, const Linear& form, Cause cause);
  bool apply(const SolvedSymbol& solved, Cause cause);
  bool narrow(SymbolId symbol, Interval interval, Cause cause);
  bool narrow_factors(const Linear& form, bool equality, Cause cause);
  [[nodiscard]] Linear without_common_factor(const Linear& form, bool equality);
  bool reduces(const Linear& form, Cause cause);
  [[nodiscard]] bool bounds_operands(const Linear& form, Cause cause);
  [[nodiscard]] std::optional<Linear> with_known_factor(const Linear& form);
  void retry_facts(SymbolId symbol);
  void retry_sums_with(const Atom& atom);
  bool fail(Dim form, Cause cause);
  [[nodiscard]] int sign(Dim dim);
  [[nodiscard]] bool mentions_solved(Dim dim);

  // State with undo (knowledge.cc).
  Entry& entry(SymbolId symbol);
  void set_range(SymbolId symbol, const Range& range);
  void set_index(const Expr* part, uint32_t fact);
  void add_fact(Dim dim, const Linear& form, bool equality, Cause cause);
  void forget_last_fact();
  void deactivate(uint32_t fact);
  void undo(const Change& change);
  [[nodiscard]] Dim latest_value(SymbolId symbol) const;
  void make_current(SymbolId symbol);
  Substitution& substitution();

  /// How many facts one constraint may lead to before the rest is left as it is.
  static constexpr size_t kMaxSteps = 4096;
  static constexpr size_t kMaxRetries = 32;
  static constexpr size_t kMaxScanned = 256;  // facts, for those to retry
  static constexpr size_t kMaxCauses = 64;    // collected for one symbol

  SymbolTable& symbols_;
  SymbolLists lists_;
  SolveContext solve_context_;
  std::vector<Entry> entries_;  // by SymbolId
  uint32_t solved_count_ = 0;
  std::vector<KnownFact> facts_;
  std::unordered_map<SymbolId, std::vector<uint32_t>> facts_of_;
  std::unordered_map<const Monomial*, std::vector<uint32_t>> facts_with_;
  std::unordered_map<SymbolId, Range> ranges_;
  // The form without its constant -> the fact; for an equality, with a positive leading term.
  std::unordered_map<const Expr*, uint32_t> index_;
  Narrowing narrowing_;
  std::vector<Change> trail_;
  uint64_t version_ = 1;
  uint64_t solution_version_ = 1;
  uint64_t forgotten_ = 0;

  std::deque<Pending> pending_;
  size_t steps_ = 0;
  Cause adding_;
  Dim adding_a_, adding_b_;
  Cause conflict_;
  struct Said {
    Dim a, b;
  };
  std::vector<Said> equalities_;  // by index
  std::vector<Said> bounds_;

  struct Resolved {
    uint64_t version = 0;
    Dim dim;
  };
  std::unordered_map<const Expr*, Resolved> resolved_;
  std::unique_ptr<Substitution> substitution_;
  uint64_t substitution_version_ = 0;
};

}  // namespace onnx_shapes
