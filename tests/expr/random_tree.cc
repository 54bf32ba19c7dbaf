// The generator of random trees.
#include "tests/expr/random_tree.h"

#include <algorithm>
#include <string>
#include <utility>

namespace onnx_shapes {
namespace {

Tree leaf(Random& random) {
  if (random.wants_large()) return number_tree(random.large());
  if (random.one_in(3)) return number_tree(random.between(-4, 9));
  return symbol_tree(random.below(kSymbolRanges.size()));
}

Tree binary(Operation operation, Tree a, Tree b) {
  std::vector<Tree> operands;
  operands.push_back(std::move(a));
  operands.push_back(std::move(b));
  return make_tree(operation, std::move(operands));
}

Tree plus(Tree a, int64_t b) { return binary(Operation::kAdd, std::move(a), number_tree(b)); }

Tree times(Tree a, int64_t b) { return binary(Operation::kMultiply, std::move(a), number_tree(b)); }

/// Mostly at least 1, so that the quotient has a value.
Tree divisor(Random& random, int depth) {
  switch (random.below(6)) {
    case 0:
      return symbol_tree(2);
    case 1:
      return plus(symbol_tree(random.below(2)), 1);
    case 2:
      return times(binary(Operation::kMultiply, symbol_tree(2), symbol_tree(4)),
                   random.between(1, 3));
    case 3:
      return binary(Operation::kMax, random_tree(random, depth - 1), number_tree(1));
    case 4:
      return random_tree(random, depth - 1);
    default:
      return number_tree(random.between(1, 12));
  }
}

/// `k*(x//n) + ... + k'*((x + n - 1)//n)`, where one may be missing.
Tree residues(Random& random, const Tree& x) {
  const int64_t n = random.between(2, 4);
  Tree sum = number_tree(0);
  const int64_t common = random.between(1, 2);
  const int64_t missing = random.between(0, 2 * n);
  for (int64_t residue = 0; residue < n; ++residue) {
    if (residue == missing) continue;
    const int64_t factor = random.one_in(3) ? random.between(-2, 3) : common;
    Tree quotient = binary(Operation::kFloorDiv, plus(x, residue), number_tree(n));
    sum = binary(Operation::kAdd, std::move(sum), times(std::move(quotient), factor));
  }
  return sum;
}

/// Output sizes of windows, one applied after the other: `(x + p)//s + q`.
Tree windows(Random& random, Tree x) {
  for (size_t stage = 1 + random.below(3); stage > 0; --stage) {
    const int64_t stride = random.between(1, 4);
    x = binary(Operation::kFloorDiv, plus(std::move(x), random.between(-3, 3)),
               number_tree(stride));
    x = plus(std::move(x), random.between(0, 2));
  }
  return x;
}

/// `(x*y*k)//(y*m*(z + 1))`: what reshapes and splits of products come to.
Tree shared_factors(Random& random, Tree x) {
  const Tree y = symbol_tree(random.one_in(2) ? 2 : 4);
  Tree above = times(binary(Operation::kMultiply, std::move(x), y), random.between(1, 6));
  Tree below = times(binary(Operation::kMultiply, y, plus(symbol_tree(random.below(2)), 1)),
                     random.between(1, 4));
  return binary(Operation::kFloorDiv, std::move(above), std::move(below));
}

/// `i*max(x, y) + j*min(x, y)`.
Tree both_extrema(Random& random, const Tree& x, const Tree& y) {
  Tree greatest = times(binary(Operation::kMax, x, y), random.between(-1, 2));
  Tree least = times(binary(Operation::kMin, x, y), random.between(-1, 2));
  return binary(Operation::kAdd, std::move(greatest), std::move(least));
}

/// `x*(y//n) - z`, and the like: a quotient times something else.
Tree product_of_quotient(Random& random, Tree x, Tree y) {
  Tree quotient = binary(Operation::kFloorDiv, std::move(y), divisor(random, 0));
  return binary(Operation::kMultiply, std::move(x), std::move(quotient));
}

Tree pattern(Random& random, int depth) {
  Tree x = random_tree(random, depth - 1);
  switch (random.below(5)) {
    case 0:
      return residues(random, x);
    case 1:
      return windows(random, std::move(x));
    case 2:
      return shared_factors(random, std::move(x));
    case 3:
      return both_extrema(random, x, random_tree(random, depth - 1));
    default:
      return product_of_quotient(random, std::move(x), random_tree(random, depth - 1));
  }
}

/// One or the other is often 1, or both are the same, so that the broadcast holds.
Tree broadcast_tree(Random& random, Tree x, Tree y) {
  if (random.one_in(3)) y = binary(Operation::kMax, symbol_tree(5), number_tree(1));
  if (random.one_in(4)) y = binary(Operation::kBroadcast, symbol_tree(5), x);
  return binary(Operation::kBroadcast, std::move(x), std::move(y));
}

}  // namespace

int64_t Random::large() {
  if (one_in(6)) return one_in(2) ? INT64_MAX : INT64_MIN;
  const int64_t power = int64_t{1} << between(28, 62);
  return (one_in(2) ? power : -power) + between(-1, 1);
}

std::vector<Dim> add_symbols(Pool& pool) {
  std::vector<Dim> symbols;
  for (size_t i = 0; i < kSymbolRanges.size(); ++i) {
    const std::string name(1, static_cast<char>('a' + i));
    symbols.push_back(pool.symbol(pool.add_symbol(name, kSymbolRanges[i])));
  }
  return symbols;
}

Tree random_tree(Random& random, int depth) {
  if (depth <= 0 || random.one_in(7)) return leaf(random);
  if (random.one_in(6)) return pattern(random, depth);
  Tree x = random_tree(random, depth - 1);
  switch (random.below(12)) {
    case 0:
      return make_tree(Operation::kNegate, {std::move(x)});
    case 1:
    case 2:
      return binary(Operation::kAdd, std::move(x), random_tree(random, depth - 1));
    case 3:
      return binary(Operation::kSubtract, std::move(x), random_tree(random, depth - 1));
    case 4:
      return binary(Operation::kMultiply, std::move(x), random_tree(random, depth - 1));
    case 5:
    case 6:
      return binary(Operation::kFloorDiv, std::move(x), divisor(random, depth));
    case 7:
      return binary(Operation::kCeilDiv, std::move(x), divisor(random, depth));
    case 8:
      return binary(Operation::kMod, std::move(x), divisor(random, depth));
    case 9:
      return binary(Operation::kMax, std::move(x), random_tree(random, depth - 1));
    case 10:
      return binary(Operation::kMin, std::move(x), random_tree(random, depth - 1));
    default:
      return broadcast_tree(random, std::move(x), random_tree(random, depth - 1));
  }
}

Values random_values(Random& random) {
  Values values;
  for (const Interval range : kSymbolRanges) {
    if (const int64_t number = random.wants_large() ? random.large() : 0;
        number != 0 && range.contains(number)) {
      values.push_back(number);
      continue;
    }
    const int64_t reach = random.one_in(8) ? 1000 : 8;
    const int64_t low = std::max(range.lo, -reach);
    const int64_t high =
        std::min(range.hi, range.lo == Interval::kNegInf ? reach : range.lo + reach);
    values.push_back(random.between(low, high));
  }
  return values;
}

}  // namespace onnx_shapes
