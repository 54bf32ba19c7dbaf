// The table of element types: their names in the ONNX text format and their sizes.
#include <array>

#include "model/model.h"

namespace onnx_shapes {
namespace {

struct ElemTypeRow {
  std::string_view name;
  uint32_t bits;
  bool integer;
};

// By the numbers of TensorProto.DataType.
constexpr std::array<ElemTypeRow, 29> kElemTypes = {{
    {"undefined", 0, false},
    {"float", 32, false},
    {"uint8", 8, true},
    {"int8", 8, true},
    {"uint16", 16, true},
    {"int16", 16, true},
    {"int32", 32, true},
    {"int64", 64, true},
    {"string", 0, false},
    {"bool", 8, false},
    {"float16", 16, false},
    {"double", 64, false},
    {"uint32", 32, true},
    {"uint64", 64, true},
    {"complex64", 64, false},
    {"complex128", 128, false},
    {"bfloat16", 16, false},
    {"float8e4m3fn", 8, false},
    {"float8e4m3fnuz", 8, false},
    {"float8e5m2", 8, false},
    {"float8e5m2fnuz", 8, false},
    {"uint4", 4, true},
    {"int4", 4, true},
    {"float4e2m1", 4, false},
    {"float8e8m0", 8, false},
    {"uint2", 2, true},
    {"int2", 2, true},
    {"float6e2m3", 6, false},
    {"float6e3m2", 6, false},
}};

const ElemTypeRow& row(ElemType type) {
  const auto number = static_cast<size_t>(type);
  return number < kElemTypes.size() ? kElemTypes[number] : kElemTypes[0];
}

}  // namespace

std::string_view elem_type_name(ElemType type) { return row(type).name; }

ElemType elem_type(int64_t data_type) {
  if (data_type < 0 || data_type >= static_cast<int64_t>(kElemTypes.size())) {
    return ElemType::kUndefined;
  }
  return static_cast<ElemType>(data_type);
}

bool is_integer(ElemType type) { return row(type).integer; }

uint32_t element_bits(ElemType type) { return row(type).bits; }

}  // namespace onnx_shapes
