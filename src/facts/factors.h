// A linear form over monomials as a product of smaller ones.
#pragma once

#include <vector>

#include "facts/linear.h"

namespace onnx_shapes {

/// Forms whose product, times a positive number, is `form`; only the form itself where none are
/// found. Found are factors that are bare atoms, and those that a form has which is linear in some
/// atom t: the common part of A and B in `A*t + B`. A product of differences, `(N - a)*(M - b)`,
/// comes apart so.
[[nodiscard]] std::vector<Linear> factors(Pool& pool, const Linear& form);

}  // namespace onnx_shapes
