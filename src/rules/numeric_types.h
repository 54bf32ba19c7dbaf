// Lists of element types that several families allow, each the widest of any opset version.
#pragma once

#include <array>

#include "infer/context.h"

namespace onnx_shapes {

inline constexpr std::array kFloatTypes = {ElemType::kFloat, ElemType::kFloat16, ElemType::kDouble,
                                           ElemType::kBfloat16};
/// Operands of 8-bit integer arithmetic.
inline constexpr std::array kByteTypes = {ElemType::kInt8, ElemType::kUint8};
/// Operands of quantized products.
inline constexpr std::array kQuantizedTypes = {ElemType::kInt8,         ElemType::kUint8,
                                               ElemType::kInt16,        ElemType::kUint16,
                                               ElemType::kFloat8E4M3FN, ElemType::kFloat8E4M3FNUZ,
                                               ElemType::kFloat8E5M2,   ElemType::kFloat8E5M2FNUZ};
/// Lengths, axes and indices.
inline constexpr std::array kIndexTypes = {ElemType::kInt64, ElemType::kInt32};
inline constexpr std::array kNumericTypes = {
    ElemType::kFloat, ElemType::kFloat16, ElemType::kDouble, ElemType::kBfloat16,
    ElemType::kInt8,  ElemType::kInt16,   ElemType::kInt32,  ElemType::kInt64,
    ElemType::kUint8, ElemType::kUint16,  ElemType::kUint32, ElemType::kUint64};

}  // namespace onnx_shapes
