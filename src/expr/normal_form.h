// The operations behind the public ones. Operands are known; an unknown result means that a limit
// was reached, and nothing is counted.
#pragma once

#include <span>

#include "expr/pool_impl.h"

namespace onnx_shapes {

/// The number in the pool of the dim; unknown beside an unknown dim.
[[nodiscard]] Dim number_like(Dim a, int64_t number);

[[nodiscard]] Dim add_scaled(Pool::Impl& pool, Dim a, int64_t ka, Dim b, int64_t kb);
[[nodiscard]] Dim scaled(Pool::Impl& pool, Dim a, int64_t factor);
[[nodiscard]] Dim multiply(Pool::Impl& pool, Dim a, Dim b);
[[nodiscard]] Dim power(Pool::Impl& pool, Dim base, uint32_t exponent);

/// Polynomial division with integer coefficients: `a = quotient * b + remainder`.
struct Division {
  Dim quotient;
  Dim remainder;
};
/// Precondition: b is not 0. Both parts are unknown on overflow.
[[nodiscard]] Division polynomial_division(Pool::Impl& pool, Dim a, Dim b);
/// Unknown if b does not divide a.
[[nodiscard]] Dim divide_exactly(Pool::Impl& pool, Dim a, Dim b);

/// Whether the divisor is below 1 in every run, so that the quotient means nothing.
[[nodiscard]] bool never_positive(Dim divisor);
/// Precondition: not never_positive(b).
[[nodiscard]] Dim divide(Pool::Impl& pool, Dim a, Dim b);

/// The greatest or the least of one or more dims.
[[nodiscard]] Dim extremum(Pool::Impl& pool, AtomKind kind, std::span<const Dim> operands);

[[nodiscard]] Dim broadcast_of(Pool::Impl& pool, std::span<const Dim> operands);

/// Below 0, 0 or above 0 as `a` reads before `b`, is `b`, or reads after it.
[[nodiscard]] int reading_order(const Expr& a, const Expr& b);

}  // namespace onnx_shapes
