// The tables of com.microsoft that stand in files of their own; contrib_family() returns them all.
#pragma once

#include <span>

#include "infer/rule.h"

namespace onnx_shapes {

/// Decoders of language models: linear and sparse attention, gates, routers.
[[nodiscard]] std::span<const OpRule> contrib_decoder_rules();
/// Products with weights that are packed or in a layout of their own.
[[nodiscard]] std::span<const OpRule> contrib_packed_rules();
/// Text generation: hashing, position biases, padding, search.
[[nodiscard]] std::span<const OpRule> contrib_generation_rules();
/// Older forms of ONNX operators, and windows on other layouts.
[[nodiscard]] std::span<const OpRule> contrib_tensor_rules();

}  // namespace onnx_shapes
