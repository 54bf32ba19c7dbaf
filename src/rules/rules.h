// The operator rules: one function a family, and what families share.
#pragma once

#include <span>
#include <vector>

#include "infer/rule.h"

namespace onnx_shapes {

/// All families, in one explicit list.
[[nodiscard]] const RuleTable& default_rules();

/// The numbers of inputs and outputs, one table a domain.
[[nodiscard]] std::span<const ArityTable> arities();

// One declaration a family; each returns its tables (one a domain).
// clang-format off
#define ONNX_SHAPES_FAMILIES(FAMILY)                                                         \
  FAMILY(elementwise) FAMILY(broadcasting) FAMILY(arithmetic) FAMILY(logic)                  \
  FAMILY(reduction) FAMILY(matmul) FAMILY(einsum) FAMILY(convolution) FAMILY(pooling)        \
  FAMILY(normalization) FAMILY(attention) FAMILY(recurrent) FAMILY(reshape) FAMILY(concat)   \
  FAMILY(rearrange) FAMILY(padding) FAMILY(scatter)                                          \
  FAMILY(slicing) FAMILY(indexing) FAMILY(resize) FAMILY(generator) FAMILY(data_dependent)   \
  FAMILY(signal) FAMILY(sequence) FAMILY(control_flow) FAMILY(quantization) FAMILY(loss)     \
  FAMILY(vision) FAMILY(text) FAMILY(training) FAMILY(classical) FAMILY(contrib)             \
  FAMILY(contrib_attention) FAMILY(contrib_quantized) FAMILY(contrib_nchwc)                  \
  FAMILY(contrib_nhwc)
// clang-format on
#define ONNX_SHAPES_DECLARE_FAMILY(name) std::span<const Family> name##_family();
ONNX_SHAPES_FAMILIES(ONNX_SHAPES_DECLARE_FAMILY)
#undef ONNX_SHAPES_DECLARE_FAMILY

}  // namespace onnx_shapes
