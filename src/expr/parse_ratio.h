// Exact quotients of two expressions: what stands between the operators of a text until a floor,
// a ceiling or a cancellation makes it an integer again.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "expr/expr.h"
#include "support/result.h"

namespace onnx_shapes {

/// numerator / denominator, in lowest terms as far as constants and exact polynomial division go.
/// The denominator is a positive number, or an expression that is positive by the contract of
/// floor_div.
struct Ratio {
  Dim numerator;
  Dim denominator;

  [[nodiscard]] bool is_whole() const { return denominator.is(1); }
};

/// A ratio, or why there is none.
using RatioResult = Result<Ratio, std::string_view>;

[[nodiscard]] Ratio whole(Pool& pool, Dim dim);
/// magnitude / scale; scale >= 1.
[[nodiscard]] RatioResult number(Pool& pool, uint64_t magnitude, int64_t scale);

[[nodiscard]] RatioResult add(Ratio a, Ratio b);
/// Of one or more. Whole numbers are added all at once.
[[nodiscard]] RatioResult sum(std::span<const Ratio> ratios);
[[nodiscard]] RatioResult subtract(Ratio a, Ratio b);
[[nodiscard]] RatioResult multiply(Ratio a, Ratio b);
[[nodiscard]] RatioResult negate(Ratio a);
/// The exact quotient.
[[nodiscard]] RatioResult divide(Ratio a, Ratio b);
/// The quotient rounded down, of whole numbers or not.
[[nodiscard]] RatioResult divide_down(Ratio a, Ratio b);
/// The quotient rounded up.
[[nodiscard]] RatioResult divide_up(Ratio a, Ratio b);
/// a - b * floor(a / b).
[[nodiscard]] RatioResult remainder(Ratio a, Ratio b);
/// A quotient of which the author promises that nothing remains.
[[nodiscard]] RatioResult divide_without_rest(Ratio a, Ratio b);
/// Rounded towards zero; only where the sign is known.
[[nodiscard]] RatioResult truncate(Ratio a);
[[nodiscard]] RatioResult power(Ratio a, Ratio exponent);
/// Of one or more.
[[nodiscard]] RatioResult largest(std::span<const Ratio> ratios);
[[nodiscard]] RatioResult smallest(std::span<const Ratio> ratios);
[[nodiscard]] RatioResult broadcast(std::span<const Ratio> ratios);
[[nodiscard]] RatioResult larger(Ratio a, Ratio b);
[[nodiscard]] RatioResult smaller(Ratio a, Ratio b);

}  // namespace onnx_shapes
