// Functions of the model and of schemas.
#include "tests/model/faults.h"

namespace onnx_shapes::test {
namespace {

const std::string kHeader =
    "<ir_version: 10, opset_import: [\"\" : 21, \"my\" : 1]>\n"
    "g (float[N] x) => (float[N] y) { y = my.F (x) }\n";

TEST_CASE("a function is a scope without a parent") {
  LoadedModel model = load_text(kHeader +
                                "<domain: \"my\", opset_import: [\"\" : 18, \"other\" : 3]>\n"
                                "F <alpha, beta : float = 0.5> (a, b) => (d) "
                                "{ c = Abs (a) d = LeakyRelu <alpha : float = @alpha> (c) }");
  REQUIRE(model.findings.empty());
  const ScopeId id = model->function("my", "F", "");
  REQUIRE(id != kNoId);
  const Scope& function = model->scope(id);
  CHECK(function.kind == Scope::Kind::kFunction);
  CHECK(function.parent == kNoId);
  CHECK(function.path == "function my:F");
  CHECK(function.inputs ==
        std::vector<ValueId>{model.value("a", function.path), model.value("b", function.path)});
  CHECK(function.outputs == std::vector<ValueId>{model.value("d", function.path)});
  CHECK(function.attribute_names == std::vector<std::string_view>{"alpha"});
  REQUIRE(function.attribute_defaults.size() == 1);
  CHECK(function.attribute_defaults[0].name == "beta");
  CHECK(function.attribute_defaults[0].float_value == 0.5F);
  const Node& relu = model->node(function.nodes[1]);
  CHECK(relu.attribute("alpha")->reference == "alpha");
  CHECK(relu.attribute("alpha")->kind == AttributeKind::kFloat);
  CHECK(model->opset(id, "") == 18);
  CHECK(model->opset(id, "other") == 3);
  CHECK(model->opset(id, "my") == std::nullopt);
  CHECK(model->opset(0, "my") == 1);
  CHECK_FALSE(model->recursive(id));
  CHECK(model->function("", "F", "") == kNoId);
  CHECK(model->function("my", "F", "overload") == kNoId);
}

TEST_CASE("a function does not see the graph's names") {
  LoadedModel model = load_text(kHeader +
                                "<domain: \"my\", opset_import: [\"\" : 18]>\n"
                                "F (a) => (b) { b = Add (a, x) }");
  CHECK(check_faults(model.findings, {"SHP006 my:F Add_0 'x'"}) == "");
}

TEST_CASE("functions that call themselves") {
  LoadedModel direct = load_text(kHeader +
                                 "<domain: \"my\", opset_import: [\"\" : 18, \"my\" : 1]>\n"
                                 "F (a) => (b) { b = my.F (a) }");
  CHECK(check_faults(direct.findings, {"SHP502 my:F itself"}) == "");
  CHECK(direct->recursive(direct->function("my", "F", "")));

  // F calls G in a branch, and G calls F. H calls F but is not called by it.
  LoadedModel mutual = load_text(
      kHeader +
      "<domain: \"my\", opset_import: [\"\" : 18, \"my\" : 1]>\n"
      "F (a) => (b) { c = Constant <value = bool {1}> () b = If (c) <"
      "then_branch = t () => (u) { u = my.G (a) }, else_branch = e () => (u) { u = Abs (a) }> }\n"
      "<domain: \"my\", opset_import: [\"my\" : 1]>\n"
      "G (a) => (b) { b = my.F (a) }\n"
      "<domain: \"my\", opset_import: [\"my\" : 1]>\n"
      "H (a) => (b) { b = my.F (a) }\n");
  CHECK(check_faults(mutual.findings, {"SHP502 my:F my:G"}) == "");
  CHECK(mutual->recursive(mutual->function("my", "F", "")));
  CHECK(mutual->recursive(mutual->function("my", "G", "")));
  CHECK_FALSE(mutual->recursive(mutual->function("my", "H", "")));
}

TEST_CASE("a function's domain and name") {
  const std::string body = "<domain: \"my\", opset_import: [\"\" : 18]>\nF (a) => (b) ";
  LoadedModel twice = load_text(kHeader + body + "{ b = Abs (a) }\n" + body + "{ b = Neg (a) }");
  CHECK(check_faults(twice.findings, {"SHP005 my:F two"}) == "");
  const Scope& used = twice->scope(twice->function("my", "F", ""));
  CHECK(twice->node(used.nodes[0]).op_type == "Abs");

  // The checker and ONNX Runtime want an import for the domain of a function of the model too.
  LoadedModel unimported =
      load_text(kHeader + body + "{ b = Abs (a) }",
                [](onnx::ModelProto& model) { model.mutable_opset_import()->RemoveLast(); });
  REQUIRE(check_faults(unimported.findings, {"SHP009 'my'"}) == "");
  CHECK(unimported.findings.all()[0].severity == Severity::kError);
}

TEST_CASE("overloads are different functions") {
  LoadedModel model = load_text(kHeader +
                                "<domain: \"my\", overload: \"o\", opset_import: [\"\" : 18]>\n"
                                "F (a) => (b) { b = Abs (a) }\n"
                                "<domain: \"my\", opset_import: [\"\" : 18]>\n"
                                "F (a) => (b) { b = Neg (a) }\n");
  REQUIRE(model.findings.empty());
  const ScopeId overload = model->function("my", "F", "o");
  REQUIRE(overload != kNoId);
  CHECK(overload != model->function("my", "F", ""));
  CHECK(model->scope(overload).path == "function my:F:o");
}

TEST_CASE("a function can be added") {
  LoadedModel model = load_text(with_header("g (float[N] x) => (float[N] y) { y = Abs (x) }"));
  const size_t annotations = model->annotations().size();
  const Node& before = model->node(0);
  onnx::FunctionProto function;
  const auto status = onnx::OnnxParser::Parse(
      function,
      "<domain: \"\", opset_import: [\"\" : 21]>\n"
      "Body (a) => (c) { c = If (a) <then_branch = t () => (u) { u = Neg (b) },"
      " else_branch = e () => (u) { u = Identity (a) }> b = Exp (a) }");
  REQUIRE(status.IsOK());
  function.add_value_info()->set_name("b");
  Findings findings;
  const ScopeId id = model->add_function(function, findings);
  function.Clear();
  REQUIRE(id != kNoId);
  CHECK(&before == &model->node(0));
  const Scope& scope = model->scope(id);
  CHECK(scope.path == "function Body");
  CHECK(scope.container == kNoId);
  CHECK(model->annotations().size() == annotations);
  REQUIRE(scope.nodes.size() == 2);
  CHECK(model->node(scope.nodes[0]).op_type == "Exp");
  CHECK(model->node_proto(scope.nodes[1]).op_type() == "If");
  const ValueId c = scope.outputs.at(0);
  CHECK(model->node(model->value(c).producer).op_type == "If");
  CHECK(model->opset(id, "") == 21);
  // A schema's function stands for an operator, not for a name of the model.
  CHECK(model->function("", "Body", "") == kNoId);
  CHECK_FALSE(model->recursive(id));
}

}  // namespace
}  // namespace onnx_shapes::test
