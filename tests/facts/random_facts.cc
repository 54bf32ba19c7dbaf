#include "tests/facts/random_facts.h"

#include "expr/text.h"

namespace onnx_shapes::testing {
namespace {

constexpr int64_t kGridHeight = 5;  // numbers of one symbol in the grid

}  // namespace

std::optional<int64_t> value(Dim dim, const Numbers& numbers) {
  return evaluate(dim, [&](SymbolId symbol) -> std::optional<int64_t> {
    if (symbol >= numbers.size()) return std::nullopt;
    return numbers[symbol];
  });
}

bool Fact::holds(const Numbers& numbers) const {
  const auto left = value(a, numbers);
  const auto right = value(b, numbers);
  return left && right && (equality ? *left == *right : *left <= *right);
}

std::string Fact::text() const { return to_text(a) + (equality ? " == " : " <= ") + to_text(b); }

RandomFacts::RandomFacts(SymbolTable& symbols, uint64_t seed) : symbols_(symbols), random_(seed) {
  const auto add = [this](Dim dim, int64_t low) {
    all_.push_back(dim);
    lows_.push_back(low);
  };
  // The order of kinds varies, since it decides what is solved for.
  const Interval any = Interval::all();
  const Interval dims = Interval::at_least(0);
  add(symbols.author("N", SymbolKind::kInput, dims, {}), 0);
  if (pick(0, 1) == 0) {
    add(symbols.fresh("u", dims, {}), 0);
    add(symbols.author("M", SymbolKind::kInput, dims, {}), 0);
  } else {
    add(symbols.author("M", SymbolKind::kInput, dims, {}), 0);
    add(symbols.fresh("u", dims, {}), 0);
  }
  switch (pick(0, 2)) {
    case 0:
      add(symbols.author("D", SymbolKind::kDeclared, dims, {}), 0);
      break;
    case 1:
      add(symbols.fresh("x", any, {}), -2);
      break;
    default:
      add(symbols.author("K", SymbolKind::kInput, Interval::at_least(1), {}), 1);
      break;
  }
  Numbers numbers(all_.size());
  extend_grid(numbers, 0);
}

void RandomFacts::extend_grid(Numbers& numbers, size_t i) {
  if (i == numbers.size()) {
    grid_.push_back(numbers);
    return;
  }
  for (int64_t step = 0; step < kGridHeight; ++step) {
    numbers[i] = lows_[i] + step;
    extend_grid(numbers, i + 1);
  }
}

int64_t RandomFacts::pick(int64_t lo, int64_t hi) {
  return lo + static_cast<int64_t>(random_() % static_cast<uint64_t>(hi - lo + 1));
}

Dim RandomFacts::dim(int depth) {
  const auto leaf = [this] {
    if (pick(0, 4) == 0) return symbols_.pool().constant(pick(0, 6));
    return all_[static_cast<size_t>(pick(0, static_cast<int64_t>(all_.size()) - 1))];
  };
  if (depth == 0) return leaf();
  const Dim a = dim(depth - 1);
  switch (pick(0, 12)) {
    case 0:
    case 1:
      return a + dim(depth - 1);
    case 2:
      return a - dim(depth - 1);
    case 3:
      return a * pick(2, 4);
    case 4:
      return a + pick(-3, 3);
    case 5:
    case 6:
      return a * dim(depth - 1);
    case 7:
      return floor_div(a, pick(2, 4));
    case 8:
      return mod(a, pick(2, 4));
    case 9: {
      const Dim quotient = floor_div(a, dim(depth - 1));
      return quotient.known() ? quotient : a;
    }
    case 10:
      return max(a, dim(depth - 1));
    case 11:
      return min(a, dim(depth - 1));
    default: {
      const Dim joined = broadcast(leaf(), leaf());
      return joined.known() ? joined : a;
    }
  }
}

std::optional<Fact> RandomFacts::fact(const Numbers& binding) {
  const Dim a = dim(static_cast<int>(pick(0, 2)));
  const Dim b = dim(static_cast<int>(pick(0, 2)));
  const auto left = value(a, binding);
  const auto right = value(b, binding);
  if (!left || !right) return std::nullopt;
  const int64_t difference = *left - *right;
  if (pick(0, 1) == 0) return Fact{a, b + difference, true};
  return Fact{a, b + (difference > 0 || pick(0, 2) == 0 ? difference : 0) + pick(0, 1), false};
}

Numbers RandomFacts::binding() {
  return grid_[static_cast<size_t>(pick(0, static_cast<int64_t>(grid_.size()) - 1))];
}

}  // namespace onnx_shapes::testing
