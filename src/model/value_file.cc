// Walks the messages of a value. Small tensors are loaded as the initializers of a model, which
// knows all forms of data; of large ones only the amount is looked at.
#include "model/value_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/markers.h"
#include "model/raw_data.h"
#include "model/tensor_data.h"
#include "wire/onnx_fields.h"
#include "wire/varint.h"

namespace onnx_shapes {
namespace {

using Kind = DeclaredType::Kind;

constexpr size_t kMaxNesting = 32;           // sequences in sequences
constexpr size_t kMaxValues = 100'000;       // of one file
constexpr size_t kMaxContents = 64 * 1024;   // bytes of one tensor whose contents are read
constexpr size_t kMaxAllContents = 4 << 20;  // of all together
constexpr uint64_t kExternal = 1;            // TensorProto.DataLocation

bool is_length(const WireField& field) {
  return field.type == static_cast<uint8_t>(WireType::kLength);
}

void append_message(std::string& out, uint32_t number, std::string_view content) {
  append_tag(out, number, WireType::kLength);
  append_varint(out, content.size());
  out += content;
}

class ValueReader {
 public:
  ValueReader(const MappedFile& file, const ValueLimits& limits) : file_(file), limits_(limits) {}

  Expected<StoredValue> read(Kind kind);

 private:
  /// What a TensorProto says before its data is looked at.
  struct Tensor {
    StoredValue value;
    uint64_t data_size = 0;            // bytes of all fields that hold elements
    std::optional<uint64_t> raw_size;  // of raw_data
    bool external = false;
  };

  [[nodiscard]] Failure<Finding> failure(std::string_view what, std::string_view name = {}) const;
  Expected<StoredValue> value(Kind kind, std::string_view bytes, size_t nesting);
  Expected<StoredValue> tensor(std::string_view bytes);
  Expected<StoredValue> sparse_tensor(std::string_view bytes);
  Expected<StoredValue> container(Kind kind, std::string_view bytes, size_t nesting);
  [[nodiscard]] bool read_dims(const WireField& field, std::vector<int64_t>& dims) const;
  [[nodiscard]] std::optional<Tensor> header(std::string_view bytes) const;
  [[nodiscard]] bool wants_contents(const Tensor& tensor, int64_t count) const;
  void keep(std::string_view bytes);
  std::optional<Finding> load_contents(StoredValue& value);
  void fill(StoredValue& value, const Model& model, Findings& findings);

  const MappedFile& file_;
  const ValueLimits& limits_;
  std::string initializers_;  // of the GraphProto that is loaded
  size_t kept_ = 0;           // tensors in it
  size_t values_ = 0;
  std::vector<bool> loaded_;  // by tensor in order: whether it is in the graph
  size_t next_tensor_ = 0;
};

Failure<Finding> ValueReader::failure(std::string_view what, std::string_view name) const {
  Place place;
  place.file = file_.path();
  place.value = name;
  return Failure{make_finding(Code::kArrayForm, std::move(place),
                              fmt::format("the value cannot be read: {}", what))};
}

bool ValueReader::read_dims(const WireField& field, std::vector<int64_t>& dims) const {
  if (!is_length(field)) {
    dims.push_back(static_cast<int64_t>(field.varint));
  } else {
    const auto* at = reinterpret_cast<const uint8_t*>(field.content.data());
    const uint8_t* const end = at + field.content.size();
    uint64_t dim = 0;
    while (at != end) {
      if (!read_varint(at, end, dim)) return false;
      dims.push_back(static_cast<int64_t>(dim));
      if (dims.size() > LoadOptions().max_rank) return false;
    }
  }
  return dims.size() <= LoadOptions().max_rank &&
         std::all_of(dims.begin(), dims.end(), [](int64_t dim) { return dim >= 0; });
}

std::optional<ValueReader::Tensor> ValueReader::header(std::string_view bytes) const {
  Tensor tensor;
  while (!bytes.empty()) {
    const std::optional<WireField> field = take_field(bytes);
    if (!field) return std::nullopt;
    if (is_payload_field(field->number)) {
      tensor.data_size += field->whole.size();
      if (field->number == kRawData) tensor.raw_size = field->content.size();
    } else if (field->number == 1) {
      if (!read_dims(*field, tensor.value.dims)) return std::nullopt;
    } else if (field->number == 2) {
      tensor.value.elem = elem_type(static_cast<int64_t>(field->varint));
    } else if (field->number == 8) {
      tensor.value.name = field->content;
    } else if (field->number == 14) {
      tensor.external = field->varint == kExternal;
    }
  }
  return tensor;
}

bool ValueReader::wants_contents(const Tensor& tensor, int64_t count) const {
  if (limits_.whole) return true;
  const ElemType elem = tensor.value.elem;
  const bool whole = is_integer(elem) || elem == ElemType::kBool || elem == ElemType::kString;
  return static_cast<uint64_t>(count) <= (whole ? limits_.integers : limits_.numbers) &&
         tensor.data_size <= kMaxContents &&
         initializers_.size() + tensor.data_size <= kMaxAllContents;
}

/// The tensor, under a name of its own.
void ValueReader::keep(std::string_view bytes) {
  std::string tensor;
  while (const std::optional<WireField> field = take_field(bytes)) {
    if (field->number != 8) tensor += field->whole;
  }
  append_message(tensor, 8, std::to_string(kept_++));
  append_message(initializers_, 5, tensor);
}

Expected<StoredValue> ValueReader::tensor(std::string_view bytes) {
  std::optional<Tensor> tensor = header(bytes);
  if (!tensor) return failure("it is no TensorProto with dims of 0 or more");
  const StoredValue& value = tensor->value;
  if (value.elem == ElemType::kUndefined) return failure("it has no element type", value.name);
  if (tensor->external) return failure("its data is in another file", value.name);
  onnx_shapes::Tensor dims;
  dims.dims = value.dims;
  const std::optional<int64_t> count = dims.element_count();
  if (!count) return failure("its element count does not fit 64 bits", value.name);
  loaded_.push_back(wants_contents(*tensor, *count));
  if (loaded_.back()) {
    keep(bytes);
  } else if (tensor->raw_size && tensor->raw_size != raw_size(value.elem, *count)) {
    return failure(fmt::format("it has {} bytes of data, not as many as its dims and type say",
                               *tensor->raw_size),
                   value.name);
  } else if (!tensor->raw_size && tensor->data_size == 0 && *count > 0) {
    return failure("it has dims but no data", value.name);
  }
  return std::move(tensor->value);
}

Expected<StoredValue> ValueReader::sparse_tensor(std::string_view bytes) {
  StoredValue result;
  result.kind = Kind::kSparseTensor;
  while (!bytes.empty()) {
    const std::optional<WireField> field = take_field(bytes);
    if (!field) return failure("it is no SparseTensorProto");
    if (field->number == 1) {
      const std::optional<Tensor> values = header(field->content);
      if (!values) return failure("the values of the sparse tensor are no TensorProto");
      result.elem = values->value.elem;
      result.name = values->value.name;
    } else if (field->number == 3 && !read_dims(*field, result.dims)) {
      return failure("the dims of the sparse tensor are not 0 or more");
    }
  }
  return result;
}

/// SequenceProto and OptionalProto have the same field numbers.
Expected<StoredValue> ValueReader::container(Kind kind, std::string_view bytes, size_t nesting) {
  const std::string_view message = kind == Kind::kSequence ? "SequenceProto" : "OptionalProto";
  if (nesting > kMaxNesting) return failure("it is nested too deeply");
  StoredValue result;
  result.kind = kind;
  while (!bytes.empty()) {
    const std::optional<WireField> field = take_field(bytes);
    if (!field) return failure(fmt::format("it is no {}", message));
    if (field->number == 1) result.name = field->content;
    if (field->number < 3 || field->number > 7) continue;
    if (!is_length(*field)) return failure(fmt::format("it is no {}", message));
    if (field->number == 6) return failure("it holds a map", result.name);
    constexpr Kind kKinds[] = {Kind::kTensor, Kind::kSparseTensor, Kind::kSequence, Kind::kMap,
                               Kind::kOptional};
    Expected<StoredValue> element = value(kKinds[field->number - 3], field->content, nesting + 1);
    if (!element) return element;
    result.elements.push_back(std::move(*element));
  }
  if (kind == Kind::kOptional && result.elements.size() > 1) {
    return failure("an optional holds more than one value", result.name);
  }
  return result;
}

Expected<StoredValue> ValueReader::value(Kind kind, std::string_view bytes, size_t nesting) {
  if (++values_ > kMaxValues) return failure("it has too many elements");
  switch (kind) {
    case Kind::kSparseTensor:
      return sparse_tensor(bytes);
    case Kind::kSequence:
    case Kind::kOptional:
      return container(kind, bytes, nesting);
    case Kind::kMap:
      return failure("it is a map");
    case Kind::kNone:
    case Kind::kOpaque:
    case Kind::kTensor:
      break;
  }
  return tensor(bytes);
}

void ValueReader::fill(StoredValue& value, const Model& model, Findings& findings) {
  for (StoredValue& element : value.elements) fill(element, model, findings);
  if (value.kind != Kind::kTensor || !loaded_[next_tensor_++]) return;
  const ValueId id = model.scope(model.main_graph()).initializers[kept_++];
  const TensorId tensor = model.value(id).initializer;
  if (value.elem == ElemType::kString) {
    value.strings =
        model.string_elements(tensor, limits_.whole ? SIZE_MAX : limits_.integers, findings);
  } else if (limits_.whole) {
    const auto raw = raw_elements(model.data(), model.data().tensor_proto(tensor));
    if (raw) {
      value.bytes.assign(raw->begin(), raw->end());
    } else {
      findings.add(failure(raw.reason(), value.name).reason);
    }
  } else if (is_integer(value.elem) || value.elem == ElemType::kBool) {
    value.integers = model.int_elements(tensor, limits_.integers, findings);
  } else {
    value.numbers = model.float_elements(tensor, limits_.numbers, findings);
  }
}

std::optional<Finding> ValueReader::load_contents(StoredValue& value) {
  if (kept_ == 0) return std::nullopt;
  std::string bytes;
  append_message(bytes, 7, initializers_);
  Findings findings;
  const Expected<Model> model =
      Model::load(MappedFile::borrow({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()},
                                     file_.path()),
                  {}, findings);
  if (!model) return failure(model.reason().message).reason;
  if (model->scope(model->main_graph()).initializers.size() == kept_) {
    kept_ = 0;
    fill(value, *model, findings);
  }
  for (const Finding& finding : findings.all()) {
    if (finding.severity == Severity::kError) return failure(finding.message, value.name).reason;
  }
  return std::nullopt;
}

Expected<StoredValue> ValueReader::read(Kind kind) {
  const std::span<const uint8_t> bytes = file_.bytes();
  Expected<StoredValue> result =
      value(kind, {reinterpret_cast<const char*>(bytes.data()), bytes.size()}, 0);
  if (!result) return result;
  if (std::optional<Finding> fault = load_contents(*result)) return Failure{std::move(*fault)};
  return result;
}

}  // namespace

Expected<StoredValue> read_value(const MappedFile& file, DeclaredType::Kind kind,
                                 const ValueLimits& limits) {
  return ValueReader(file, limits).read(kind);
}

}  // namespace onnx_shapes
