#include "tests/support/inferred.h"

namespace onnx_shapes {
namespace {

using namespace test;
using Catch::Matchers::ContainsSubstring;

std::string with_ir(int version, const std::string& graph) {
  return fmt::format("<ir_version: {}, opset_import: [\"\" : 17]>\n", version) + graph;
}

TEST_CASE("Before IR version 4 an initializer that is an input is a constant") {
  const std::string graph = "g (float[N, 4] x, int64[2] s = {2, -1}) => (y) { y = Reshape(x, s) }";
  CHECK(inferred(with_ir(3, graph)) == "float[2, 2*N]");
  // From then on it is a default that the caller may replace: only the rank is known.
  const InferredModel model(with_ir(4, graph));
  CHECK(model.report() == "");
  const Fact& fact = *model.inference.facts[model.loaded.value("y")];
  REQUIRE(fact.shape.has_value());
  CHECK(fact.shape->size() == 2);
  CHECK(!(*fact.shape)[0].number().has_value());
  CHECK(!(*fact.shape)[1].number().has_value());
}

TEST_CASE("An initializer that is no input is a constant in every version") {
  const std::string graph = "g (float[N, 4] x) => (y) <int64[2] s = {2, -1}> { y = Reshape(x, s) }";
  for (const int version : {4, 10}) CHECK(inferred(with_ir(version, graph)) == "float[2, 2*N]");
}

TEST_CASE("Unnamed dims of inputs are sizes of their own") {
  CHECK(inferred("g (float[?, 4] x, float[?, 4] z) => (a, b) { a = Neg(x) b = Abs(z) }") ==
        "float[x_0, 4]; float[z_0, 4]");
  // The name is one that the model does not have.
  CHECK(inferred("g (float[?] x, float[x_0] z) => (a, b) { a = Neg(x) b = Abs(z) }") ==
        "float[x_0_2]; float[x_0]");
}

TEST_CASE("An input without a shape has no rank") {
  CHECK(inferred("g (float x) => (y) { y = Neg(x) }", {}) == "float[]");
  const InferredModel model("g (float[N] x) => (y) { y = Neg(x) }", {},
                            [](onnx::ModelProto& proto) {
                              proto.mutable_graph()
                                  ->mutable_input(0)
                                  ->mutable_type()
                                  ->mutable_tensor_type()
                                  ->clear_shape();
                            });
  CHECK(model.outputs() == "float?");
}

TEST_CASE("--dim makes a symbol a number everywhere") {
  InferOptions options;
  options.declare.numbers["N"] = 6;
  CHECK(inferred("g (float[N, 4] x) => (y, z) { y = Concat<axis = 0>(x, x)"
                 " w = Constant<value_ints = [3, -1]>() z = Reshape(x, w) }",
                 options) == "float[12, 4]; float[3, 8]");
}

TEST_CASE("Declared texts are expressions over declared names, or each one name") {
  const auto change = [](onnx::ModelProto& proto) {
    auto* dim = proto.mutable_graph()
                    ->mutable_input(1)
                    ->mutable_type()
                    ->mutable_tensor_type()
                    ->mutable_shape()
                    ->mutable_dim(0);
    dim->set_dim_param("N + 1");
  };
  const std::string text = "g (float[N] x, float[S] z) => (y) { y = Concat<axis = 0>(x, z) }";
  CHECK(InferredModel(text, {}, change).outputs() == "float[2*N + 1]");
  InferOptions opaque;
  opaque.declare.opaque = true;
  CHECK(InferredModel(text, opaque, change).outputs().find("2*N") == std::string::npos);
}

TEST_CASE("A domain without an import is reported, and its nodes are inferred") {
  const InferredModel model(
      "<ir_version: 10, opset_import: [\"other\" : 1]>\n"
      "g (float[N] x) => (y) { y = Neg(x) }");
  CHECK_THAT(model.report(), ContainsSubstring("SHP009"));
  CHECK(model.outputs() == "float[N]");
}

TEST_CASE("An unknown operator stops nothing and is reported once") {
  const InferredModel model(
      "<ir_version: 10, opset_import: [\"\" : 21, \"mine\" : 1]>\n"
      "g (float[N] x) => (a, b, y) { a = mine.Odd(x) b = mine.Odd(x) y = Neg(x) }");
  CHECK(model.outputs() == "?; ?; float[N]");
  CHECK(model.loaded.findings.count(Severity::kNote) == 1);
  CHECK_THAT(model.report(), ContainsSubstring("SHP401") && ContainsSubstring("mine.Odd"));
}

TEST_CASE("What is declared stands in where nothing is inferred") {
  const std::string text =
      "<ir_version: 10, opset_import: [\"\" : 21, \"mine\" : 1]>\n"
      "g (float[N] x) => (y) <float[N, 7] a> { a = mine.Odd(x) y = Concat<axis = 1>(a, a) }";
  CHECK(InferredModel(text).outputs() == "float[N, 14]");
  InferOptions fresh;
  fresh.use_value_info = false;
  CHECK(InferredModel(text, fresh).outputs().find("14") == std::string::npos);
}

TEST_CASE("Contents from data stay related to themselves") {
  // Both outputs have the size that `n` holds.
  const InferredModel model(
      "g (int64[1] n) => (a, b, c) { a = ConstantOfShape(n)"
      " b = ConstantOfShape(n) c = Concat<axis = 0>(a, b) }");
  const auto dim = [&](const char* name) {
    return (*model.inference.facts[model.loaded.value(name)]->shape)[0];
  };
  CHECK(dim("a") == dim("b"));
  CHECK(dim("c") == dim("a") * 2);
  // A tensor's size is not below 0, whatever the data.
  Prover prover(*model.inference.pool, model.inference.constraints.get());
  CHECK(prover.provably_at_least(dim("a"), 0));
}

/// `count` nodes in a chain.
std::string chain(int count) {
  std::string text = "g (float[N] x0) => (x" + std::to_string(count) + ") {";
  for (int i = 0; i < count; ++i) {
    text += " x" + std::to_string(i + 1) + " = Neg(x" + std::to_string(i) + ")";
  }
  return text + " }";
}

TEST_CASE("Budgets end inference, and what was inferred stays") {
  InferOptions visits;
  visits.max_node_visits = 10;
  const InferredModel stopped(chain(20), visits);
  CHECK_THAT(stopped.report(), ContainsSubstring("SHP606"));
  CHECK(stopped.fact("x10") == "float[N]");
  CHECK(stopped.fact("x11") == "?");
  visits.max_node_visits = 20;
  CHECK(inferred(chain(20), visits) == "float[N]");

  InferOptions late;
  late.deadline = std::chrono::steady_clock::now() - std::chrono::seconds(1);
  const InferredModel timed_out(chain(200), late);
  CHECK_THAT(timed_out.report(), ContainsSubstring("SHP607"));
  CHECK(timed_out.fact("x200") == "?");

  InferOptions flat;
  flat.max_rank = 2;
  const InferredModel deep(
      "g (float[N, 4] x) => (y, z) { a = Constant<value_ints = [0]>()"
      " y = Unsqueeze(x, a) z = Neg(x) }",
      flat);
  CHECK_THAT(deep.report(), ContainsSubstring("SHP605"));
  CHECK(deep.outputs() == "float?; float[N, 4]");
}

TEST_CASE("Wherever a budget ends inside a loop, it is told and nothing wrong is said") {
  const std::string text =
      "g (float[N, 3] x) => (y) { n = Constant<value_int = 4>()"
      " y = Loop(n, , x) <body = body (int64 i, bool c, a0) => (c1, a1) { c1 = Identity(c)"
      " a1 = Concat<axis = 0>(a0, x) b = Neg(a1) }> }";
  const std::string answer = "float[Loop_y_d0, 3]";
  const uint64_t needed = InferredModel(text).inference.node_visits;
  REQUIRE(needed > 6);
  for (uint64_t visits = 1; visits <= needed; ++visits) {
    INFO(visits);
    InferOptions options;
    options.max_node_visits = visits;
    const InferredModel model(text, options);
    CHECK((model.report().find("SHP606") != std::string::npos) == (visits < needed));
    CHECK((model.outputs() == answer || (visits < needed && model.outputs() == "?")));
  }
}

TEST_CASE("Wherever a budget ends inside a call, the call before says nothing of it") {
  const std::string text =
      "<ir_version: 10, opset_import: [\"\" : 21, \"my\" : 1]>\n"
      "g (float[N, 3] x, float[M, 5] z) => (y, w) { y = my.F(x) w = my.F(z) }\n"
      "<domain: \"my\", opset_import: [\"\" : 21]>\n"
      "F (a) => (b) { c = Neg(a) b = Concat<axis = 1>(c, c) }";
  const uint64_t needed = InferredModel(text).inference.node_visits;
  for (uint64_t visits = 1; visits <= needed; ++visits) {
    INFO(visits);
    InferOptions options;
    options.max_node_visits = visits;
    const InferredModel model(text, options);
    CHECK((model.fact("y") == "float[N, 6]" || (visits < needed && model.fact("y") == "?")));
    CHECK((model.fact("w") == "float[M, 10]" || (visits < needed && model.fact("w") == "?")));
  }
}

TEST_CASE("A dim that does not fit 64 bits is no number") {
  const InferredModel model(
      "g () => (y) { s = Constant<value_ints = [4611686018427387904]>() a = ConstantOfShape(s)"
      " y = Concat<axis = 0>(a, a, a) }");
  CHECK_THAT(model.report(), ContainsSubstring("SHP404"));
  CHECK(!(*model.inference.facts[model.loaded.value("y")]->shape)[0].number().has_value());
}

/// With the fallback and no rule at all.
std::string by_fallback(const std::string& text) {
  LoadedModel loaded = load_text(text.starts_with('<') ? text : with_header(text));
  REQUIRE(loaded.model.has_value());
  const std::unique_ptr<Fallback> fallback = make_schema_fallback(*loaded.model);
  const RuleTable none;
  const Inference inference = infer(*loaded.model, none, fallback.get(), {}, loaded.findings);
  CHECK(inference.fallback_nodes > 0);
  std::string outputs = loaded.report();
  for (const ValueId id : loaded.model->scope(0).outputs) {
    outputs += text_of(inference.facts[id].value_or(Fact::unknown())) + ";";
  }
  return outputs;
}

TEST_CASE("An operator without a rule is left to onnx's own inference") {
  CHECK(by_fallback("g (float[N, 4] x, float[N, 5] z) => (y) { y = Concat<axis = 1>(x, z) }") ==
        "float[N, 9];");
  CHECK(by_fallback("g (float[N, 4] x, float[4, K] z) => (y) { y = MatMul(x, z) }") ==
        "float[N, K];");
  CHECK(by_fallback("g (float[N, 4] x) => (y) <int64[2] s = {2, -1}> { y = Reshape(x, s) }")
            .starts_with("float[2, "));
}

TEST_CASE("A schema's function body is inferred through") {
  CHECK(by_fallback("g (float[N, 4] x) => (y) <int64[1] a = {1}> { y = ReduceLogSum(x, a) }") ==
        "float[N, 1];");
  CHECK(by_fallback("g (float[N, C] x, float[C] s) => (y) { y = LayerNormalization(x, s) }") ==
        "float[N, C];");
}

}  // namespace
}  // namespace onnx_shapes
