// Folds sums back into what people write.
#pragma once

#include <vector>

#include "expr/print_summand.h"

namespace onnx_shapes {

/// Writes `max(x, y) - y` as `max(x - y, 0)`.
void fold_maxima(std::vector<Summand>& sum, const FoldContext& context);

/// Writes `x - m*(x//m)` as `x%m`, as long as the text gets shorter.
void fold_remainders(std::vector<Summand>& sum, const FoldContext& context);

/// Writes `(x + 1)//2 - 1` as `(x - 1)//2`, also in products, as long as the text gets shorter.
void fold_shifts(std::vector<Summand>& sum, const FoldContext& context);

}  // namespace onnx_shapes
