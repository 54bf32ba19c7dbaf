// A node that is read from its bytes is what it would be if protobuf's parser read it. A field that
// onnx.proto does not know makes a node one for the parser, and changes nothing else.
#include <vector>

#include "tests/model/faults.h"
#include "tests/wire/wire_tree.h"

namespace onnx_shapes::test {
namespace {

constexpr uint32_t kUnknownField = 100;
constexpr uint32_t kFloat = 2, kString = 4, kFloats = 7, kInts = 8, kStrings = 9, kReference = 21;
constexpr uint32_t kDomain = 7, kOverload = 8;

std::string model_of(const std::vector<std::vector<Tree>>& nodes, bool plain) {
  std::vector<Tree> fields = {text(graph::kName, "g")};
  for (std::vector<Tree> node : nodes) {
    if (!plain) node.push_back(integer(kUnknownField, 1));
    fields.push_back(message(graph::kNode, node));
  }
  fields.push_back(message(graph::kInput, {text(value_info::kName, "x")}));
  return encode({integer(model::kIrVersion, 10), message(model::kGraph, fields),
                 message(model::kOpsetImport, {integer(2, 21)})});
}

void check_same(Model& a, Model& b, const Attribute& left, const Attribute& right) {
  CAPTURE(left.name);
  CHECK(left.name == right.name);
  CHECK(left.kind == right.kind);
  CHECK(left.reference == right.reference);
  CHECK(left.int_value == right.int_value);
  CHECK(left.float_value == right.float_value);
  CHECK(left.string_value == right.string_value);
  CHECK(std::vector(left.ints.begin(), left.ints.end()) ==
        std::vector(right.ints.begin(), right.ints.end()));
  CHECK(std::vector(left.floats.begin(), left.floats.end()) ==
        std::vector(right.floats.begin(), right.floats.end()));
  CHECK(left.strings == right.strings);
  REQUIRE(left.tensor == right.tensor);
  if (left.tensor == kNoId) return;
  CHECK(a.tensor(left.tensor).name == b.tensor(right.tensor).name);
  CHECK(a.tensor(left.tensor).elem == b.tensor(right.tensor).elem);
  CHECK(a.tensor(left.tensor).dims == b.tensor(right.tensor).dims);
  Findings findings;
  CHECK(a.int_elements(left.tensor, 100, findings) == b.int_elements(right.tensor, 100, findings));
}

void check_same(Model& a, Model& b, NodeId id) {
  const Node& left = a.node(id);
  const Node& right = b.node(id);
  CHECK(left.op_type == right.op_type);
  CHECK(left.domain == right.domain);
  CHECK(left.overload == right.overload);
  CHECK(left.name == right.name);
  CHECK(ids(left.inputs) == ids(right.inputs));
  CHECK(ids(left.outputs) == ids(right.outputs));
  CHECK(a.place_of_node(id).node_text == b.place_of_node(id).node_text);
  REQUIRE(left.attributes.size() == right.attributes.size());
  for (size_t i = 0; i < left.attributes.size(); ++i) {
    check_same(a, b, left.attributes[i], right.attributes[i]);
  }
}

/// Loads the nodes in both ways, and compares.
void check_nodes(const std::vector<std::vector<Tree>>& nodes) {
  LoadedModel plain(model_of(nodes, true));
  LoadedModel parsed(model_of(nodes, false));
  for (const NodeBytes& node : plain->wire().main_nodes) CHECK_FALSE(node.in_skeleton);
  for (const NodeBytes& node : parsed->wire().main_nodes) CHECK(node.in_skeleton);
  REQUIRE(plain->node_count() == nodes.size());
  REQUIRE(parsed->node_count() == nodes.size());
  for (NodeId id = 0; id < nodes.size(); ++id) check_same(*plain, *parsed, id);
  REQUIRE(plain.findings.all().size() == parsed.findings.all().size());
  for (size_t i = 0; i < plain.findings.all().size(); ++i) {
    CHECK(plain.findings.all()[i].code == parsed.findings.all()[i].code);
    CHECK(plain.findings.all()[i].message == parsed.findings.all()[i].message);
    CHECK(plain.findings.all()[i].place.node_text == parsed.findings.all()[i].place.node_text);
  }
}

/// An attribute of a name and type with more fields.
Tree attribute_of(std::string_view name, uint64_t type, std::vector<Tree> fields) {
  std::vector<Tree> all = {text(attribute::kName, name)};
  if (type != 0) all.push_back(integer(attribute::kType, type));
  all.insert(all.end(), fields.begin(), fields.end());
  return message(node::kAttribute, std::move(all));
}

Tree tensor_of(const std::vector<Tree>& fields) { return message(attribute::kTensor, fields); }

}  // namespace

TEST_CASE("the names of a plain node are those that protobuf reads") {
  check_nodes({{text(node::kOutput, "a"), text(node::kInput, "x"), text(node::kInput, ""),
                text(node::kInput, "x"), text(node::kName, "first"), text(node::kOpType, "Op"),
                text(kDomain, "ai.onnx"), text(kOverload, "v"), text(node::kOutput, ""),
                text(node::kOutput, "b")},
               {text(node::kOpType, "Op"), text(kDomain, "my.domain"), text(node::kInput, "b")},
               {}});
}

TEST_CASE("the attributes of a plain node are those that protobuf reads") {
  const std::string minus_one = varint(~uint64_t{0});
  const std::vector<Tree> attributes = {
      attribute_of("f", 1, {fixed32(kFloat)}),
      attribute_of(
          "i", 2,
          {{.number = attribute::kInt, .wire_type = 0, .bytes = minus_one, .children = {}}}),
      attribute_of("s", 3, {text(kString, "text")}),
      attribute_of("fs", 6, {fixed32(kFloats), text(kFloats, "12345678"), fixed32(kFloats)}),
      attribute_of("is", 7,
                   {integer(kInts, 5), text(kInts, "\1" + minus_one), integer(kInts, 300)}),
      attribute_of("ss", 8, {text(kStrings, "a"), text(kStrings, "")}),
      attribute_of("none", 7, {}),
      attribute_of("reference", 2, {text(kReference, "outer")}),
      // Without a type, as the first format versions have it: the field that is set tells it.
      attribute_of("old_i", 0, {integer(attribute::kInt, 3)}),
      attribute_of("old_is", 0, {text(kInts, "\1\2")}),
      attribute_of("old_none", 0, {text(kInts, "")}),
      attribute_of("old_t", 0, {tensor_of({integer(tensor::kDataType, 7)})}),
      attribute_of("no_t", 4, {}),
      attribute_of("raw", 4,
                   {tensor_of({integer(tensor::kDims, 2), integer(tensor::kDataType, 6),
                               text(tensor::kRawData, std::string("\1\0\0\0\2\0\0\0", 8)),
                               text(tensor::kName, "t")})}),
      attribute_of("typed", 4,
                   {tensor_of({text(tensor::kDims, "\2"), integer(tensor::kDataType, 7),
                               text(tensor::kInt64Data, "\3" + minus_one)})}),
  };
  for (const Tree& attribute : attributes) {
    check_nodes({{text(node::kOpType, "Op"), attribute, text(node::kOutput, "y")}});
  }
  std::vector<Tree> all = attributes;
  all.push_back(text(node::kOpType, "Op"));
  check_nodes({all});
}

TEST_CASE("the faults of a plain node are those of one that protobuf reads") {
  const auto check_fault = [](Code code, const std::vector<std::vector<Tree>>& nodes) {
    CHECK(LoadedModel(model_of(nodes, true)).findings.all().front().code == code);
    check_nodes(nodes);
  };
  const Tree op = text(node::kOpType, "Op");
  check_fault(Code::kAttribute, {{op, attribute_of("a", 1, {integer(attribute::kInt, 1)})}});
  check_fault(Code::kAttribute, {{op, attribute_of("a", 1, {}), attribute_of("a", 1, {})}});
  check_fault(Code::kTensorData,
              {{op, attribute_of("a", 4, {tensor_of({integer(tensor::kDims, ~uint64_t{0})})})}});
  check_fault(
      Code::kTensorData,
      {{op, attribute_of("a", 4,
                         {tensor_of({integer(tensor::kDims, 3), integer(tensor::kDataType, 7),
                                     text(tensor::kRawData, "1234")})})}});
  check_fault(Code::kDuplicateValue, {{text(node::kOutput, "y"), op, text(node::kName, "n")},
                                      {text(node::kOutput, "y"), text(node::kOutput, "x"), op}});
  check_fault(Code::kUndefinedValue, {{text(node::kInput, "nowhere"), op}});
}

}  // namespace onnx_shapes::test
