// Values of files of test data: a TensorProto, SparseTensorProto, SequenceProto or OptionalProto.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/model.h"

namespace onnx_shapes {

struct StoredValue {
  DeclaredType::Kind kind = DeclaredType::Kind::kTensor;  // kSparseTensor, kSequence, kOptional
  std::string name;
  ElemType elem = ElemType::kUndefined;  // of tensors
  std::vector<int64_t> dims;             // of tensors
  // The contents of dense tensors in row-major order, where they are read.
  std::optional<std::vector<int64_t>> integers;
  std::optional<std::vector<double>> numbers;
  std::optional<std::vector<std::string>> strings;
  std::vector<StoredValue> elements;  // of a sequence; of an optional, one or none
};

/// Tensors of more elements have no contents here.
struct ValueLimits {
  size_t integers = 0;  // and bools and strings
  size_t numbers = 0;
};

/// Reads a value of that type: which message a file holds, the file does not say. Contents of large
/// tensors are not read. What is no such message, has a map, or has more or less data than its dims
/// ask for is the failure (SHP706).
[[nodiscard]] Expected<StoredValue> read_value(const MappedFile& file, DeclaredType::Kind kind,
                                               const ValueLimits& limits);

}  // namespace onnx_shapes
