// Bindings near the lower ends of the ranges, where most differences show.
#include "facts/samples.h"

#include <array>

namespace onnx_shapes {
namespace {

/// How far the symbols are spread in each binding. The first binds each to its smallest number.
constexpr std::array<int64_t, 5> kSpreads = {1, 2, 7, 23, 101};

int64_t sample(Interval range, SymbolId symbol, int64_t spread) {
  uint64_t mixed = (uint64_t{symbol} + 1) * 0x9E3779B97F4A7C15U * static_cast<uint64_t>(spread);
  mixed ^= mixed >> 31U;
  const auto offset = static_cast<int64_t>(mixed % static_cast<uint64_t>(spread));
  const bool low_open = range.lo == Interval::kNegInf;
  if (low_open && range.hi == Interval::kInf) return (mixed >> 40U) % 2 == 0 ? offset : -offset;
  if (low_open) return range.hi < Interval::kNegInf + offset ? range.hi : range.hi - offset;
  const bool fits = range.lo <= Interval::kInf - offset && range.lo + offset <= range.hi;
  return fits ? range.lo + offset : range.lo;
}

}  // namespace

Seen compare_samples(Pool& pool, Knowledge* knowledge, Dim a, Dim b) {
  Seen seen;
  if (knowledge != nullptr && (knowledge->any_facts_about(a) || knowledge->any_facts_about(b))) {
    return seen;
  }
  for (const int64_t spread : kSpreads) {
    const auto binding = [&](SymbolId symbol) -> std::optional<int64_t> {
      const Dim dim = pool.symbol(symbol);
      return sample(knowledge == nullptr ? dim.bounds() : knowledge->narrowing().of(dim), symbol,
                    spread);
    };
    const std::optional<int64_t> left = evaluate(a, binding);
    const std::optional<int64_t> right = evaluate(b, binding);
    if (!left || !right) continue;
    seen.less = seen.less || *left < *right;
    seen.equal = seen.equal || *left == *right;
    seen.greater = seen.greater || *left > *right;
  }
  return seen;
}

}  // namespace onnx_shapes
