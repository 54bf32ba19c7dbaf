// Declared types, and nodes printed as text.
#include "tests/model/faults.h"

namespace onnx_shapes::test {
namespace {

using Kind = DeclaredType::Kind;

/// The type of the first input.
DeclaredType type_of(const std::string& type,
                     const std::function<void(onnx::TypeProto&)>& change = {},
                     const std::vector<std::string>& faults = {}) {
  LoadedModel model = load_text(with_header("g (" + type + " x) => (float y) { y = Op (x) }"),
                                [&](onnx::ModelProto& proto) {
                                  if (!change) return;
                                  change(*proto.mutable_graph()->mutable_input(0)->mutable_type());
                                });
  CHECK(check_faults(model.findings, faults) == "");
  DeclaredType result = model->annotations()[0].type;
  // The texts belong to the model.
  for (DeclaredDim& dim : result.dims) dim.text = {};
  return result;
}

TEST_CASE("tensor types") {
  const DeclaredType shaped = type_of("float16[N, 3, ?, 0]");
  CHECK(shaped.kind == Kind::kTensor);
  CHECK(shaped.elem == ElemType::kFloat16);
  CHECK(shaped.has_shape);
  REQUIRE(shaped.dims.size() == 4);
  CHECK(shaped.dims[0].kind == DeclaredDim::Kind::kText);
  CHECK(shaped.dims[1].kind == DeclaredDim::Kind::kNumber);
  CHECK(shaped.dims[1].number == 3);
  CHECK(shaped.dims[2].kind == DeclaredDim::Kind::kUnnamed);
  CHECK(shaped.dims[3].number == 0);

  const DeclaredType scalar = type_of("float");
  CHECK(scalar.has_shape);
  CHECK(scalar.dims.empty());
  CHECK_FALSE(type_of("float[]").has_shape);
  CHECK(type_of("sparse_tensor(int64[4])").kind == Kind::kSparseTensor);
}

TEST_CASE("types of types") {
  const DeclaredType sequence = type_of("seq(optional(float[2]))");
  REQUIRE(sequence.kind == Kind::kSequence);
  REQUIRE(sequence.element->kind == Kind::kOptional);
  CHECK(sequence.element->element->dims.at(0).number == 2);
  const DeclaredType map = type_of("map(string, float[2])");
  CHECK(map.kind == Kind::kMap);
  CHECK(map.elem == ElemType::kString);
  CHECK(map.element->kind == Kind::kTensor);
}

TEST_CASE("types that are at fault") {
  const auto dim = [](int64_t value) {
    return [value](onnx::TypeProto& type) {
      type.mutable_tensor_type()->mutable_shape()->mutable_dim(1)->set_dim_value(value);
    };
  };
  const DeclaredType negative = type_of("float[2, 3]", dim(-1), {"SHP012 input x[axis 1] -1"});
  CHECK(negative.dims.at(1).kind == DeclaredDim::Kind::kUnnamed);
  CHECK(negative.dims.at(0).number == 2);
  CHECK(type_of("float[2, 3]", dim(INT64_MIN), {"SHP012 x"}).dims.size() == 2);

  const DeclaredType unknown = type_of(
      "float[2]", [](onnx::TypeProto& type) { type.mutable_tensor_type()->set_elem_type(77); },
      {"SHP013 input x 77"});
  CHECK(unknown.elem == ElemType::kUndefined);
  CHECK(unknown.dims.size() == 1);
  CHECK(type_of("seq(float[2])",
                [](onnx::TypeProto& type) { type.mutable_sequence_type()->clear_elem_type(); },
                {"SHP013 x sequence"})
            .element == nullptr);
}

TEST_CASE("an empty name of a dim is no name") {
  const DeclaredType type = type_of("float[N]", [](onnx::TypeProto& proto) {
    proto.mutable_tensor_type()->mutable_shape()->mutable_dim(0)->set_dim_param("");
  });
  CHECK(type.dims.at(0).kind == DeclaredDim::Kind::kUnnamed);
}

// What the onnx parser reads is what the text says.
TEST_CASE("a node as text") {
  const std::vector<std::string> nodes = {
      "y = Add (a, b)",
      "y, z = Split <axis = 1, num_outputs = 2> (a)",
      "y = LeakyRelu <alpha = 0.5> (a)",
      "y = Resize <mode = \"linear\", axes = [2, 3]> (a, \"\", b)",
      "y = com.microsoft.Gelu (a)",
      "y = Constant <value = int64[2] {-1, 3}> ()",
  };
  for (const std::string& node : nodes) {
    LoadedModel model =
        load_text(with_header("g (float a, float b) => (float y) { " + node + " }"));
    CHECK(model->place_of_node(0).node_text == node);
  }
}

TEST_CASE("a node's text is short and harmless") {
  LoadedModel model = load_text(
      with_header("g (bool c) => (float y) { y = If (c) <then_branch = t () => (float u) { }, "
                  "else_branch = e () => (float u) { }> }"),
      [](onnx::ModelProto& proto) {
        onnx::NodeProto& node = *proto.mutable_graph()->mutable_node(0);
        node.set_output(0, "a b\x1b[31m");
        onnx::AttributeProto& attribute = *node.add_attribute();
        attribute.set_name("big");
        attribute.set_s(std::string(100'000, 'x'));
      });
  const std::string text = model->place_of_node(0).node_text;
  CHECK(text.size() < 500);
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(text.starts_with("\"a b"));
  CHECK(text.find("then_branch = t {...}") != std::string::npos);
}

}  // namespace
}  // namespace onnx_shapes::test
