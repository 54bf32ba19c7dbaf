// Records constraints, hands them to what is known, and takes both back to a mark.
#include "facts/constraints.h"

#include <utility>

#include "facts/constraints_impl.h"

namespace onnx_shapes {
namespace {

ConstraintKey ordered_key(Dim a, Dim b) {
  if (b.expr()->id < a.expr()->id) std::swap(a, b);
  return {a.expr(), b.expr()};
}

ConstraintKey key(Dim lhs, Dim rhs) { return {lhs.expr(), rhs.expr()}; }

}  // namespace

ConstraintSet::ConstraintSet(SymbolTable& symbols)
    : symbols_(symbols), solver_(std::make_unique<Solver>(symbols)) {}

ConstraintSet::~ConstraintSet() = default;

std::optional<Contradiction> ConstraintSet::add_equal(Dim a, Dim b, Origin origin, Holds holds) {
  if (!a.known() || !b.known() || a == b) return std::nullopt;
  const auto index = static_cast<uint32_t>(equalities_.size());
  const auto [place, is_new] = solver_->equalities.try_emplace(ordered_key(a, b), index);
  if (!is_new) {
    Equality& known = equalities_[place->second];
    if (holds == Holds::kUnderAnchor || known.holds == Holds::kEveryRun) return std::nullopt;
    // Now it holds in more runs than was known.
    solver_->log.push_back({Solver::Entry::Kind::kStronger, solver_->knowledge.position(),
                            place->second, known.origin});
    known.holds = Holds::kEveryRun;
    known.origin = origin;
    ++generation_;
    return std::nullopt;
  }
  const size_t before = solver_->knowledge.position();
  const Cause cause{Cause::Kind::kEquality, index};
  solver_->knowledge.describe(cause, a, b);
  const Dim left = resolve(a);
  const Dim right = resolve(b);
  if (solver_->knowledge.add_equal(a, b, cause) == Knowledge::Outcome::kContradiction) {
    solver_->equalities.erase(place);
    return Contradiction{left, right, origin_of(solver_->knowledge.conflict()), origin};
  }
  equalities_.push_back({a, b, origin, holds});
  solver_->log.push_back({Solver::Entry::Kind::kEquality, before, index, {}});
  ++generation_;
  return std::nullopt;
}

void ConstraintSet::add_at_most(Dim lhs, Dim rhs, Origin origin, Holds holds) {
  if (!lhs.known() || !rhs.known() || lhs == rhs) return;
  if (lhs.number() && rhs.number() && *lhs.number() <= *rhs.number()) return;
  const auto index = static_cast<uint32_t>(upper_bounds_.size());
  const auto [place, is_new] = solver_->upper_bounds.try_emplace(key(lhs, rhs), index);
  if (!is_new) {
    UpperBound& known = upper_bounds_[place->second];
    if (holds == Holds::kUnderAnchor || known.holds == Holds::kEveryRun) return;
    solver_->log.push_back({Solver::Entry::Kind::kStrongerBound, solver_->knowledge.position(),
                            place->second, known.origin});
    known.holds = Holds::kEveryRun;
    known.origin = origin;
    ++generation_;
    return;
  }
  const size_t before = solver_->knowledge.position();
  const Cause cause{Cause::Kind::kBound, index};
  solver_->knowledge.describe(cause, lhs, rhs);
  // A bound that contradicts what is known teaches nothing, but stays on record.
  static_cast<void>(solver_->knowledge.add_at_most(lhs, rhs, cause));
  upper_bounds_.push_back({lhs, rhs, origin, holds});
  solver_->log.push_back({Solver::Entry::Kind::kBound, before, index, {}});
  ++generation_;
}

bool ConstraintSet::has_equal(Dim a, Dim b) const {
  return a.known() && b.known() && solver_->equalities.contains(ordered_key(a, b));
}

bool ConstraintSet::has_at_most(Dim lhs, Dim rhs) const {
  return lhs.known() && rhs.known() && solver_->upper_bounds.contains(key(lhs, rhs));
}

void ConstraintSet::clear() {
  equalities_.clear();
  upper_bounds_.clear();
  solver_->equalities.clear();
  solver_->upper_bounds.clear();
  solver_->log.clear();
  solver_->knowledge.clear();
  ++generation_;
}

uint64_t ConstraintSet::mark() const { return solver_->log.size(); }

void ConstraintSet::roll_back(uint64_t mark) {
  std::vector<Solver::Entry>& log = solver_->log;
  if (mark >= log.size()) return;
  while (log.size() > mark) {
    const Solver::Entry entry = log.back();
    log.pop_back();
    solver_->knowledge.roll_back(entry.position);
    switch (entry.kind) {
      case Solver::Entry::Kind::kEquality:
        solver_->equalities.erase(ordered_key(equalities_.back().a, equalities_.back().b));
        equalities_.pop_back();
        break;
      case Solver::Entry::Kind::kBound:
        solver_->upper_bounds.erase(key(upper_bounds_.back().lhs, upper_bounds_.back().rhs));
        upper_bounds_.pop_back();
        break;
      case Solver::Entry::Kind::kStronger:
        equalities_[entry.index].holds = Holds::kUnderAnchor;
        equalities_[entry.index].origin = entry.origin;
        break;
      case Solver::Entry::Kind::kStrongerBound:
        upper_bounds_[entry.index].holds = Holds::kUnderAnchor;
        upper_bounds_[entry.index].origin = entry.origin;
        break;
    }
  }
  ++generation_;
}

Origin ConstraintSet::origin_of(Cause cause) const {
  if (cause.kind == Cause::Kind::kEquality) return equalities_[cause.index].origin;
  if (cause.kind == Cause::Kind::kBound) return upper_bounds_[cause.index].origin;
  return {};
}

bool ConstraintSet::any_solved() const { return solver_->knowledge.any_solved(); }

uint64_t ConstraintSet::solution_generation() const {
  return solver_->knowledge.solution_version();
}

Dim ConstraintSet::resolve(Dim dim) const { return solver_->knowledge.resolve(dim); }

std::vector<Solution> ConstraintSet::solutions() const {
  std::vector<Solution> result;
  Knowledge& knowledge = solver_->knowledge;
  for (const SymbolId symbol : knowledge.solved_symbols()) {
    Solution solution{symbol, knowledge.resolve(symbols_.pool().symbol(symbol)), {}};
    for (const Cause& cause : knowledge.causes_of(symbol)) {
      if (cause.kind == Cause::Kind::kEquality) solution.from.push_back(cause.index);
    }
    result.push_back(std::move(solution));
  }
  return result;
}

Knowledge* ConstraintSet::knowledge() const { return &solver_->knowledge; }

}  // namespace onnx_shapes
