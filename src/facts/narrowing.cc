// Interval arithmetic over the structure of an expression, from the narrowed ranges of its symbols.
#include "facts/narrowing.h"

namespace onnx_shapes {
namespace {

/// Both hold, so their intersection does; if the facts contradict each other, what is true of the
/// expression alone stays.
Interval both(Interval computed, Interval inherent) {
  const Interval joint = intersect(computed, inherent);
  return joint.is_empty() ? inherent : joint;
}

}  // namespace

void Narrowing::set(SymbolId symbol, Interval range) {
  ranges_[symbol] = range;
  memo_.clear();
}

void Narrowing::erase(SymbolId symbol) {
  ranges_.erase(symbol);
  memo_.clear();
}

Interval Narrowing::of(const Expr& expr) {
  if (ranges_.empty()) return expr.bounds;
  Interval sum = Interval::point(0);
  for (const Term& term : expr.terms) {
    sum = sum + of(*term.monomial) * Interval::point(term.coefficient);
  }
  return both(sum, expr.bounds);
}

Interval Narrowing::of(const Monomial& monomial) {
  if (ranges_.empty()) return monomial.bounds;
  Interval product = Interval::point(1);
  for (const Factor& factor : monomial.factors) {
    product = product * power(of(*factor.atom), factor.exponent);
  }
  return both(product, monomial.bounds);
}

Interval Narrowing::of(const Atom& atom) {
  if (ranges_.empty()) return atom.bounds;
  if (const auto found = memo_.find(&atom); found != memo_.end()) return found->second;
  const Interval result = both(computed(atom), atom.bounds);
  memo_[&atom] = result;
  return result;
}

Interval Narrowing::computed(const Atom& atom) {
  if (atom.kind == AtomKind::kSymbol) {
    const auto found = ranges_.find(atom.symbol);
    return found == ranges_.end() ? atom.bounds : found->second;
  }
  if (atom.kind == AtomKind::kFloorDiv) {
    return floor_div(of(*atom.operands[0]), of(*atom.operands[1]));
  }
  Interval result = of(*atom.operands[0]);
  Interval of_others = Interval::all();  // what does not broadcast: it cannot be 1
  if (!result.contains(1)) of_others = result;
  for (const Expr* operand : atom.operands.subspan(1)) {
    const Interval next = of(*operand);
    if (!next.contains(1)) of_others = intersect(of_others, next);
    if (atom.kind == AtomKind::kMax) {
      result = {std::max(result.lo, next.lo), std::max(result.hi, next.hi)};
    } else if (atom.kind == AtomKind::kMin) {
      result = {std::min(result.lo, next.lo), std::min(result.hi, next.hi)};
    } else {
      result = hull(result, next);
    }
  }
  return atom.kind == AtomKind::kBroadcast && !of_others.is_empty() ? intersect(result, of_others)
                                                                    : result;
}

}  // namespace onnx_shapes
