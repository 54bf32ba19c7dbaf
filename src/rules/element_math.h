// Exact arithmetic on the elements of tensors.
#pragma once

#include "infer/context.h"

namespace onnx_shapes {

[[nodiscard]] bool is_float(ElemType type);  // float, double, float16, bfloat16

/// Computes elements of one type. A result is known only if the operator gives exactly that number:
/// integers must not leave the type's range, and floats must not need rounding. One exception is
/// made for floats: a quotient whose denominator is no power of two stands for the rounded number.
/// floor, ceil and casts to integers take it (the quotient of two numbers that the mantissa holds
/// is rounded to an integer only if it is one), everything else gives an unknown number for it.
///
/// Sizes are taken to fit 32-bit integers, and small multiples of them the mantissa of a float, as
/// any run needs that computes with them in these types.
class ElementMath {
 public:
  ElementMath(InferContext& ctx, ElemType elem) : ctx_(ctx), elem_(elem) {}

  [[nodiscard]] Scalar add(const Scalar& a, const Scalar& b) const;
  [[nodiscard]] Scalar subtract(const Scalar& a, const Scalar& b) const;
  [[nodiscard]] Scalar multiply(const Scalar& a, const Scalar& b) const;
  /// The quotient of floats; of integers, rounded towards zero.
  [[nodiscard]] Scalar divide(const Scalar& a, const Scalar& b) const;
  /// The remainder that has the sign of b.
  [[nodiscard]] Scalar floor_mod(const Scalar& a, const Scalar& b) const;
  /// The remainder that has the sign of a.
  [[nodiscard]] Scalar truncated_mod(const Scalar& a, const Scalar& b) const;
  [[nodiscard]] Scalar power(const Scalar& base, const Scalar& exponent) const;
  [[nodiscard]] Scalar larger(const Scalar& a, const Scalar& b) const;
  [[nodiscard]] Scalar smaller(const Scalar& a, const Scalar& b) const;
  [[nodiscard]] Scalar shift_left(const Scalar& a, const Scalar& bits) const;
  [[nodiscard]] Scalar shift_right(const Scalar& a, const Scalar& bits) const;

  [[nodiscard]] Scalar negate(const Scalar& a) const;
  [[nodiscard]] Scalar absolute(const Scalar& a) const;
  [[nodiscard]] Scalar sign(const Scalar& a) const;
  [[nodiscard]] Scalar floor(const Scalar& a) const;
  [[nodiscard]] Scalar ceil(const Scalar& a) const;
  [[nodiscard]] Scalar round_half_even(const Scalar& a) const;
  [[nodiscard]] Scalar reciprocal(const Scalar& a) const;
  [[nodiscard]] Scalar square_root(const Scalar& a) const;
  [[nodiscard]] Scalar rectify(const Scalar& a) const;  // max(a, 0)
  /// The element as this type; `a` is of another type.
  [[nodiscard]] Scalar cast(const Scalar& a) const;

  // Decided in every run, or unknown.
  [[nodiscard]] Truth equal(const Scalar& a, const Scalar& b) const;
  [[nodiscard]] Truth less(const Scalar& a, const Scalar& b) const;
  [[nodiscard]] Truth at_most(const Scalar& a, const Scalar& b) const;

  [[nodiscard]] Scalar number(int64_t value) const { return {ctx_.lit(value), 1}; }
  /// A bool element; unknown for kUnknown.
  [[nodiscard]] Scalar boolean(Truth truth) const;

 private:
  /// The number in lowest terms if the type holds it exactly, else unknown.
  [[nodiscard]] Scalar fit(Dim numerator, int64_t denominator) const;
  /// Like fit, but a float may be the rounded quotient.
  [[nodiscard]] Scalar fit_quotient(Dim numerator, int64_t denominator) const;
  [[nodiscard]] bool made_of_sizes(Dim number, Interval bounds, Interval range) const;
  [[nodiscard]] bool in_integer_range(Dim number) const;
  [[nodiscard]] bool in_mantissa(Dim numerator) const;
  /// Known, and not a rounded quotient.
  [[nodiscard]] bool exact(const Scalar& a) const;
  /// trunc(numerator / denominator).
  [[nodiscard]] Dim truncate(Dim numerator, int64_t denominator) const;
  [[nodiscard]] Dim truncated_quotient(Dim a, Dim b) const;
  [[nodiscard]] Dim truncated_by_sign(Dim a, Dim b) const;

  InferContext& ctx_;
  ElemType elem_;
};

}  // namespace onnx_shapes
