// Prints a node as one line of ONNX text, for messages. Its length is bounded whatever the node.
#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include <cstring>

#include "diag/printable.h"
#include "model/state.h"

namespace onnx_shapes {
namespace {

constexpr size_t kMaxText = 240;
constexpr size_t kMaxPart = 64;
constexpr int kMaxElements = 8;

class NodeWriter {
 public:
  std::string write(const onnx::NodeProto& node) {
    list(node.output(), [this](const std::string& name) { identifier(name); });
    text_ += " = ";
    if (!canonical_domain(node.domain()).empty()) {
      identifier(node.domain());
      text_ += '.';
    }
    identifier(node.op_type());
    if (!node.overload().empty()) {
      text_ += ':';
      identifier(node.overload());
    }
    if (node.attribute_size() > 0) {
      text_ += " <";
      list(node.attribute(),
           [this](const onnx::AttributeProto& attribute) { write_attribute(attribute); });
      text_ += '>';
    }
    text_ += " (";
    list(node.input(), [this](const std::string& name) { identifier(name); });
    text_ += ')';
    return printable(shortened(text_, kMaxText + kMaxPart));
  }

 private:
  [[nodiscard]] bool full() const { return text_.size() > kMaxText; }

  void list(const auto& elements, const auto& write_element) {
    bool first = true;
    for (const auto& element : elements) {
      if (!first) text_ += ", ";
      if (full()) {
        text_ += "...";
        return;
      }
      write_element(element);
      first = false;
    }
  }

  // Names such as `/encoder/Add_output_0` are written without the quotes that the format asks for:
  // they read better. A left out input or output is an empty pair of quotes, as in the format.
  void identifier(std::string_view name) {
    constexpr std::string_view kSyntax = " \t\r\n,()<>{}=\"";
    if (name.empty() || name.find_first_of(kSyntax) != std::string_view::npos) {
      quoted(name);
    } else {
      text_ += shortened(name, kMaxPart);
    }
  }

  void quoted(std::string_view text) {
    text_ += '"';
    for (const char c : shortened(text, kMaxPart)) {
      if (c == '"' || c == '\\') text_ += '\\';
      text_ += c;
    }
    text_ += '"';
  }

  void write_attribute(const onnx::AttributeProto& attribute) {
    identifier(attribute.name());
    text_ += " = ";
    if (!attribute.ref_attr_name().empty()) {
      text_ += '@';
      identifier(attribute.ref_attr_name());
    } else if (attribute.has_i()) {
      number(attribute.i());
    } else if (attribute.has_f()) {
      number(attribute.f());
    } else if (attribute.has_s()) {
      quoted(attribute.s());
    } else if (attribute.has_t()) {
      tensor(attribute.t());
    } else if (attribute.has_g()) {
      identifier(attribute.g().name());
      text_ += " {...}";
    } else {
      write_list_attribute(attribute);
    }
  }

  void write_list_attribute(const onnx::AttributeProto& attribute) {
    text_ += '[';
    list(attribute.ints(), [this](int64_t value) { number(value); });
    list(attribute.floats(), [this](float value) { number(value); });
    list(attribute.strings(), [this](const std::string& value) { quoted(value); });
    list(attribute.tensors(), [this](const onnx::TensorProto& value) { tensor(value); });
    list(attribute.graphs(), [this](const onnx::GraphProto& graph) {
      identifier(graph.name());
      text_ += " {...}";
    });
    text_ += ']';
  }

  void number(auto value) { text_ += fmt::format("{}", value); }

  void tensor(const onnx::TensorProto& tensor) {
    text_ += elem_type_name(elem_type(tensor.data_type()));
    if (tensor.dims_size() > 0) {
      text_ += '[';
      list(tensor.dims(), [this](int64_t dim) { number(dim); });
      text_ += ']';
    }
    text_ += " {";
    if (!elements(tensor)) text_ += "...";
    text_ += '}';
  }

  // The elements of a short tensor of the types that shape computations use.
  bool elements(const onnx::TensorProto& tensor) {
    const ElemType elem = elem_type(tensor.data_type());
    if (elem == ElemType::kInt64) return typed<int64_t>(tensor, tensor.int64_data());
    if (elem == ElemType::kInt32) return typed<int32_t>(tensor, tensor.int32_data());
    if (elem == ElemType::kFloat) return typed<float>(tensor, tensor.float_data());
    return false;
  }

  template <class T>
  bool typed(const onnx::TensorProto& tensor, const auto& field) {
    const std::string& raw = tensor.raw_data();
    if (raw.empty()) {
      if (field.empty() || field.size() > kMaxElements) return false;
      list(field, [this](T value) { number(value); });
      return true;
    }
    if (raw.size() > kMaxElements * sizeof(T) || raw.size() % sizeof(T) != 0) return false;
    std::vector<T> values(raw.size() / sizeof(T));
    std::memcpy(values.data(), raw.data(), raw.size());
    list(values, [this](T value) { number(value); });
    return true;
  }

  std::string text_;
};

}  // namespace

std::string node_text(const onnx::NodeProto& node) { return NodeWriter().write(node); }

}  // namespace onnx_shapes
