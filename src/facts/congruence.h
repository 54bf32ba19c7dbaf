// What is known of a number modulo another: `K % 2 == 0` from `2*u == K`.
#pragma once

#include <cstdint>

#include "facts/knowledge.h"
#include "facts/linear.h"

namespace onnx_shapes {

/// The number is `remainder` modulo `modulus`, with 0 <= remainder < modulus. A modulus of 1 says
/// nothing.
struct Residue {
  int64_t modulus = 1;
  int64_t remainder = 0;
};

/// The residue of the form that follows from facts `x == c + m*y + n*z` (so x is c modulo gcd(m,
/// n)), as far as it matters modulo `by` (>= 1): the modulus divides `by`. `knowledge` may be null.
[[nodiscard]] Residue residue(Pool& pool, Knowledge* knowledge, const Linear& form, int64_t by);

}  // namespace onnx_shapes
