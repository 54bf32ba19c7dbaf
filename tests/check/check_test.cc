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
  if (run) {
    options.max_unrolled_visits = 10'000;
    options.inputs.emplace();
    for (const auto& [name, shape] : *run) {
      if (name.ends_with('!')) continue;
      const ValueId id = loaded.value(name);
      const Annotation& annotation = loaded->annotations()[loaded->value(id).input_annotation];
      GivenInput input{.elem = annotation.type.elem, .shape = shape, .integers = {}, .numbers = {}};
      if (run->contains(name + "!")) input.integers = run->at(name + "!");
      options.inputs->emplace(id, input);
    }
  }
  const std::unique_ptr<Fallback> fallback = make_schema_fallback(*loaded);
  const Inference inference =
      infer(*loaded, default_rules(), fallback.get(), options, loaded.findings);
  const CheckResult result =
      check_annotations(*loaded, inference, {.run = run.has_value()}, loaded.findings);
  if (!run) report_implied_equalities(*loaded, inference, loaded.findings);
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
  // N=0, M=1 is the smallest pair that differs by sum and then by order of symbol.
  const Outcome outcome = check("g (float[N] x, float[M] z) => (float[M] y) { y = Neg(x) }");
  CHECK_THAT(outcome.report, ContainsSubstring("declared M, inferred N; with N=0, M=1 it is 0, "
                                               "not 1"));
  CHECK(outcome.verdicts == "proved 0, refuted 1, undetermined 0");
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
