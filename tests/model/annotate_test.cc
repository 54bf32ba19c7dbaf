// Annotations as edits of the bytes. What must come out is built with protobuf.
#include "model/annotate.h"

#include <random>

#include "tests/model/faults.h"
#include "tests/support/splice_bytes.h"

namespace onnx_shapes::test {
namespace {

using Kind = DeclaredType::Kind;
using Role = Annotation::Role;

WrittenType tensor_type(ElemType elem, std::vector<WrittenDim> dims) {
  return {.kind = Kind::kTensor,
          .elem = elem,
          .has_shape = true,
          .dims = std::move(dims),
          .element = nullptr};
}

WrittenType container_type(Kind kind, WrittenType element, ElemType key = ElemType::kUndefined) {
  return {.kind = kind,
          .elem = key,
          .has_shape = false,
          .dims = {},
          .element = std::make_shared<const WrittenType>(std::move(element))};
}

onnx::ModelProto edited(const LoadedModel& model, const AnnotationChanges& changes) {
  onnx::ModelProto proto;
  REQUIRE(
      proto.ParseFromString(splice_bytes(*model.model, annotation_edits(*model.model, changes))));
  return proto;
}

/// The type in ONNX text: `float[N, 3]`, `seq(float[N])`, `?` for no type.
std::string text_of(const onnx::TypeProto& type) {
  const auto tensor = [](const auto& proto) {
    std::string text(elem_type_name(elem_type(proto.elem_type())));
    if (!proto.has_shape()) return text + "?";
    text += "[";
    for (int i = 0; i < proto.shape().dim_size(); ++i) {
      const auto& dim = proto.shape().dim(i);
      if (i > 0) text += ", ";
      text += dim.has_dim_value()   ? std::to_string(dim.dim_value())
              : dim.has_dim_param() ? dim.dim_param()
                                    : "?";
    }
    return text + "]";
  };
  if (type.has_tensor_type()) return tensor(type.tensor_type());
  if (type.has_sparse_tensor_type()) return "sparse(" + tensor(type.sparse_tensor_type()) + ")";
  if (type.has_sequence_type()) return "seq(" + text_of(type.sequence_type().elem_type()) + ")";
  if (type.has_optional_type()) return "opt(" + text_of(type.optional_type().elem_type()) + ")";
  if (type.has_map_type()) {
    return "map(" + std::string(elem_type_name(elem_type(type.map_type().key_type()))) + ", " +
           text_of(type.map_type().value_type()) + ")";
  }
  return "?";
}

/// `name: type` of each annotation.
std::string text_of(const google::protobuf::RepeatedPtrField<onnx::ValueInfoProto>& infos) {
  std::string text;
  for (const onnx::ValueInfoProto& info : infos) {
    text += (text.empty() ? "" : "; ") + info.name() + ": " + text_of(info.type());
  }
  return text;
}

const std::string kModel = with_header(
    "g (float[N] x) => (float[M] y) <float[N] a> { a = Abs (x) b = Neg (a) y = Exp (b) }");

TEST_CASE("a value without value_info gets one") {
  const LoadedModel model = load_text(kModel);
  const onnx::ModelProto proto =
      edited(model, {.set = {{.value = model.value("b"),
                              .role = Role::kValueInfo,
                              .type = tensor_type(ElemType::kFloat, {"N", 3, {}})}},
                     .remove = {}});
  CHECK(text_of(proto.graph().value_info()) == "a: float[N]; b: float[N, 3, ?]");
}

TEST_CASE("types of every kind are written") {
  const WrittenType row = tensor_type(ElemType::kFloat, {"N"});
  WrittenType unranked = tensor_type(ElemType::kInt64, {});
  unranked.has_shape = false;
  WrittenType sparse = row;
  sparse.kind = Kind::kSparseTensor;
  const std::vector<std::pair<WrittenType, std::string>> rows = {
      {row, "float[N]"},
      {tensor_type(ElemType::kBool, {}), "bool[]"},
      {tensor_type(ElemType::kString, {"a b", INT64_MAX, 0}),
       "string[a b, 9223372036854775807, 0]"},
      {unranked, "int64?"},
      {sparse, "sparse(float[N])"},
      {container_type(Kind::kSequence, row), "seq(float[N])"},
      {container_type(Kind::kOptional, container_type(Kind::kSequence, row)), "opt(seq(float[N]))"},
      {container_type(Kind::kMap, row, ElemType::kString), "map(string, float[N])"},
  };
  for (const auto& [type, expected] : rows) {
    for (const char* name : {"a", "b"}) {  // with and without value_info
      const LoadedModel model = load_text(kModel);
      const onnx::ModelProto proto =
          edited(model, {.set = {{model.value(name), Role::kValueInfo, type}}, .remove = {}});
      CHECK(text_of(proto.graph().value_info()).ends_with(name + (": " + expected)));
    }
  }
}

void set_tensor(auto& proto, const WrittenType& type) {
  proto.set_elem_type(static_cast<int32_t>(type.elem));
  if (!type.has_shape) return;
  proto.mutable_shape();
  for (const WrittenDim& dim : type.dims) {
    auto& added = *proto.mutable_shape()->add_dim();
    if (const auto* number = std::get_if<int64_t>(&dim)) added.set_dim_value(*number);
    if (const auto* text = std::get_if<std::string>(&dim)) added.set_dim_param(*text);
  }
}

onnx::TypeProto proto_of(const WrittenType& type) {
  onnx::TypeProto proto;
  const auto element = [&](auto* place) {
    if (type.element) *place = proto_of(*type.element);
  };
  if (type.kind == Kind::kTensor) set_tensor(*proto.mutable_tensor_type(), type);
  if (type.kind == Kind::kSparseTensor) set_tensor(*proto.mutable_sparse_tensor_type(), type);
  if (type.kind == Kind::kOpaque) proto.mutable_opaque_type();
  if (type.kind == Kind::kSequence) {
    proto.mutable_sequence_type();
    if (type.element) element(proto.mutable_sequence_type()->mutable_elem_type());
  }
  if (type.kind == Kind::kOptional) {
    proto.mutable_optional_type();
    if (type.element) element(proto.mutable_optional_type()->mutable_elem_type());
  }
  if (type.kind == Kind::kMap) {
    proto.mutable_map_type()->set_key_type(static_cast<int32_t>(type.elem));
    if (type.element) element(proto.mutable_map_type()->mutable_value_type());
  }
  return proto;
}

TEST_CASE("a new annotation has the bytes that protobuf would write") {
  WrittenType unranked = tensor_type(ElemType::kInt64, {});
  unranked.has_shape = false;
  WrittenType sparse = tensor_type(ElemType::kFloat, {"N", 128});
  sparse.kind = Kind::kSparseTensor;
  WrittenType empty = container_type(Kind::kSequence, unranked);
  empty.element = nullptr;
  const WrittenType large = tensor_type(
      ElemType::kFloat8E4M3FN, {std::string(300, 'd'), INT64_MAX, INT64_MIN, -1, 0, {}, ""});
  WrittenType deep = large;
  for (int i = 0; i < 40; ++i)
    deep = container_type(i % 2 ? Kind::kOptional : Kind::kSequence, deep);
  const std::vector<WrittenType> types = {
      unranked,
      tensor_type(ElemType::kUndefined, {}),
      large,
      sparse,
      empty,
      deep,
      container_type(Kind::kMap, container_type(Kind::kMap, large), ElemType::kString),
      {.kind = Kind::kOpaque, .elem = {}, .has_shape = false, .dims = {}, .element = nullptr},
      {.kind = Kind::kNone, .elem = {}, .has_shape = false, .dims = {}, .element = nullptr},
  };
  for (const WrittenType& type : types) {
    onnx::ModelProto expected = parse_model(kModel);
    onnx::ValueInfoProto& info = *expected.mutable_graph()->add_value_info();
    info.set_name("b");
    *info.mutable_type() = proto_of(type);
    const LoadedModel model = load_text(kModel);
    const std::string bytes = splice_bytes(
        *model.model,
        annotation_edits(*model.model,
                         {.set = {{model.value("b"), Role::kValueInfo, type}}, .remove = {}}));
    onnx::ModelProto written;
    REQUIRE(written.ParseFromString(bytes));
    CHECK(written.graph().value_info(1).SerializeAsString() == info.SerializeAsString());
    CHECK(bytes.find(info.SerializeAsString()) != std::string::npos);
  }
}

TEST_CASE("inputs and outputs are set where they stand") {
  const LoadedModel model = load_text(kModel);
  const WrittenType type = tensor_type(ElemType::kFloat, {"K"});
  const onnx::ModelProto proto = edited(model, {.set = {{model.value("x"), Role::kInput, type},
                                                        {model.value("y"), Role::kOutput, type},
                                                        {model.value("a"), Role::kInput, type},
                                                        {model.value("a"), Role::kOutput, type}},
                                                .remove = {}});
  CHECK(text_of(proto.graph().input()) == "x: float[K]");
  CHECK(text_of(proto.graph().output()) == "y: float[K]");
  CHECK(text_of(proto.graph().value_info()) == "a: float[N]");
}

TEST_CASE("value_info is removed, inputs and outputs are not") {
  const LoadedModel model = load_text(kModel);
  AnnotationChanges changes;
  for (uint32_t i = 0; i < model.model->annotations().size(); ++i) changes.remove.push_back(i);
  const onnx::ModelProto proto = edited(model, changes);
  CHECK(proto.graph().value_info_size() == 0);
  CHECK(text_of(proto.graph().input()) == "x: float[N]");
  CHECK(text_of(proto.graph().output()) == "y: float[M]");
  // A change counts more than a removal.
  changes.set.push_back({model.value("a"), Role::kValueInfo, tensor_type(ElemType::kFloat, {"K"})});
  CHECK(text_of(edited(model, changes).graph().value_info()) == "a: float[K]");
}

TEST_CASE("an output that is listed twice is set twice") {
  const LoadedModel model =
      load_text(with_header("g (float[N] x) => (float[A] y, float[B] y) { y = Abs (x) }"));
  const onnx::ModelProto proto = edited(
      model, {.set = {{model.value("y"), Role::kOutput, tensor_type(ElemType::kFloat, {"N"})}},
              .remove = {}});
  CHECK(text_of(proto.graph().output()) == "y: float[N]; y: float[N]");
}

TEST_CASE("graphs inside nodes and functions have value_info of their own") {
  const LoadedModel model = load_text(
      "<ir_version: 10, opset_import: [\"\" : 21, \"my\" : 1]>\n"
      "g (bool c, float[N] x) => (float[M] z) { y = my.F (x) z = If (c) <"
      "then_branch = a () => (float[M] w) { u = Abs (y) w = Neg (u) }, "
      "else_branch = b () => (float[M] w) { w = Abs (y) }> }\n"
      "<domain: \"my\", opset_import: [\"\" : 21]>\n"
      "F (p) => (r) { q = Abs (p) r = Neg (q) }");
  const WrittenType type = tensor_type(ElemType::kFloat, {"N"});
  const onnx::ModelProto proto =
      edited(model, {.set = {{model.value("u", "graph/If_1.then_branch"), Role::kValueInfo, type},
                             {model.value("q", "function my:F"), Role::kValueInfo, type},
                             {model.value("y"), Role::kValueInfo, type}},
                     .remove = {}});
  CHECK(text_of(proto.graph().value_info()) == "y: float[N]");
  CHECK(text_of(proto.graph().node(1).attribute(0).g().value_info()) == "u: float[N]");
  CHECK(proto.graph().node(1).attribute(1).g().value_info_size() == 0);
  CHECK(text_of(proto.functions(0).value_info()) == "q: float[N]");
}

TEST_CASE("what else is in an annotation stays") {
  const auto fill = [](onnx::ModelProto& proto) {
    onnx::ValueInfoProto& info = *proto.mutable_graph()->mutable_value_info(0);
    info.set_doc_string("what a is");
    onnx::StringStringEntryProto& entry = *info.add_metadata_props();
    entry.set_key("k");
    entry.set_value("v");
    *info.mutable_unknown_fields() = "\xa0\x06\x07";  // field 100, varint 7
    info.mutable_type()->set_denotation("TENSOR");
    info.mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim(0)->set_denotation(
        "DATA_BATCH");
  };
  const LoadedModel model = load_text(kModel, fill);
  const onnx::ModelProto before = edited(model, {});
  const onnx::ModelProto proto = edited(
      model, {.set = {{model.value("a"), Role::kValueInfo, tensor_type(ElemType::kFloat, {7})}},
              .remove = {}});
  onnx::ModelProto expected = before;
  expected.mutable_graph()
      ->mutable_value_info(0)
      ->mutable_type()
      ->mutable_tensor_type()
      ->mutable_shape()
      ->mutable_dim(0)
      ->set_dim_value(7);
  CHECK(proto.SerializeAsString() == expected.SerializeAsString());
  // Denotations are of axes: with another rank they mean nothing.
  const onnx::ModelProto longer = edited(
      model, {.set = {{model.value("a"), Role::kValueInfo, tensor_type(ElemType::kFloat, {7, 8})}},
              .remove = {}});
  const onnx::TypeProto& type = longer.graph().value_info(0).type();
  CHECK(type.denotation() == "TENSOR");
  CHECK(text_of(type) == "float[7, 8]");
  CHECK_FALSE(type.tensor_type().shape().dim(0).has_denotation());
}

TEST_CASE("the order of an annotation's fields stays") {
  // doc_string (3), type (2), name (1), and a group of number 100.
  const std::string type = "\x12\x04\x0a\x02\x08\x01";
  const std::string head =
      "\x1a\x03"
      "doc";
  const std::string tail =
      "\x0a\x01"
      "a"
      "\xa3\x06\x08\x05\xa4\x06";
  std::string info = head + type + tail;
  info = "\x6a" + std::string(1, static_cast<char>(info.size())) + info;
  onnx::ModelProto proto = parse_model(kModel);
  proto.mutable_graph()->clear_value_info();
  std::string graph = proto.graph().SerializeAsString() + info;
  proto.clear_graph();
  std::string bytes = proto.SerializeAsString() + "\x3a";
  REQUIRE(graph.size() < 128);
  bytes += static_cast<char>(graph.size());
  const LoadedModel model(bytes + graph);
  REQUIRE(model.findings.empty());
  const std::string result = splice_bytes(
      *model.model, annotation_edits(*model.model, {.set = {{model.value("a"), Role::kValueInfo,
                                                             tensor_type(ElemType::kInt64, {})}},
                                                    .remove = {}}));
  // A tensor type (field 1) of elem_type 7 and an empty shape.
  CHECK(result.ends_with(head + std::string("\x12\x06\x0a\x04\x08\x07\x12\x00", 8) + tail));
}

TEST_CASE("what is already there is not written") {
  const LoadedModel model = load_text(kModel);
  const AnnotationChanges changes = {
      .set = {{model.value("a"), Role::kValueInfo, tensor_type(ElemType::kFloat, {"N"})},
              {model.value("x"), Role::kInput, tensor_type(ElemType::kFloat, {"N"})}},
      .remove = {}};
  CHECK(annotation_edits(*model.model, changes).empty());
  CHECK(annotation_edits(*model.model, {}).empty());
}

TEST_CASE("an annotation speaks of the value that owns its name") {
  const LoadedModel model = load_text(
      with_header("g (float[N] x) => (float[M] z) { y = Abs (x) y = Neg (x) z = Add (y, q) }"));
  const WrittenType type = tensor_type(ElemType::kFloat, {"N"});
  AnnotationChanges changes;
  for (ValueId id = 0; id < model.model->value_count(); ++id) {
    if (model.model->value(id).name != "y" && model.model->value(id).name != "q") continue;
    changes.set.push_back({id, Role::kValueInfo, type});
  }
  REQUIRE(changes.set.size() == 3);
  CHECK(text_of(edited(model, changes).graph().value_info()) == "y: float[N]");
}

TEST_CASE("values of schema functions have no place in the file") {
  LoadedModel model = load_text(kModel);
  onnx::FunctionProto function;
  REQUIRE(onnx::OnnxParser::Parse(function,
                                  "<domain: \"\", opset_import: [\"\" : 21]>\n"
                                  "F (p) => (r) { q = Abs (p) r = Neg (q) }")
              .IsOK());
  Findings findings;
  (void)model->add_function(function, findings);
  CHECK(annotation_edits(*model, {.set = {{model.value("q", "function F"), Role::kValueInfo,
                                           tensor_type(ElemType::kFloat, {})}},
                                  .remove = {}})
            .empty());
}

// ---- random changes
// -------------------------------------------------------------------------------

/// Without value_info and without the types of inputs and outputs.
void strip(onnx::GraphProto& graph);
void strip(onnx::NodeProto& node) {
  for (onnx::AttributeProto& attribute : *node.mutable_attribute()) {
    if (attribute.has_g()) strip(*attribute.mutable_g());
  }
}
void strip(onnx::GraphProto& graph) {
  graph.clear_value_info();
  for (onnx::ValueInfoProto& info : *graph.mutable_input()) info.clear_type();
  for (onnx::ValueInfoProto& info : *graph.mutable_output()) info.clear_type();
  for (onnx::NodeProto& node : *graph.mutable_node()) strip(node);
}
std::string stripped(const std::string& bytes) {
  onnx::ModelProto proto;
  REQUIRE(proto.ParseFromString(bytes));
  strip(*proto.mutable_graph());
  for (onnx::FunctionProto& function : *proto.mutable_functions()) {
    function.clear_value_info();
    for (onnx::NodeProto& node : *function.mutable_node()) strip(node);
  }
  return proto.SerializeAsString();
}

class RandomChanges {
 public:
  explicit RandomChanges(uint32_t seed) : random_(seed) {}

  AnnotationChanges make(const Model& model) {
    AnnotationChanges changes;
    for (ValueId id = 0; id < model.value_count(); ++id) {
      for (const Role role : {Role::kInput, Role::kOutput, Role::kValueInfo}) {
        if (below(3) == 0) changes.set.push_back({id, role, type()});
      }
    }
    for (uint32_t i = 0; i < model.annotations().size(); ++i) {
      if (below(3) == 0) changes.remove.push_back(i);
    }
    return changes;
  }

 private:
  uint32_t below(uint32_t bound) { return static_cast<uint32_t>(random_() % bound); }

  WrittenType type() {
    const uint32_t choice = below(8);
    if (choice == 0) return container_type(Kind::kSequence, type());
    if (choice == 1) return container_type(Kind::kOptional, type());
    std::vector<WrittenDim> dims;
    for (uint32_t rank = below(4); dims.size() < rank;) {
      const uint32_t kind = below(3);
      if (kind == 0) dims.emplace_back(int64_t{below(1000)});
      if (kind == 1) dims.emplace_back(std::string(below(200), 'd') + "N");
      if (kind == 2) dims.emplace_back();
    }
    return tensor_type(below(2) == 0 ? ElemType::kFloat : ElemType::kInt64, std::move(dims));
  }

  std::mt19937 random_;
};

TEST_CASE("random changes touch nothing but annotations, and making them again nothing at all") {
  const LoadedModel model = load_text(
      "<ir_version: 10, opset_import: [\"\" : 21, \"my\" : 1]>\n"
      "g (bool c, float[N] x) => (float[M] z) <float[2] k = {1, 2}, float[N] y, int64[7] stale> {"
      "y = my.F (x) z = If (c) <"
      "then_branch = a () => (float[M] w) <float[N] u> { u = Abs (y) w = Neg (u) }, "
      "else_branch = b () => (float[M] w) { w = If (c) <"
      "  then_branch = d () => (float[M] v) { v = Exp (y) }, "
      "  else_branch = e () => (float[M] v) { v = Log (x) }> }> }\n"
      "<domain: \"my\", opset_import: [\"\" : 21]>\n"
      "F (p) => (r) { q = Abs (p) r = Neg (q) }");
  REQUIRE(model.findings.empty());
  for (uint32_t seed = 0; seed < 200; ++seed) {
    INFO(seed);
    const AnnotationChanges changes = RandomChanges(seed).make(*model.model);
    const std::string bytes = splice_bytes(*model.model, annotation_edits(*model.model, changes));
    CHECK(stripped(bytes) == stripped(model.bytes));

    const LoadedModel again(bytes);
    REQUIRE(again.findings.empty());
    // Ids are the same: the graph is.
    AnnotationChanges same;
    same.set = changes.set;
    CHECK(annotation_edits(*again.model, same).empty());
  }
}

}  // namespace
}  // namespace onnx_shapes::test
