// Brings the elements of tensors into one form.
#include "model/raw_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "model/tensor_data.h"
#include "support/int_math.h"
#include "wire/varint.h"

namespace onnx_shapes {
namespace {

Failure<std::string> cannot(const onnx::TensorProto& tensor, std::string_view why) {
  return Failure{fmt::format("the data of tensor '{}' {}", tensor.name(), why)};
}

std::optional<uint64_t> needed_bytes(const onnx::TensorProto& tensor) {
  Tensor dims;
  dims.dims.assign(tensor.dims().begin(), tensor.dims().end());
  const std::optional<int64_t> count = dims.element_count();
  return count ? raw_size(elem_type(tensor.data_type()), *count) : std::nullopt;
}

/// The entries of a typed field, `width` bytes each.
template <class Entries>
std::string block(const Entries& entries, size_t width) {
  std::string bytes(static_cast<size_t>(entries.size()) * width, '\0');
  size_t at = 0;
  for (const auto entry : entries) {
    std::memcpy(bytes.data() + at, &entry, width);
    at += width;
  }
  return bytes;
}

/// Integers of variable length, of which raw_data has the lowest bytes.
std::optional<std::string> unpacked_varints(std::span<const uint8_t> bytes, size_t width) {
  std::string result;
  const uint8_t* at = bytes.data();
  const uint8_t* const end = at + bytes.size();
  uint64_t number = 0;
  while (at != end) {
    if (!read_varint(at, end, number)) return std::nullopt;
    result.append(reinterpret_cast<const char*>(&number), width);
  }
  return result;
}

std::string typed_block(const onnx::TensorProto& tensor, DataField field, size_t width) {
  switch (field) {
    case DataField::kFloat:
      return block(tensor.float_data(), sizeof(float));
    case DataField::kDouble:
      return block(tensor.double_data(), sizeof(double));
    case DataField::kInt64:
      return block(tensor.int64_data(), width);
    case DataField::kUint64:
      return block(tensor.uint64_data(), width);
    case DataField::kInt32:
      return block(tensor.int32_data(), width);
    case DataField::kString:
    case DataField::kRaw:
    case DataField::kNone:
      break;
  }
  return {};
}

}  // namespace

Result<std::vector<uint8_t>, std::string> external_elements(const ModelData& data,
                                                            const onnx::TensorProto& tensor) {
  const std::optional<uint64_t> needed = needed_bytes(tensor);
  if (!needed) return cannot(tensor, "has no size in bytes");
  const auto range = external_range(tensor, *needed);
  if (!range) return Failure{range.reason().message};
  if (range->length != *needed) return cannot(tensor, "does not match its dims");
  auto bytes = data.external.read(range->location, range->offset, range->length);
  if (!bytes) return Failure{bytes.reason().message};
  return std::move(*bytes);
}

Result<std::string, std::string> raw_elements(const ModelData& data,
                                              const onnx::TensorProto& tensor) {
  static_assert(std::endian::native == std::endian::little, "raw_data is little-endian");
  const ElemType elem = elem_type(tensor.data_type());
  const std::optional<uint64_t> needed = needed_bytes(tensor);
  if (!needed) return cannot(tensor, "has no size in bytes");
  if (tensor.data_location() == onnx::TensorProto::EXTERNAL) {
    const Result<std::vector<uint8_t>, std::string> bytes = external_elements(data, tensor);
    if (!bytes) return Failure{bytes.reason()};
    return std::string(bytes->begin(), bytes->end());
  }
  // Elements below a byte share the bytes of int32_data as those of raw_data.
  const size_t width = std::min<size_t>(std::max<size_t>(element_bits(elem) / 8, 1), 8);
  const DataField field = typed_field(elem);
  const DataLocation location = locate_data(data, tensor);
  std::optional<std::string> bytes;
  switch (location.form) {
    case DataLocation::Form::kUnclear:
      return cannot(tensor, "is in pieces whose order is not known");
    case DataLocation::Form::kTyped:
      bytes = typed_block(tensor, field, width);
      break;
    case DataLocation::Form::kPacked:
      if (field != DataField::kFloat && field != DataField::kDouble) {
        bytes = unpacked_varints(location.bytes, width);
        break;
      }
      [[fallthrough]];
    case DataLocation::Form::kRaw:
      bytes.emplace(location.bytes.begin(), location.bytes.end());
  }
  if (!bytes || bytes->size() != *needed) return cannot(tensor, "does not match its dims");
  return std::move(*bytes);
}

Result<onnx::TensorProto, std::string> whole_tensor(const ModelData& data,
                                                    const onnx::TensorProto& tensor) {
  onnx::TensorProto whole;
  if (elem_type(tensor.data_type()) == ElemType::kString) {
    if (locate_data(data, tensor).form != DataLocation::Form::kTyped) {
      return cannot(tensor, "is in pieces whose order is not known");
    }
    whole = tensor;
  } else {
    Result<std::string, std::string> bytes = raw_elements(data, tensor);
    if (!bytes) return Failure{bytes.reason()};
    *whole.mutable_dims() = tensor.dims();
    whole.set_name(tensor.name());
    whole.set_data_type(tensor.data_type());
    whole.set_raw_data(std::move(*bytes));
  }
  whole.mutable_unknown_fields()->clear();  // markers are of the skeleton
  return whole;
}

}  // namespace onnx_shapes
