// Values of files of test data: a TensorProto, SparseTensorProto, SequenceProto or OptionalProto.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
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
  std::vector<uint8_t> bytes;         // as raw_data has them, with ValueLimits::whole
  std::vector<StoredValue> elements;  // of a sequence; of an optional, one or none
};

/// Tensors of more elements have no contents here.
struct ValueLimits {
  size_t integers = 0;  // and bools and strings
  size_t numbers = 0;
  bool whole = false;  // all contents of all dense tensors, as bytes and strings
};

/// Reads a value of that type: which message a file holds, the file does not say. Contents of large
/// tensors are not read. What is no such message, has a map, or has more or less data than its dims
/// ask for is the failure (SHP706).
[[nodiscard]] Expected<StoredValue> read_value(const MappedFile& file, DeclaredType::Kind kind,
                                               const ValueLimits& limits);

/// Sets the contents of a tensor whose type and dims are set: integers, bools and floats of a byte
/// or more. `raw` is as long as these ask for.
void set_contents(StoredValue& value, std::span<const uint8_t> raw);

}  // namespace onnx_shapes
