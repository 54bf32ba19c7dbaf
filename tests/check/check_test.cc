#include "check/check.h"

#include "tests/support/inferred.h"

namespace onnx_shapes {
namespace {

using namespace test;
using Catch::Matchers::ContainsSubstring;

/// The verdicts of a model, and the findings.
struct Outcome {
  std::string verdicts;  // "proved 2, refuted 1, undetermined 0"
  std::string report;
  std::string bindings;  // "K=N "
};

using Given = std::map<std::string, std::vector<int64_t>>;

/// For all inputs, or for those of one run: shapes, and the contents of int64 vectors and scalars
/// by the name with a `!`.
Outcome check(const std::string& text, const std::optional<Given>& run = {}, bool opaque = false) {
  const std::string whole = text.starts_with('<') ? text : with_header(text);
  LoadedModel loaded(parse_model(whole).SerializeAsString());
  InferOptions options;
  options.observe = true;
  options.declare.opaque = opaque;
  options.declare.inputs_declare_compounds = !run;
  if (run) {
    options.max_unrolled_visits = 10'000;
    options.inputs.emplace();
    for (const auto& [name, shape] : *run) {
      if (name.ends_with('!')) continue;
      const ValueId id = loaded.value(name);
      const Annotation& annotation = loaded->annotations()[loaded->value(id).input_annotation];
      GivenInput input;
      input.elem = annotation.type.elem;
      input.shape = shape;
      if (run->contains(name + "!")) input.integers = run->at(name + "!");
      options.inputs->emplace(id, input);
    }
  }
  const std::unique_ptr<Fallback> fallback = make_schema_fallback(*loaded);
  const Inference inference =
      infer(*loaded, default_rules(), fallback.get(), options, loaded.findings);
  const CheckOptions how = {.run = run.has_value()};
  CheckResult result = check_annotations(*loaded, inference, how, loaded.findings);
  const auto again = [&](const std::map<NodeId, bool>& branches, Findings& findings) {
    InferOptions taken = options;
    taken.branches = branches;
    return infer(*loaded, default_rules(), fallback.get(), taken, findings);
  };
  check_branches(*loaded, inference, how, again, result, loaded.findings);
  if (!run) report_implied(*loaded, inference, loaded.findings);
  Outcome outcome;
  outcome.verdicts =
      fmt::format("proved {}, refuted {}, undetermined {}", result.count(Verdict::kProved),
                  result.count(Verdict::kRefuted), result.count(Verdict::kUndetermined));
  outcome.report = loaded.report();
  for (const NameBinding& binding : result.bindings) {
    outcome.bindings += binding.name + "=" + binding.size + " ";
  }
  return outcome;
}

TEST_CASE("An annotation that follows from the inputs is proved") {
  const Outcome outcome =
      check("g (float[N, 4] x) => (float[N, 8] y) { y = Concat<axis = 1>(x, x) }");
  CHECK(outcome.verdicts == "proved 1, refuted 0, undetermined 0");
  CHECK(outcome.report == "");
}

TEST_CASE("A number that is never right is refuted") {
  const Outcome outcome =
      check("g (float[N, 4] x) => (float[N, 9] y) { y = Concat<axis = 1>(x, x) }");
  CHECK(outcome.verdicts == "proved 0, refuted 1, undetermined 0");
  CHECK_THAT(outcome.report, ContainsSubstring("SHP203"));
  CHECK_THAT(outcome.report, ContainsSubstring("declared 9, inferred 8"));
}

TEST_CASE("An input's name on another size is refuted by numbers") {
  // N=1, M=2 is the smallest pair of sizes other than 0 that differs, by sum and then by order of
  // symbol.
  const Outcome outcome = check("g (float[N] x, float[M] z) => (float[M] y) { y = Neg(x) }");
  CHECK_THAT(outcome.report, ContainsSubstring("declared M, inferred N; with N=1, M=2 it is 1, "
                                               "not 2"));
  CHECK(outcome.verdicts == "proved 0, refuted 1, undetermined 0");
}

TEST_CASE("Only an empty input may show it") {
  // 1 for an empty x, else N.
  const Outcome outcome = check(
      "g (float[N] x) => (float[N] y) { one = Constant<value_floats = [1.0]>()"
      " none = Constant<value = float[1] {0}>() s = Shape(x) o = Constant<value_ints = [1]>()"
      " m = Max(s, o) y = Expand(none, m) }");
  CHECK_THAT(outcome.report, ContainsSubstring("with N=0 it is 1, not 0"));
}

TEST_CASE("A name of an input for a compound is a condition, told once") {
  const std::string inputs = "g (float[B, S] x, float[B, P] p, float[B, T] mask) => ";
  const std::string body = " { y = Concat<axis = 1>(p, x) z = Neg(y) }";
  const Outcome both = check(inputs + "(float[B, T] y, float[B, T] z)" + body);
  CHECK(both.verdicts == "proved 0, refuted 0, undetermined 2");
  CHECK_THAT(both.report, ContainsSubstring("SHP204") && ContainsSubstring("T == P + S") &&
                              ContainsSubstring("with S=1, P=1, T=1 it is 2, not 1") &&
                              ContainsSubstring("1 other annotation needs the same"));
  CHECK_THAT(both.report, !ContainsSubstring("SHP203"));
  // Under the condition T == P + S, z has S + P elements, not twice as many.
  const Outcome two = check(inputs + "(float[B, T] y, float[B, T] z)" +
                            " { y = Concat<axis = 1>(p, x) z = Concat<axis = 1>(y, y) }");
  CHECK(two.verdicts == "proved 0, refuted 1, undetermined 1");
  CHECK_THAT(two.report, ContainsSubstring("declared T, inferred 2*P + 2*S"));
  // K is on no input: it is the name of B here and of a compound there.
  const Outcome own =
      check(inputs + "(float[K, S] n, float[B, K] y) { n = Neg(x) y = Concat<axis = 1>(p, x) }");
  CHECK(own.verdicts == "proved 1, refuted 1, undetermined 0");
  // In a run the sizes are numbers.
  CHECK(check(inputs + "(float[B, T] y, float[B, T] z)" + body,
              Given{{"x", {2, 1}}, {"p", {2, 3}}, {"mask", {2, 4}}})
            .verdicts == "proved 5, refuted 0, undetermined 0");
}

TEST_CASE("A counterexample is one that the model runs with") {
  // x broadcasts with 3 elements, so N is 1 or 3.
  CHECK_THAT(check("g (float[N] x) => (float[1] y, float[3] z) {"
                   " c = Constant<value_floats = [1.0, 2.0, 3.0]>() z = Add(x, c) y = Neg(x) }")
                 .report,
             ContainsSubstring("with N=3 it is 3, not 1"));
  // An index says how long the axis is at least.
  CHECK_THAT(check("g (float[N] x) => (float[7] y, float z) { k = Constant<value_int = 4>()"
                   " z = Gather(x, k) y = Neg(x) }")
                 .report,
             ContainsSubstring("with N=5 it is 5, not 7"));
}

TEST_CASE("In a run a branch that may not run refutes nothing") {
  const std::string text =
      "g (bool c, float[N] x) => (float[S] y, float w) {"
      " w = If(c) <then_branch = t () => (float v) { s = Neg(x) k = Constant<value_int = 0>()"
      " v = Gather(s, k) }, else_branch = e () => (float u) { u = Constant<value_float = 1.0>() }>"
      " y = Concat<axis = 0>(x, x) }";
  onnx::ModelProto proto = parse_model(with_header(text));
  onnx::ValueInfoProto* info =
      proto.mutable_graph()->mutable_node(0)->mutable_attribute(0)->mutable_g()->add_value_info();
  info->set_name("s");
  auto* tensor = info->mutable_type()->mutable_tensor_type();
  tensor->set_elem_type(onnx::TensorProto::FLOAT);
  tensor->mutable_shape()->add_dim()->set_dim_param("S");
  LoadedModel loaded(proto.SerializeAsString());
  InferOptions options;
  options.observe = true;
  options.inputs.emplace();
  (*options.inputs)[loaded.value("x")].elem = ElemType::kFloat;
  (*options.inputs)[loaded.value("x")].shape = {2};
  (*options.inputs)[loaded.value("c")].elem = ElemType::kBool;
  const Inference inference = infer(*loaded, default_rules(), nullptr, options, loaded.findings);
  // S is 4, and 2 in the branch, if it runs.
  const CheckResult result = check_annotations(*loaded, inference, {.run = true}, loaded.findings);
  CHECK(loaded.report() == "");
  CHECK(result.count(Verdict::kUndetermined) == 1);
}

TEST_CASE("A loop that runs no time asserts nothing, and one that runs asserts") {
  const auto loop = [](const std::string& limit) {
    return check("g (float[N] x, bool c) => (y) { m = Constant<value_int = " + limit + ">()" +
                     " y = Loop(m, , x) <body = b (int64 i, bool ci, v) => (co, float[9] w)"
                     " { co = Identity(c) w = Neg(v) }> }",
                 Given{{"x", {2}}, {"c", {}}});
  };
  CHECK(loop("0").report == "");
  // Whether it runs a second time depends on c; once it does.
  CHECK_THAT(loop("5").report, ContainsSubstring("declared 9, inferred 2"));
}

TEST_CASE("A compound on an input promises a size of that form") {
  onnx::ModelProto proto =
      parse_model(with_header("g (float[N] x) => (float[2, K] y) { t = Constant<value_ints = [2, "
                              "-1]>() y = Reshape(x, t) }"));
  const auto set = [](onnx::ValueInfoProto* value, int axis, const std::string& text) {
    value->mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim(axis)->set_dim_param(
        text);
  };
  const auto report = [&](bool promise) {
    LoadedModel loaded(proto.SerializeAsString());
    InferOptions options;
    options.observe = true;
    options.declare.inputs_declare_compounds = promise;
    const Inference inference = infer(*loaded, default_rules(), nullptr, options, loaded.findings);
    (void)check_annotations(*loaded, inference, {}, loaded.findings);
    return loaded.report();
  };
  set(proto.mutable_graph()->mutable_input(0), 0, "2*h");
  set(proto.mutable_graph()->mutable_output(0), 1, "h");
  CHECK(report(true) == "");
  set(proto.mutable_graph()->mutable_output(0), 1, "h + 1");
  CHECK_THAT(report(true),
             ContainsSubstring("declared h + 1, inferred h; with h=1 it is 1, not 2"));
}

TEST_CASE("A size below 0 is never right") {
  onnx::ModelProto proto =
      parse_model(with_header("g (float[N] x) => (float[N] y) { y = Neg(x) }"));
  proto.mutable_graph()
      ->mutable_output(0)
      ->mutable_type()
      ->mutable_tensor_type()
      ->mutable_shape()
      ->mutable_dim(0)
      ->set_dim_value(-1);
  LoadedModel loaded(proto.SerializeAsString());
  InferOptions options;
  options.observe = true;
  const Inference inference = infer(*loaded, default_rules(), nullptr, options, loaded.findings);
  CHECK(check_annotations(*loaded, inference, {}, loaded.findings).count(Verdict::kRefuted) == 1);
  CHECK_THAT(loaded.report(), ContainsSubstring("declared -1, inferred N"));
}

TEST_CASE("What either branch decides is decided") {
  const auto choice = [](const std::string& declared, const std::string& two) {
    return check("g (bool c, float[N] x) => (" + declared +
                 " y) { z = If(c) <then_branch = t () => (a) { a = Neg(x) },"
                 " else_branch = e () => (b) { " +
                 two + " }> y = Abs(z) }");
  };
  // Ranks 1 and 2, sizes N and 2*N.
  const std::string column = "m = Constant<value_ints = [1]>() b = Unsqueeze(x, m)";
  const std::string twice = "b = Concat<axis = 0>(x, x)";
  const Outcome rank = choice("float", column);
  CHECK(rank.verdicts == "proved 0, refuted 1, undetermined 0");
  CHECK_THAT(rank.report, ContainsSubstring("SHP201"));
  CHECK(choice("float[N]", column).verdicts == "proved 0, refuted 0, undetermined 1");
  CHECK(choice("float[K]", twice).verdicts == "proved 1, refuted 0, undetermined 0");
  CHECK_THAT(choice("int64[K]", twice).report, ContainsSubstring("SHP202"));
}

TEST_CASE("Wrong ranks and types are refuted") {
  CHECK_THAT(check("g (float[N] x) => (float[N, 1] y) { y = Neg(x) }").report,
             ContainsSubstring("SHP201"));
  CHECK_THAT(check("g (float[N] x) => (int64[N] y) { y = Neg(x) }").report,
             ContainsSubstring("SHP202"));
}

TEST_CASE("The first axis that bears a name alone defines it") {
  const std::string body = " { y = Concat<axis = 0>(x, x) z = Neg(y) w = Neg(x) }";
  const Outcome good = check("g (float[N] x) => (float[K] y, float[K] z, float[N] w)" + body);
  CHECK(good.verdicts == "proved 3, refuted 0, undetermined 0");
  CHECK(good.bindings == "K=2*N ");
  const Outcome bad = check("g (float[N] x) => (float[K] y, float[K] z, float[K] w)" + body);
  CHECK(bad.verdicts == "proved 2, refuted 1, undetermined 0");
  // 2*N and N are equal for N=0 alone, so N=1 is the smallest size that shows it.
  CHECK_THAT(bad.report, ContainsSubstring("declared K, which is 2*N on 'y', inferred N; with N=1 "
                                           "it is 1, not 2"));
}

TEST_CASE("What depends on data is undetermined") {
  const Outcome outcome = check("g (float[N] x) => (int64[1, N] y) { y = NonZero(x) }");
  CHECK(outcome.verdicts == "proved 0, refuted 0, undetermined 1");
  CHECK(outcome.report == "");
  // A name of its own is defined by it.
  CHECK(check("g (float[N] x) => (int64[1, K] y) { y = NonZero(x) }").verdicts ==
        "proved 1, refuted 0, undetermined 0");
}

TEST_CASE("A declaration does not prove itself") {
  const std::string model =
      "<ir_version: 10, opset_import: [\"\" : 21, \"own\" : 1]>\n"
      "g (float[N] x) => (float[N, 2] y, float[N, 3] z) { y = own.Op(x) z = Neg(y) }";
  const Outcome outcome = check(model);
  // z contradicts what is declared of y, of which nothing else is known.
  CHECK(outcome.verdicts == "proved 0, refuted 1, undetermined 1");
}

TEST_CASE("Declared expressions are checked as expressions, or as names") {
  const std::string model =
      "g (float[N] x) => (float[M] y, float[K] z) { y = Concat<axis = 0>(x, x) z = Neg(x) }";
  const auto with_text = [&](const std::string& text, bool opaque) {
    onnx::ModelProto proto = parse_model(with_header(model));
    proto.mutable_graph()
        ->mutable_output(0)
        ->mutable_type()
        ->mutable_tensor_type()
        ->mutable_shape()
        ->mutable_dim(0)
        ->set_dim_param(text);
    LoadedModel loaded(proto.SerializeAsString());
    InferOptions options;
    options.observe = true;
    options.declare.opaque = opaque;
    const Inference inference = infer(*loaded, default_rules(), nullptr, options, loaded.findings);
    return check_annotations(*loaded, inference, {}, loaded.findings).count(Verdict::kRefuted);
  };
  CHECK(with_text("N + N", false) == 0);
  CHECK(with_text("N + 1", false) == 1);
  CHECK(with_text("2*K", false) == 0);
  CHECK(with_text("2*K + 1", false) == 1);
  CHECK(with_text("N + 1", true) == 0);
}

TEST_CASE("What a node needs of the inputs and nobody says is reported") {
  const Outcome outcome =
      check("g (float[2, N] x, float[M, 3] w) => (float[2, 3] y) { y = MatMul(x, w) }");
  CHECK_THAT(outcome.report, ContainsSubstring("SHP301"));
  CHECK_THAT(outcome.report, ContainsSubstring("MatMul"));
  CHECK(outcome.verdicts == "proved 1, refuted 0, undetermined 0");
  CHECK(check("g (float[2, N] x, float[N, 3] w) => (float[2, 3] y) { y = MatMul(x, w) }").report ==
        "");
}

TEST_CASE("Each call of a function is checked") {
  const std::string model =
      "<ir_version: 10, opset_import: [\"\" : 21, \"own\" : 1]>\n"
      "g (float[N] x, float[M] z) => (float[N] y, float[M] w) { y = own.f(x) w = own.f(z) }\n"
      "<domain: \"own\", opset_import: [\"\" : 21]>\n"
      "f (a) => (b) <float[K] t> { t = Neg(a) b = Neg(t) }";
  // K is N in the first call and M in the second.
  CHECK_THAT(check(model).report, ContainsSubstring("declared K"));
  CHECK(check(model, Given{{"x", {3}}, {"z", {3}}}).report == "");
  CHECK_THAT(check(model, Given{{"x", {3}}, {"z", {4}}}).report,
             ContainsSubstring("declared K, which is 3 on 't', inferred 4"));
}

TEST_CASE("Names in branches of which one runs do not meet") {
  const Outcome outcome = check(
      "g (bool c, float[N] x, float[M] z) => (y) {"
      " y = If(c) <then_branch = t () => (float[K] a) { a = Neg(x) },"
      " else_branch = e () => (float[K] b) { b = Neg(z) }> }");
  CHECK(outcome.report == "");
}

TEST_CASE("The iterations of a loop are followed one by one in a run") {
  const auto loop = [](const std::string& inner, std::vector<int64_t> trips) {
    return check(
        "g (int64 m, float[N] x) => (y) { c = Constant<value = bool {1}>()"
        " one = Constant<value_floats = [1.0]>()"
        " y = Loop(m, c, x) <body = b (int64 i, bool ci, v) => (co, " +
            inner +
            " w)"
            " { co = Identity(ci) w = Concat<axis = 0>(v, one) }> }",
        Given{{"m", {}}, {"m!", std::move(trips)}, {"x", {4}}});
  };
  // The first iteration gives 5 elements, the second 6.
  CHECK(loop("float[5]", {1}).report == "");
  CHECK_THAT(loop("float[5]", {2}).report, ContainsSubstring("declared 5, inferred 6"));
  CHECK(loop("float[K]", {1}).bindings == "N=4 K=5 ");
  CHECK_THAT(loop("float[K]", {3}).report,
             ContainsSubstring("declared K, which is 5 on 'w', inferred 6"));
  // No iteration, nothing to check.
  CHECK(loop("float[7]", {0}).report == "");
}

TEST_CASE("A name that changes in a loop is at fault there, not elsewhere") {
  const Outcome outcome = check(
      "g (int64 m, float[N] x) => (float[K] y) { c = Constant<value = bool {1}>()"
      " one = Constant<value_floats = [1.0]>()"
      " y = Loop(m, c, x) <body = b (int64 i, bool ci, v) => (co, float[K] w)"
      " { co = Identity(ci) w = Concat<axis = 0>(v, one) }> }",
      Given{{"m", {}}, {"m!", {2}}, {"x", {4}}});
  CHECK_THAT(outcome.report, ContainsSubstring("output w[axis 0]: declared K, which is 5 on 'w', "
                                               "inferred 6"));
  CHECK_THAT(outcome.report, !ContainsSubstring("output y"));
  CHECK(outcome.bindings == "N=4 K=6 ");
}

TEST_CASE("What a Loop gives its body by itself is a scalar") {
  const auto loop = [](const std::string& counter, const std::string& condition) {
    return check(
        "g (float[N] x) => (y) { m = Constant<value = int64 {2}>()"
        " y = Loop(m, , x) <body = b (int64" +
        counter + " i, bool" + condition +
        " ci, v) => (co, w)"
        " { co = Identity(ci) w = Neg(v) }> }");
  };
  CHECK(loop("[]", "[]").report == "");
  CHECK_THAT(loop("[1]", "[]").report,
             ContainsSubstring("SHP201") &&
                 ContainsSubstring("the iteration number of a Loop is a scalar"));
  CHECK_THAT(loop("[]", "[K]").report, ContainsSubstring("the condition of a Loop is a scalar"));
}

TEST_CASE("In a run the inputs bind the names, and must fit") {
  const std::string model = "g (float[N, 4] x, float[N] z) => (float[N, 4] y) { y = Neg(x) }";
  const Outcome good = check(model, Given{{"x", {2, 4}}, {"z", {2}}});
  CHECK(good.report == "");
  CHECK(good.bindings == "N=2 ");
  CHECK_THAT(check(model, Given{{"x", {2, 4}}, {"z", {3}}}).report, ContainsSubstring("SHP705"));
  CHECK_THAT(check(model, Given{{"x", {2, 5}}, {"z", {2}}}).report, ContainsSubstring("SHP705"));
  CHECK_THAT(check(model, Given{{"x", {2}}, {"z", {2}}}).report, ContainsSubstring("SHP705"));
}

TEST_CASE("In a run contents of inputs decide shapes") {
  const std::string model = "g (float[N] x, int64[2] s) => (float[A, B] y) { y = Reshape(x, s) }";
  CHECK(check(model, Given{{"x", {6}}, {"s", {2}}, {"s!", {2, -1}}}).bindings == "N=6 A=2 B=3 ");
}

}  // namespace
}  // namespace onnx_shapes
