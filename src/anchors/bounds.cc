#include "anchors/bounds.h"

#include <algorithm>

namespace onnx_shapes {
namespace {

/// A bound of a symbol may mention other symbols that have bounds.
constexpr int kMaxDepth = 4;
constexpr size_t kMaxBounds = 8;

/// How an expression changes when a symbol in it grows.
enum class Direction : uint8_t { kConstant, kGrows, kShrinks, kUnknown };

Direction reversed(Direction direction) {
  if (direction == Direction::kGrows) return Direction::kShrinks;
  return direction == Direction::kShrinks ? Direction::kGrows : direction;
}

Direction both(Direction a, Direction b) {
  if (a == Direction::kConstant) return b;
  if (b == Direction::kConstant || a == b) return a;
  return Direction::kUnknown;
}

Direction direction_of(const Expr& expr, SymbolId symbol);

Direction direction_of(const Atom& atom, SymbolId symbol) {
  if (atom.kind == AtomKind::kSymbol) {
    return atom.symbol == symbol ? Direction::kGrows : Direction::kConstant;
  }
  Direction all = Direction::kConstant;
  for (const Expr* operand : atom.operands) all = both(all, direction_of(*operand, symbol));
  if (all == Direction::kConstant) return all;
  if (atom.kind == AtomKind::kMax || atom.kind == AtomKind::kMin) return all;
  if (atom.kind == AtomKind::kFloorDiv && atom.operands[1]->bounds.lo >= 1 &&
      direction_of(*atom.operands[1], symbol) == Direction::kConstant) {
    return all;
  }
  return Direction::kUnknown;
}

/// A product of numbers that are not negative goes as its factors do.
Direction direction_of(const Monomial& monomial, SymbolId symbol) {
  Direction all = Direction::kConstant;
  bool negative = false;
  for (const Factor& factor : monomial.factors) {
    all = both(all, direction_of(*factor.atom, symbol));
    negative = negative || factor.atom->bounds.lo < 0;
  }
  const bool alone = monomial.degree == 1;
  return all == Direction::kConstant || alone || !negative ? all : Direction::kUnknown;
}

Direction direction_of(const Expr& expr, SymbolId symbol) {
  Direction all = Direction::kConstant;
  for (const Term& term : expr.terms) {
    const Direction one = direction_of(*term.monomial, symbol);
    all = both(all, term.coefficient < 0 ? reversed(one) : one);
  }
  return all;
}

}  // namespace

bool is_exact(const Inference& inference, Dim dim) {
  if (!dim.known()) return false;
  bool exact = true;
  for_each_symbol(dim, [&](SymbolId id) {
    const SymbolInfo& info = inference.symbols->info(id);
    // The names of input dims that had none are the caller's choice too.
    exact = exact &&
            (info.kind == SymbolKind::kInput ||
             (info.kind == SymbolKind::kInternal && info.origin.kind == Origin::Kind::kAnchor));
  });
  return exact;
}

Bounds::Bounds(const Inference& inference)
    : inference_(inference),
      namer_(inference),
      prover_(*inference.pool, inference.constraints.get()) {
  for (const UpperBound& bound : inference.constraints->upper_bounds()) {
    const Dim lhs = inference.constraints->resolve(bound.lhs);
    const Dim rhs = inference.constraints->resolve(bound.rhs);
    if (!lhs.known() || !rhs.known()) continue;
    if (!lhs.number()) sides_[lhs.expr()].at_most.push_back(rhs);
    if (!rhs.number()) sides_[rhs.expr()].at_least.push_back(lhs);
  }
}

void Bounds::collect(Dim dim, bool upper, int depth, std::vector<Dim>& found) {
  const auto known = [&](Dim bound) {
    if (!bound.known() || bound == dim || found.size() >= kMaxBounds) return;
    if (is_exact(inference_, bound)) {
      found.push_back(bound);
    } else if (depth < kMaxDepth) {
      const size_t before = found.size();
      collect(bound, upper, depth + 1, found);
      if (found.size() == before) found.push_back(bound);
    }
  };
  if (const auto sides = sides_.find(dim.expr()); sides != sides_.end()) {
    for (const Dim bound : upper ? sides->second.at_most : sides->second.at_least) known(bound);
  }
  if (as_symbol(dim)) return;
  for_each_symbol(dim, [&](SymbolId id) {
    const Dim symbol = inference_.pool->symbol(id);
    if (is_exact(inference_, symbol)) return;
    const Direction direction = direction_of(*dim.expr(), id);
    if (direction != Direction::kGrows && direction != Direction::kShrinks) return;
    const bool most = upper == (direction == Direction::kGrows);
    const auto replace = [&](Dim bound) {
      if (mentions(bound, id)) return;
      known(Substitution([&](SymbolId other) { return other == id ? bound : Dim(); })(dim));
    };
    const Interval numbers = prover_.bounds(symbol);
    const int64_t end = most ? numbers.hi : numbers.lo;
    if (end != Interval::kInf && end != Interval::kNegInf) replace(inference_.pool->constant(end));
    const auto sides = sides_.find(symbol.expr());
    if (sides == sides_.end()) return;
    for (const Dim bound : most ? sides->second.at_most : sides->second.at_least) replace(bound);
  });
}

void Bounds::keep_tightest(std::vector<Dim>& bounds, bool upper) {
  std::vector<Dim> kept;
  for (size_t i = 0; i < bounds.size(); ++i) {
    bool implied = false;
    for (size_t j = 0; j < bounds.size() && !implied; ++j) {
      if (i == j) continue;
      const bool follows = upper ? prover_.at_most(bounds[j], bounds[i]) == Truth::kTrue
                                 : prover_.at_most(bounds[i], bounds[j]) == Truth::kTrue;
      // Of two that follow from each other the first stays.
      const bool back = follows && (upper ? prover_.at_most(bounds[i], bounds[j]) == Truth::kTrue
                                          : prover_.at_most(bounds[j], bounds[i]) == Truth::kTrue);
      implied = follows && (!back || j < i);
    }
    if (!implied) kept.push_back(namer_(bounds[i]));
  }
  bounds = std::move(kept);
}

DimBounds Bounds::of(Dim dim) {
  DimBounds result;
  if (!dim.known()) return result;
  const Dim resolved = inference_.constraints->resolve(dim);
  if (resolved.number()) return result;
  const Interval numbers = prover_.bounds(resolved);
  Pool& pool = *inference_.pool;
  if (numbers.lo > 0) result.at_least.push_back(pool.constant(numbers.lo));
  if (numbers.hi != Interval::kInf) result.at_most.push_back(pool.constant(numbers.hi));
  collect(resolved, false, 0, result.at_least);
  collect(resolved, true, 0, result.at_most);
  keep_tightest(result.at_least, false);
  keep_tightest(result.at_most, true);
  std::erase_if(result.at_least, [](Dim bound) { return bound.is(0); });
  return result;
}

}  // namespace onnx_shapes
