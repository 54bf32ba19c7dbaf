// Reads the elements of small tensors, wherever and in whatever form they are.
#include "model/elements.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>

#include "model/tensor_data.h"
#include "model/value_file.h"
#include "support/int_math.h"
#include "wire/field_reader.h"

namespace onnx_shapes {
namespace {

static_assert(std::endian::native == std::endian::little, "raw_data is read as it is");

// An element as the 64 bits that its field holds, whatever the field: integers sign-extended,
// floats as their bit patterns.
using Cells = std::vector<uint64_t>;

// The `count` elements of raw data, `bits` bits each, the first in the lowest bits of a byte.
Cells raw_cells(std::span<const uint8_t> bytes, uint32_t bits, size_t count) {
  Cells cells(count);
  for (size_t i = 0; i < count; ++i) {
    if (bits >= 8) {
      std::memcpy(&cells[i], bytes.data() + i * (bits / 8), bits / 8);
    } else {
      const size_t per_byte = 8 / bits;
      const uint32_t byte = bytes[i / per_byte];
      cells[i] = (byte >> (i % per_byte * bits)) & ((1U << bits) - 1);
    }
  }
  return cells;
}

// Elements below a byte share an entry of int32_data, as they share a byte of raw_data.
Cells unpacked(const Cells& entries, uint32_t bits, size_t count) {
  std::vector<uint8_t> bytes(entries.begin(), entries.end());
  return raw_cells(bytes, bits, count);
}

Cells typed_cells(const onnx::TensorProto& tensor, DataField field) {
  Cells cells;
  const auto append = [&cells](const auto& entries, auto bits_of) {
    cells.reserve(static_cast<size_t>(entries.size()));
    for (const auto entry : entries) cells.push_back(bits_of(entry));
  };
  switch (field) {
    case DataField::kInt32:
      append(tensor.int32_data(), [](int32_t v) { return static_cast<uint64_t>(int64_t{v}); });
      break;
    case DataField::kInt64:
      append(tensor.int64_data(), [](int64_t v) { return static_cast<uint64_t>(v); });
      break;
    case DataField::kUint64:
      append(tensor.uint64_data(), [](uint64_t v) { return v; });
      break;
    case DataField::kFloat:
      append(tensor.float_data(), [](float v) { return uint64_t{std::bit_cast<uint32_t>(v)}; });
      break;
    case DataField::kDouble:
      append(tensor.double_data(), [](double v) { return std::bit_cast<uint64_t>(v); });
      break;
    case DataField::kString:
    case DataField::kRaw:
    case DataField::kNone:
      break;
  }
  return cells;
}

// The packed form of a typed field: floats as they are, integers as numbers of variable length.
std::optional<Cells> packed_cells(std::span<const uint8_t> bytes, DataField field, size_t entries) {
  if (field == DataField::kFloat) return raw_cells(bytes, 32, entries);
  if (field == DataField::kDouble) return raw_cells(bytes, 64, entries);
  Cells cells(entries);
  PackedReader reader(bytes);
  for (uint64_t& cell : cells) {
    if (!reader.next(cell)) return std::nullopt;
  }
  if (!reader.ended()) return std::nullopt;
  return cells;
}

class TensorReader {
 public:
  TensorReader(const ModelData& data, size_t max_count, Findings& findings)
      : data_(data), max_count_(max_count), findings_(findings) {}

  /// The elements of a tensor of numbers; nothing if they cannot be read.
  std::optional<Cells> read(TensorId id) {
    const Tensor& tensor = data_.tensors[id];
    const std::optional<int64_t> count = tensor.element_count();
    if (!count || static_cast<uint64_t>(*count) > max_count_) return std::nullopt;
    const TensorSource& source = data_.tensor_sources[id];
    if (source.is_sparse()) return read_sparse(id, static_cast<size_t>(*count));
    if (std::optional<Finding> fault = tensor_fault(data_, id)) {
      findings_.add(std::move(*fault));
      return std::nullopt;
    }
    const auto size = static_cast<size_t>(*count);
    if (size == 0) return Cells{};
    return tensor.external ? read_external(source, tensor, size) : read_inner(source, tensor, size);
  }

 private:
  std::optional<Cells> read_external(const TensorSource& source, const Tensor& tensor,
                                     size_t count) {
    const uint64_t needed = raw_size(tensor.elem, static_cast<int64_t>(count)).value_or(0);
    const auto range = external_range(*source.dense, needed);
    if (!range) return std::nullopt;
    const auto bytes = data_.external.read(range->location, range->offset, range->length);
    if (!bytes) {
      findings_.add(external_finding(data_, source, bytes.reason()));
      return std::nullopt;
    }
    return raw_cells(*bytes, element_bits(tensor.elem), count);
  }

  std::optional<Cells> read_inner(const TensorSource& source, const Tensor& tensor, size_t count) {
    const uint32_t bits = element_bits(tensor.elem);
    const DataField field = typed_field(tensor.elem);
    const DataLocation location = locate_data(data_, source);
    switch (location.form) {
      case DataLocation::Form::kUnclear:
        return std::nullopt;
      case DataLocation::Form::kRaw:
        return raw_cells(location.bytes, bits, count);
      case DataLocation::Form::kTyped: {
        const Cells entries = typed_cells(*source.dense, field);
        return bits < 8 ? unpacked(entries, bits, count) : entries;
      }
      case DataLocation::Form::kPacked:
        break;
    }
    const auto entries = static_cast<size_t>(typed_size(tensor.elem, static_cast<int64_t>(count)));
    std::optional<Cells> cells = packed_cells(location.bytes, field, entries);
    if (!cells) {
      findings_.add(make_finding(
          Code::kTensorData, data_.place_of_tensor(source),
          fmt::format("the packed data does not have the {} entries that the dims ask for",
                      entries),
          "the file is damaged, or its writer is at fault"));
      return std::nullopt;
    }
    return bits < 8 ? unpacked(*cells, bits, count) : cells;
  }

  // The dense form of a sparse initializer: zero where no value is given.
  std::optional<Cells> read_sparse(TensorId id, size_t count) {
    const TensorSource source = data_.tensor_sources[id];
    if (source.values == kNoId || source.indices == kNoId) return std::nullopt;
    const Tensor& tensor = data_.tensors[id];
    if (std::optional<Finding> fault =
            sparse_fault(data_, tensor.dims, source.values, source.indices)) {
      findings_.add(std::move(*fault));
      return std::nullopt;
    }
    const std::optional<Cells> values = read(source.values);
    if (!values) return std::nullopt;
    // Tuples of indices are longer than the tensor has elements.
    const size_t rank = tensor.dims.size();
    TensorReader index_reader(
        data_, std::max<size_t>(values->size() * std::max<size_t>(rank, 1), 1), findings_);
    const std::optional<Cells> indices = index_reader.read(source.indices);
    if (!indices) return std::nullopt;
    Cells dense(count);
    const bool tuples = data_.tensors[source.indices].dims.size() == 2;
    for (size_t i = 0; i < values->size(); ++i) {
      const std::optional<size_t> position =
          tuples ? linear_index(std::span(*indices).subspan(i * rank, rank), tensor.dims)
                 : std::optional<size_t>((*indices)[i]);
      if (!position || *position >= count) {
        findings_.add(make_finding(Code::kTensorData, data_.place_of_tensor(source),
                                   fmt::format("index {} of the sparse tensor is outside of its "
                                               "dims",
                                               i),
                                   "the file is damaged, or its writer is at fault"));
        return std::nullopt;
      }
      dense[*position] = (*values)[i];
    }
    return dense;
  }

  // Row-major. Nothing for an index outside of its dim; then the product of dims bounds the result.
  static std::optional<size_t> linear_index(std::span<const uint64_t> tuple,
                                            std::span<const int64_t> dims) {
    size_t position = 0;
    for (size_t axis = 0; axis < dims.size(); ++axis) {
      const auto dim = static_cast<uint64_t>(dims[axis]);
      if (tuple[axis] >= dim) return std::nullopt;
      position = position * dim + tuple[axis];
    }
    return position;
  }

  const ModelData& data_;
  size_t max_count_;
  Findings& findings_;
};

bool is_float(ElemType elem) {
  return elem == ElemType::kFloat || elem == ElemType::kDouble || elem == ElemType::kFloat16 ||
         elem == ElemType::kBfloat16;
}

// The number that the low bits of a cell stand for.
std::optional<int64_t> integer(uint64_t cell, ElemType elem) {
  if (elem == ElemType::kBool) return cell != 0 ? 1 : 0;
  if (elem == ElemType::kUint64) {
    if (cell > static_cast<uint64_t>(INT64_MAX)) return std::nullopt;
    return static_cast<int64_t>(cell);
  }
  const bool is_signed = elem == ElemType::kInt2 || elem == ElemType::kInt4 ||
                         elem == ElemType::kInt8 || elem == ElemType::kInt16 ||
                         elem == ElemType::kInt32 || elem == ElemType::kInt64;
  const uint32_t unused = 64 - element_bits(elem);
  if (is_signed) return static_cast<int64_t>(cell << unused) >> unused;
  return static_cast<int64_t>((cell << unused) >> unused);
}

double half(uint64_t cell) {
  const auto exponent = static_cast<int>(cell >> 10U & 0x1fU);
  const auto fraction = static_cast<double>(cell & 0x3ffU);
  const double sign = (cell & 0x8000U) != 0 ? -1.0 : 1.0;
  if (exponent == 31) {
    return fraction == 0 ? sign * std::numeric_limits<double>::infinity()
                         : std::numeric_limits<double>::quiet_NaN();
  }
  return exponent == 0 ? sign * std::ldexp(fraction, -24)
                       : sign * std::ldexp(fraction + 1024, exponent - 25);
}

double floating(uint64_t cell, ElemType elem) {
  if (elem == ElemType::kFloat16) return half(cell);
  if (elem == ElemType::kDouble) return std::bit_cast<double>(cell);
  // bfloat16 is the upper half of a float.
  const uint32_t shift = elem == ElemType::kBfloat16 ? 16 : 0;
  return double{std::bit_cast<float>(static_cast<uint32_t>(cell) << shift)};
}

std::optional<std::vector<int64_t>> integers_of(const Cells& cells, ElemType elem) {
  std::vector<int64_t> result;
  result.reserve(cells.size());
  for (const uint64_t cell : cells) {
    const std::optional<int64_t> number = integer(cell, elem);
    if (!number) return std::nullopt;
    result.push_back(*number);
  }
  return result;
}

std::vector<double> floats_of(const Cells& cells, ElemType elem) {
  std::vector<double> result;
  result.reserve(cells.size());
  for (const uint64_t cell : cells) result.push_back(floating(cell, elem));
  return result;
}

// The elements of an int64 tensor of a plain node that are in raw_data: nearly all that shapes are
// computed with are. Nothing if there is not exactly as much of it as the dims ask for.
std::optional<std::vector<int64_t>> plain_ints(const Tensor& tensor, const TensorSource& source,
                                               size_t max_count) {
  if (!source.is_plain() || tensor.elem != ElemType::kInt64) return std::nullopt;
  const size_t count = source.raw.size() / sizeof(int64_t);
  if (count > max_count || source.raw.size() % sizeof(int64_t) != 0 ||
      tensor.element_count() != static_cast<int64_t>(count)) {
    return std::nullopt;
  }
  std::vector<int64_t> result(count);
  std::copy_n(source.raw.begin(), source.raw.size(), reinterpret_cast<uint8_t*>(result.data()));
  return result;
}

}  // namespace

std::optional<std::vector<int64_t>> read_ints(const ModelData& data, TensorId id, size_t max_count,
                                              Findings& findings) {
  const ElemType elem = data.tensors[id].elem;
  if (!is_integer(elem) && elem != ElemType::kBool) return std::nullopt;
  if (auto numbers = plain_ints(data.tensors[id], data.tensor_sources[id], max_count)) {
    return numbers;
  }
  const std::optional<Cells> cells = TensorReader(data, max_count, findings).read(id);
  if (!cells) return std::nullopt;
  return integers_of(*cells, elem);
}

std::optional<std::vector<double>> read_floats(const ModelData& data, TensorId id, size_t max_count,
                                               Findings& findings) {
  const ElemType elem = data.tensors[id].elem;
  if (!is_float(elem)) return std::nullopt;
  const std::optional<Cells> cells = TensorReader(data, max_count, findings).read(id);
  if (!cells) return std::nullopt;
  return floats_of(*cells, elem);
}

std::optional<std::vector<std::string>> read_strings(const ModelData& data, TensorId id,
                                                     size_t max_count, Findings& findings) {
  const Tensor& tensor = data.tensors[id];
  const TensorSource& source = data.tensor_sources[id];
  const std::optional<int64_t> count = tensor.element_count();
  if (tensor.elem != ElemType::kString || source.is_sparse() || !count ||
      static_cast<uint64_t>(*count) > max_count) {
    return std::nullopt;
  }
  if (std::optional<Finding> fault = tensor_fault(data, id)) {
    findings.add(std::move(*fault));
    return std::nullopt;
  }
  if (locate_data(data, source).form != DataLocation::Form::kTyped) return std::nullopt;
  const auto& strings = source.dense->string_data();
  return std::vector<std::string>(strings.begin(), strings.end());
}

void set_contents(StoredValue& value, std::span<const uint8_t> raw) {
  const uint32_t bits = element_bits(value.elem);
  const bool whole = is_integer(value.elem) || value.elem == ElemType::kBool;
  if (bits < 8 || (!whole && !is_float(value.elem))) return;
  const Cells cells = raw_cells(raw, bits, raw.size() / (bits / 8));
  if (whole) {
    value.integers = integers_of(cells, value.elem);
  } else {
    value.numbers = floats_of(cells, value.elem);
  }
}

}  // namespace onnx_shapes
