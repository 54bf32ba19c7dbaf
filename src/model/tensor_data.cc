// Compares the amount of data that a tensor has with the amount that its dims ask for.
#include "model/tensor_data.h"

#include <fmt/format.h>

#include "diag/printable.h"
#include "model/markers.h"
#include "support/int_math.h"
#include "wire/varint.h"

namespace onnx_shapes {
namespace {

std::string dims_text(std::span<const int64_t> dims) {
  constexpr size_t kShown = 8;
  std::string text = "[";
  for (size_t i = 0; i < std::min(dims.size(), kShown); ++i) {
    text += fmt::format("{}{}", i == 0 ? "" : ", ", dims[i]);
  }
  return text + (dims.size() > kShown ? ", ...]" : "]");
}

std::string_view field_name(DataField field) {
  switch (field) {
    case DataField::kFloat:
      return "float_data";
    case DataField::kInt32:
      return "int32_data";
    case DataField::kString:
      return "string_data";
    case DataField::kInt64:
      return "int64_data";
    case DataField::kRaw:
      return "raw_data";
    case DataField::kDouble:
      return "double_data";
    case DataField::kUint64:
      return "uint64_data";
    case DataField::kNone:
      break;
  }
  return "data";
}

uint64_t typed_count(const onnx::TensorProto& tensor, DataField field) {
  const auto count = [](const auto& entries) { return static_cast<uint64_t>(entries.size()); };
  switch (field) {
    case DataField::kFloat:
      return count(tensor.float_data());
    case DataField::kInt32:
      return count(tensor.int32_data());
    case DataField::kString:
      return count(tensor.string_data());
    case DataField::kInt64:
      return count(tensor.int64_data());
    case DataField::kDouble:
      return count(tensor.double_data());
    case DataField::kUint64:
      return count(tensor.uint64_data());
    case DataField::kRaw:
    case DataField::kNone:
      break;
  }
  return 0;
}

// The sizes that `entries` values can have in the packed form. Numbers of variable length are not
// counted one by one: that would read the weights.
bool packed_size_fits(DataField field, uint64_t entries, uint64_t size) {
  const uint64_t shortest = field == DataField::kFloat ? 4 : field == DataField::kDouble ? 8 : 1;
  const uint64_t longest = shortest == 1 ? kMaxVarintSize : shortest;
  return size / shortest >= entries && (size + longest - 1) / longest <= entries &&
         (shortest == 1 || size % shortest == 0);
}

Finding data_finding(const ModelData& data, const TensorSource& source, std::string message) {
  return make_finding(Code::kTensorData, data.place_of_tensor(source), std::move(message),
                      "the file is damaged, or its writer is at fault");
}

std::optional<Finding> amount_fault(const ModelData& data, const TensorSource& source,
                                    const Tensor& tensor, uint64_t needed, uint64_t found,
                                    std::string_view unit) {
  if (needed == found) return std::nullopt;
  return data_finding(
      data, source,
      fmt::format("a {} tensor of dims {} needs {} {}, but has {}", elem_type_name(tensor.elem),
                  dims_text(tensor.dims), needed, unit, found));
}

std::optional<Finding> inner_fault(const ModelData& data, const TensorSource& source,
                                   const Tensor& tensor, int64_t count) {
  const DataLocation location = locate_data(data, source);
  if (location.form == DataLocation::Form::kUnclear) return std::nullopt;
  if (location.form == DataLocation::Form::kRaw) {
    const auto needed = raw_size(tensor.elem, count);
    if (needed) {
      return amount_fault(data, source, tensor, *needed, location.bytes.size(),
                          "bytes of raw_data");
    }
    return data_finding(data, source, "strings cannot be in raw_data");
  }
  const DataField field = typed_field(tensor.elem);
  const uint64_t needed = typed_size(tensor.elem, count);
  const std::string unit = fmt::format("entries of {}", field_name(field));
  if (location.form == DataLocation::Form::kTyped) {
    return amount_fault(data, source, tensor, needed, typed_count(*source.dense, field), unit);
  }
  if (packed_size_fits(field, needed, location.bytes.size())) return std::nullopt;
  return data_finding(
      data, source,
      fmt::format("a {} tensor of dims {} cannot have the {} bytes of {} that it has",
                  elem_type_name(tensor.elem), dims_text(tensor.dims), location.bytes.size(),
                  field_name(field)));
}

std::optional<Finding> external_fault(const ModelData& data, const TensorSource& source,
                                      const Tensor& tensor, int64_t count) {
  const auto needed = raw_size(tensor.elem, count);
  if (!needed) return data_finding(data, source, "strings cannot be in external data");
  const auto range = external_range(*source.dense, *needed);
  if (!range) return external_finding(data, source, range.reason());
  const auto checked = data.external.check_range(range->location, range->offset, range->length);
  // A model from standard input has no folder in which the file could be missing.
  if (!checked &&
      (data.external.available() || checked.reason().code != Code::kExternalDataMissing)) {
    return external_finding(data, source, checked.reason());
  }
  return amount_fault(data, source, tensor, *needed, range->length, "bytes of external data");
}

}  // namespace

DataField typed_field(ElemType elem) {
  using E = ElemType;
  if (elem == E::kFloat || elem == E::kComplex64) return DataField::kFloat;
  if (elem == E::kDouble || elem == E::kComplex128) return DataField::kDouble;
  if (elem == E::kUint32 || elem == E::kUint64) return DataField::kUint64;
  if (elem == E::kInt64) return DataField::kInt64;
  if (elem == E::kString) return DataField::kString;
  return elem == E::kUndefined ? DataField::kNone : DataField::kInt32;
}

std::optional<uint64_t> raw_size(ElemType elem, int64_t count) {
  const uint32_t bits = element_bits(elem);
  if (bits == 0) return std::nullopt;
  // Whole bytes first: the product in bits could overflow where the one in bytes does not.
  const auto groups = checked_mul(count / 8, bits);
  const auto size = groups ? checked_add(*groups, (count % 8 * bits + 7) / 8) : std::nullopt;
  return size ? std::optional(static_cast<uint64_t>(*size)) : std::nullopt;
}

uint64_t typed_size(ElemType elem, int64_t count) {
  const auto entries = static_cast<uint64_t>(count);
  switch (element_bits(elem)) {
    case 4:
      return entries / 2 + entries % 2;
    case 2:
      return entries / 4 + (entries % 4 + 3) / 4;
    default:
      break;
  }
  const bool pairs = elem == ElemType::kComplex64 || elem == ElemType::kComplex128;
  return pairs ? entries * 2 : entries;  // count <= INT64_MAX
}

DataLocation locate_data(const ModelData& data, const onnx::TensorProto& tensor) {
  using Form = DataLocation::Form;
  const auto bytes_of = [](const std::string& text) {
    return std::span(reinterpret_cast<const uint8_t*>(text.data()), text.size());
  };
  const std::string& unknown = tensor.unknown_fields();
  const std::vector<uint64_t> markers = unknown.empty()
                                            ? std::vector<uint64_t>{}
                                            : unknown_varints(unknown, WireIndex::kPayloadMarker);
  if (markers.empty()) {
    if (tensor.has_raw_data()) return {.form = Form::kRaw, .bytes = bytes_of(tensor.raw_data())};
    return {};
  }
  if (markers.size() > 1 || markers[0] >= data.wire.payloads.size() || tensor.has_raw_data()) {
    return {.form = Form::kUnclear, .bytes = {}};
  }
  const Payload& payload = data.wire.payloads[markers[0]];
  const auto bytes = data.file.bytes().subspan(payload.content.offset, payload.content.size);
  const auto field = static_cast<DataField>(payload.field_number);
  if (field == DataField::kRaw) return {.form = Form::kRaw, .bytes = bytes};
  const bool packed = field != DataField::kString && typed_count(tensor, field) == 0 &&
                      field == typed_field(elem_type(tensor.data_type()));
  return {.form = packed ? Form::kPacked : Form::kUnclear, .bytes = bytes};
}

DataLocation locate_data(const ModelData& data, const TensorSource& source) {
  if (source.is_plain()) return {.form = DataLocation::Form::kRaw, .bytes = source.raw};
  return locate_data(data, *source.dense);
}

std::optional<Finding> tensor_fault(const ModelData& data, TensorId id) {
  const Tensor& tensor = data.tensors[id];
  const TensorSource& source = data.tensor_sources[id];
  if (tensor.elem == ElemType::kUndefined) {
    return make_finding(Code::kMalformedType, data.place_of_tensor(source),
                        fmt::format("the tensor's data_type is {}, which is no element type",
                                    data.tensor_proto(id).data_type()),
                        "the file is damaged, or newer than this program");
  }
  const std::optional<int64_t> count = tensor.element_count();
  if (!count) {
    return data_finding(
        data, source,
        fmt::format("the element count of dims {} does not fit 64 bits", dims_text(tensor.dims)));
  }
  return tensor.external ? external_fault(data, source, tensor, *count)
                         : inner_fault(data, source, tensor, *count);
}

std::optional<Finding> sparse_fault(const ModelData& data, std::span<const int64_t> dims,
                                    TensorId values, TensorId indices) {
  const Tensor& elements = data.tensors[values];
  const Tensor& positions = data.tensors[indices];
  const TensorSource& source = data.tensor_sources[values];
  if (elements.dims.size() != 1) {
    return data_finding(data, source,
                        fmt::format("the values of a sparse tensor have dims {}; they must be a "
                                    "list",
                                    dims_text(elements.dims)));
  }
  const auto rank = static_cast<int64_t>(dims.size());
  const bool linear = positions.dims == elements.dims;
  const bool tuples = positions.dims == std::vector<int64_t>{elements.dims[0], rank};
  // Without values there need be no indices.
  if (elements.dims[0] == 0 && positions.element_count() == 0) return std::nullopt;
  if (positions.elem == ElemType::kInt64 && (linear || tuples)) return std::nullopt;
  return data_finding(
      data, source,
      fmt::format("the indices of a sparse tensor of rank {} with {} values must be int64 of dims "
                  "[{}] or [{}, {}], but are {} of dims {}",
                  rank, elements.dims[0], elements.dims[0], elements.dims[0], rank,
                  elem_type_name(positions.elem), dims_text(positions.dims)));
}

Finding external_finding(const ModelData& data, const TensorSource& source,
                         const ExternalFault& fault) {
  Place place = data.place_of_tensor(source);
  if (fault.code == Code::kExternalDataMissing) {
    place = {};
    place.file = data.file.path();
  }
  return make_finding(fault.code, std::move(place), printable(fault.message), fault.help);
}

ExternalResult<ExternalRange> external_range(const onnx::TensorProto& tensor, uint64_t needed) {
  auto reference = external_reference(tensor);
  if (!reference) return Failure{reference.reason()};
  return ExternalRange{.location = std::move(reference->location),
                       .offset = reference->offset,
                       .length = reference->length.value_or(needed)};
}

}  // namespace onnx_shapes
