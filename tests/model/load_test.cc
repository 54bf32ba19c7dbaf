// Scopes, nodes, values, attributes and annotations of models without faults.
#include "tests/model/faults.h"

namespace onnx_shapes::test {
namespace {

TEST_CASE("nodes and values of a graph") {
  LoadedModel model = load_text(
      with_header("g (float[N, 3] x) => (float[N, 3] y) <float[3] w = {1, 2, 3}, float[N, 3] a>"
                  "{ a = Add (x, w) [\"last\"] y = Clip (a, , w) }"));
  REQUIRE(model.findings.empty());
  CHECK(model->scope_count() == 1);
  CHECK(model->node_count() == 2);
  CHECK(model->ir_version() == 10);
  const Scope& graph = model->scope(model->main_graph());
  CHECK(graph.kind == Scope::Kind::kMainGraph);
  CHECK(graph.path == "graph");
  CHECK(graph.nodes == std::vector<NodeId>{0, 1});

  const ValueId x = model.value("x");
  const ValueId w = model.value("w");
  const ValueId a = model.value("a");
  const ValueId y = model.value("y");
  CHECK(graph.inputs == std::vector<ValueId>{x});
  CHECK(graph.outputs == std::vector<ValueId>{y});
  CHECK(graph.initializers == std::vector<ValueId>{w});
  CHECK(model->value(x).scope_input);
  CHECK(model->value(y).scope_output);
  CHECK(model->value(a).producer == 0);
  CHECK(model->value(y).producer == 1);
  CHECK(ids(model->node(1).inputs) == std::vector<ValueId>{a, kNoId, w});
  CHECK(model->node(1).name == "last");
  CHECK(model->node_label(0) == "Add_0");
  CHECK(model->node_label(1) == "last");

  const Tensor& tensor = model->tensor(model->value(w).initializer);
  CHECK(tensor.elem == ElemType::kFloat);
  CHECK(tensor.dims == std::vector<int64_t>{3});

  REQUIRE(model->annotations().size() == 3);
  CHECK(model->annotations()[model->value(x).input_annotation].value == x);
  CHECK(model->annotations()[model->value(y).output_annotation].role == Annotation::Role::kOutput);
  const Annotation& info = model->annotations()[model->value(a).value_info];
  CHECK(info.role == Annotation::Role::kValueInfo);
  CHECK(info.name == "a");
  REQUIRE(info.type.dims.size() == 2);
  CHECK(info.type.dims[0].text == "N");
  CHECK(info.type.dims[1].number == 3);
}

TEST_CASE("attributes of every kind") {
  LoadedModel model = load_text(with_header(
      "g () => (float y) { y = Op <i = 7, f = 0.5, s = \"text\", is = [1, -2], fs = [0.5, 2.0],"
      " ss = [\"a\", \"bc\"], t = int64[2] {3, 4}, tp : type_proto = float[N, 2], none : ints = []>"
      " () }"));
  const Node& node = model->node(0);
  CHECK(node.attribute("i")->int_value == 7);
  CHECK(node.attribute("i")->kind == AttributeKind::kInt);
  CHECK(node.attribute("f")->float_value == 0.5F);
  CHECK(node.attribute("s")->string_value == "text");
  CHECK(std::vector<int64_t>(node.attribute("is")->ints.begin(),
                             node.attribute("is")->ints.end()) == std::vector<int64_t>{1, -2});
  CHECK(node.attribute("fs")->floats.size() == 2);
  CHECK(node.attribute("fs")->floats[1] == 2.0F);
  CHECK(node.attribute("ss")->strings == std::vector<std::string_view>{"a", "bc"});
  CHECK(model->tensor(node.attribute("t")->tensor).dims == std::vector<int64_t>{2});
  REQUIRE(node.attribute("tp")->type != nullptr);
  CHECK(node.attribute("tp")->type->dims.size() == 2);
  CHECK(node.attribute("none")->kind == AttributeKind::kInts);
  CHECK(node.attribute("none")->ints.empty());
  CHECK(node.attribute("absent") == nullptr);
}

TEST_CASE("attributes that are at fault") {
  const auto add = [](onnx::ModelProto& model, auto set) {
    onnx::AttributeProto& attribute = *model.mutable_graph()->mutable_node(0)->add_attribute();
    attribute.set_name("axis");
    set(attribute);
  };
  const std::string text = "g (float[N] x) => (float[M] y) { y = Concat (x, x) }";
  run_fault_cases({
      {"twice",
       text,
       {"SHP106 Concat_0:attribute 'axis' twice"},
       [&](onnx::ModelProto& model) {
         for (const int64_t axis : {0, 0}) {
           add(model, [&](onnx::AttributeProto& a) {
             a.set_type(onnx::AttributeProto::INT);
             a.set_i(axis);
           });
         }
       }},
      {"another type",
       text,
       {"SHP106 Concat_0:attribute axis type"},
       [&](onnx::ModelProto& model) {
         add(model, [](onnx::AttributeProto& a) {
           a.set_type(onnx::AttributeProto::FLOAT);
           a.set_i(1);
         });
       }},
      {"type without value",
       text,
       {},
       [&](onnx::ModelProto& model) {
         add(model, [](onnx::AttributeProto& a) { a.set_type(onnx::AttributeProto::INT); });
       }},
  });
  // The first format versions had no types of attributes.
  LoadedModel untyped = load_text(with_header(text), [&](onnx::ModelProto& model) {
    add(model, [](onnx::AttributeProto& a) { a.set_i(5); });
  });
  CHECK(untyped->node(0).attribute("axis")->kind == AttributeKind::kInt);
  CHECK(untyped->node(0).attribute("axis")->int_value == 5);
}

TEST_CASE("graphs inside nodes are scopes") {
  LoadedModel model =
      load_text(with_header("g (bool c, float[N] x) => (float[M] z) { y = Neg (x) z = If (c) <"
                            "then_branch = a () => (float[M] w) { w = Abs (y) }, "
                            "else_branch = b () => (float[M] w) { w = If (c) <"
                            "  then_branch = d () => (float[M] v) { v = Exp (y) }, "
                            "  else_branch = e () => (float[M] v) { v = Log (x) }> }> }"));
  REQUIRE(model.findings.empty());
  REQUIRE(model->scope_count() == 5);
  const Node& node = model->node(model->value(model.value("z")).producer);
  const ScopeId else_branch = node.attribute("else_branch")->graphs.at(0);
  CHECK(model->scope(else_branch).kind == Scope::Kind::kSubgraph);
  CHECK(model->scope(else_branch).parent == 0);
  CHECK(model->scope(else_branch).owner == model->value(model.value("z")).producer);
  CHECK(model->scope(else_branch).attribute == "else_branch");
  CHECK(model->scope(else_branch).path == "graph/If_1.else_branch");
  const std::string inner = "graph/If_1.else_branch/If_0.then_branch";
  const NodeId exp = model->value(model.value("v", inner)).producer;
  CHECK(ids(model->node(exp).inputs) == std::vector<ValueId>{model.value("y")});
  CHECK(to_string(model->place_of_node(exp)) == "<test>:" + inner + "/Exp_0");
  CHECK(to_string(model->place_of_value(model.value("v", inner), 1)) ==
        "<test>:" + inner + "/Exp_0:output v[axis 1]");
}

TEST_CASE("the opset of a domain") {
  const auto load = [](int64_t ir_version,
                       const std::vector<std::pair<std::string, int64_t>>& imports) {
    return load_text(with_header("g (float[N] x) => (float[N] y) { y = Abs (x) }"),
                     [&](onnx::ModelProto& model) {
                       model.set_ir_version(ir_version);
                       model.clear_opset_import();
                       for (const auto& [domain, version] : imports) {
                         onnx::OperatorSetIdProto& import = *model.add_opset_import();
                         import.set_domain(domain);
                         import.set_version(version);
                       }
                     });
  };
  CHECK(load(8, {{"", 17}})->opset(0, "") == 17);
  CHECK(load(8, {{"ai.onnx", 17}})->opset(0, "") == 17);
  CHECK(load(8, {{"a", 1}, {"", 17}, {"b", 2}})->opset(0, "b") == 2);
  CHECK(load(8, {{"", 17}})->opset(0, "b") == std::nullopt);
  CHECK(load(8, {{"", 17}, {"ai.onnx", 11}})->opset(0, "") == 11);
  CHECK(load(8, {{"", 17}}).findings.empty());
  // onnx's checker: before IR version 3 there are no imports, and they mean version 1.
  CHECK(load(2, {})->opset(0, "") == 1);
  CHECK(load(2, {}).findings.empty());
  CHECK(check_faults(load(3, {}).findings, {"SHP009 Abs_0 ai.onnx"}) == "");
}

TEST_CASE("nodes of a domain without an opset") {
  run_fault_cases({
      {"once a domain",
       "g (float[N] x) => (float[N] y) { a = ai.onnx.ml.Binarizer (x) y = ai.onnx.ml.Scaler (a) }",
       {"SHP009 'ai.onnx.ml' Binarizer"}},
      {"in a branch",
       "g (bool c, float[N] x) => (float[M] z) { z = If (c) <"
       "then_branch = a () => (float[M] w) { w = my.Op (x) }, "
       "else_branch = b () => (float[M] w) { w = Abs (x) }> }",
       {"SHP009 If_0.then_branch 'my' Op"}},
  });
  // ONNX Runtime runs operators of its own domain without an import, so that is no error.
  LoadedModel own =
      load_text(with_header("g (float[N] x) => (float[N] y) { y = com.microsoft.Gelu (x) }"));
  REQUIRE(own.findings.all().size() == 1);
  CHECK(own.findings.all()[0].severity == Severity::kWarning);
}

TEST_CASE("the default domain has one name") {
  LoadedModel model = load_text(with_header("g (float[N] x) => (float[N] y) { y = Abs (x) }"),
                                [](onnx::ModelProto& proto) {
                                  proto.mutable_graph()->mutable_node(0)->set_domain("ai.onnx");
                                });
  CHECK(model->node(0).domain.empty());
  CHECK(model.findings.empty());
}

TEST_CASE("what has nothing to do with shapes is passed over") {
  LoadedModel model = load_text(
      with_header("g (float[N] x) => (float[N] y) { y = Abs (x) }"), [](onnx::ModelProto& proto) {
        onnx::TensorAnnotation& quantization =
            *proto.mutable_graph()->add_quantization_annotation();
        quantization.set_tensor_name("nothing");
        onnx::StringStringEntryProto& entry = *quantization.add_quant_parameter_tensor_names();
        entry.set_key("SCALE_TENSOR");
        entry.set_value("nowhere");
        // A graph of its own, which inference does not run.
        onnx::GraphProto& training = *proto.add_training_info()->mutable_algorithm();
        training.add_node()->add_input("undefined");
        training.add_value_info()->set_name("v");
      });
  CHECK(model.findings.empty());
  CHECK(model->scope_count() == 1);
  CHECK(model->node_count() == 1);
  CHECK(model->annotations().size() == 2);
}

TEST_CASE("bytes that are no model") {
  CHECK(LoadedModel("").failure.has_value());
  CHECK(LoadedModel("not a model").failure.has_value());
  // A ModelProto of nothing but an IR version: 08 0a.
  CHECK(LoadedModel("\x08\x0a").failure->code == Code::kNotAModel);
}

}  // namespace
}  // namespace onnx_shapes::test
