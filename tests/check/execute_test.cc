#include "check/execute.h"

#include <set>

#include "tests/support/inferred.h"

namespace onnx_shapes {
namespace {

using namespace test;
using Catch::Matchers::ContainsSubstring;

StoredValue tensor(ElemType elem, std::vector<int64_t> dims,
                   std::optional<std::vector<int64_t>> integers = {}) {
  StoredValue value;
  value.elem = elem;
  value.dims = std::move(dims);
  value.integers = std::move(integers);
  return value;
}

/// Knows what each value is; what it does not know it cannot run.
class FakeRunner : public Runner {
 public:
  explicit FakeRunner(std::map<std::string, StoredValue> values) : values_(std::move(values)) {}

  Result<std::vector<StoredValue>, std::string> run(const ModelSlice& slice,
                                                    std::span<const RunInput> inputs,
                                                    const RunLimits&) override {
    std::string line;
    for (const RunInput& input : inputs) line += input.name + " ";
    line += "->";
    std::vector<StoredValue> results;
    for (const std::string& name : slice.output_names) {
      line += " " + name;
      if (!values_.contains(name)) {
        log += line + " fails\n";
        return Failure{"no kernel for " + name};
      }
      results.push_back(values_.at(name));
    }
    log += line + "\n";
    return results;
  }

  std::string log;  // a line a run: "x y -> k"

 private:
  std::map<std::string, StoredValue> values_;
};

struct Decided {
  std::string verdicts;  // "y proved, z refuted"
  std::string ran;
  std::string report;
};

using Shapes = std::map<std::string, std::vector<int64_t>>;

Decided execute(const std::string& graph, const Shapes& shapes,
                std::map<std::string, StoredValue> values) {
  LoadedModel model(
      parse_model(graph.starts_with('<') ? graph : with_header(graph)).SerializeAsString());
  FakeRunner runner(std::move(values));
  const std::unique_ptr<Fallback> fallback = make_schema_fallback(*model);
  InferOptions options;
  options.observe = true;
  options.max_unrolled_visits = 10'000;
  options.inputs.emplace();
  for (const auto& [name, shape] : shapes) {
    const ValueId id = model.value(name);
    GivenInput input;
    input.elem = model->annotations()[model->value(id).input_annotation].type.elem;
    input.shape = shape;
    options.inputs->emplace(id, input);
  }
  const size_t mark = model.findings.mark();
  const auto judge = [&](const Computed& computed) {
    model.findings.roll_back(mark);
    options.computed = computed.values;
    options.iterations = computed.iterations;
    Judged judged{
        .inference = infer(*model, default_rules(), fallback.get(), options, model.findings),
        .result = {}};
    judged.result = check_annotations(*model, judged.inference, {.run = true}, model.findings);
    return judged;
  };
  const RunInputs inputs = {
      .given = [&](ValueId id) { return shapes.contains(std::string(model->value(id).name)); },
      .read = [&](const std::vector<ValueId>& ids) -> Expected<std::vector<RunInput>> {
        std::vector<RunInput> contents(ids.size());
        for (size_t i = 0; i < ids.size(); ++i) contents[i].name = model->value(ids[i]).name;
        return contents;
      }};
  Executed executed;
  const Judged judged =
      judge_by_running(*model, runner, inputs, judge, {}, executed, model.findings);
  Decided decided;
  for (const Judgement& judgement : judged.result.judgements) {
    const Annotation& annotation = model->annotations()[judgement.annotation];
    if (annotation.role == Annotation::Role::kInput) continue;
    decided.verdicts += fmt::format("{}{} {}", decided.verdicts.empty() ? "" : ", ",
                                    annotation.name, verdict_name(judgement.verdict));
  }
  decided.ran = runner.log;
  decided.report = model.report();
  return decided;
}

constexpr ElemType kInt = ElemType::kInt64;
constexpr ElemType kFloat = ElemType::kFloat;

}  // namespace

TEST_CASE("The contents that decide a size are computed, and nothing after them") {
  const std::string graph =
      "g (float[10] x, float[5] s) => (float[{}] y) {{\n"
      "  m = ReduceMax<keepdims = 1>(s)\n  k = Cast<to = 7>(m)\n  y, i = TopK(x, k)\n}}";
  const auto with = [&](const char* size) {
    return execute(fmt::format(fmt::runtime(graph), size), {{"x", {10}}, {"s", {5}}},
                   {{"k", tensor(kInt, {1}, {{3}})}});
  };
  const Decided right = with("3");
  CHECK(right.verdicts == "y proved");
  CHECK(right.ran == "s -> k\n");
  CHECK(right.report == "");
  const Decided wrong = with("4");
  CHECK(wrong.verdicts == "y refuted");
  CHECK_THAT(wrong.report,
             ContainsSubstring("SHP203") && ContainsSubstring("declared 4, inferred 3"));
}

TEST_CASE("Nothing runs where nothing is undetermined") {
  const Decided decided =
      execute("g (float[N] x) => (float[N] y, int64[1, K] z) { y = Abs(x) z = NonZero(x) }",
              {{"x", {4}}}, {});
  CHECK(decided.verdicts == "y proved, z proved");  // K is what z says
  CHECK(decided.ran == "");
}

TEST_CASE("Where the contents are too many, what the operator gives is computed") {
  const Decided decided = execute("g (float[N] x) => (int64[1, 2] z) { h = Abs(x) z = NonZero(h) }",
                                  {{"x", {9000}}}, {{"z", tensor(kInt, {1, 2})}});
  CHECK(decided.verdicts == "z proved");
  CHECK(decided.ran == "x -> z\n");
}

TEST_CASE("A size that was computed holds wherever it comes") {
  // The relation between the outputs is inference's: only z is run.
  const Decided decided = execute(
      "g (float[N] x) => (float[7] a, float[14] b) {\n"
      "  h = Abs(x)\n  z = NonZero(h)\n  zero = Constant<value = int64[1] {0}>()\n  t = Squeeze(z, "
      "zero)\n  a = Gather(h, t)\n"
      "  b = Concat<axis = 0>(a, a)\n}",
      {{"x", {9000}}}, {{"z", tensor(kInt, {1, 7})}});
  CHECK(decided.verdicts == "a proved, b proved");
  CHECK(decided.ran == "x -> z\n");
}

TEST_CASE("What is decided may show what else to run") {
  const Decided decided = execute(
      "g (float[N] x, float[2] s) => (int64[1, 4] z) {\n"
      "  m = Cast<to = 7>(s)\n  r = ConstantOfShape(m)\n  q = Reshape(x, m)\n  u = Abs(q)\n"
      "  z = NonZero(w)\n  o = Add(u, r)\n  f = Flatten<axis = 0>(o)\n  w = Squeeze(f)\n}",
      {{"x", {9000}}, {"s", {2}}},
      {{"m", tensor(kInt, {2}, {{90, 100}})}, {"z", tensor(kInt, {1, 4})}});
  CHECK(decided.verdicts == "z proved");
  CHECK_THAT(decided.ran, ContainsSubstring("-> z\n"));
}

TEST_CASE("A condition that is computed takes its branch, and what is in it is judged") {
  const std::string graph = R"(g (float[N] x, float[3] s) => (float[B] y) {
    r = ReduceSum<keepdims = 0>(s)
    c = Cast<to = 9>(r)
    y = If(c) <then_branch = t () => (float[4] p) { p = Abs(x) },
               else_branch = e () => (float[9] q) { q = Concat<axis = 0>(x, x) }>
  })";
  const Decided yes =
      execute(graph, {{"x", {4}}, {"s", {3}}}, {{"c", tensor(ElemType::kBool, {}, {{1}})}});
  CHECK(yes.ran == "s -> c\n");
  CHECK_THAT(yes.verdicts, ContainsSubstring("p proved") && !ContainsSubstring("q"));
  const Decided no =
      execute(graph, {{"x", {4}}, {"s", {3}}}, {{"c", tensor(ElemType::kBool, {}, {{0}})}});
  CHECK_THAT(no.verdicts, ContainsSubstring("q refuted") && !ContainsSubstring("p "));
}

TEST_CASE("Values of a branch that runs are computed too") {
  const Decided decided = execute(R"(g (float[N] x) => (float[B] y) {
    c = Constant<value = bool {1}>()
    y = If(c) <then_branch = t () => (float[B] p) <int64[1, 3] z> {
                 z = NonZero(x)
                 p = Cast<to = 1>(x)
               },
               else_branch = e () => (float[9] q) { q = Concat<axis = 0>(x, x) }>
  })",
                                  {{"x", {9000}}}, {{"z", tensor(kInt, {1, 5})}});
  CHECK(decided.ran == "x -> z\n");
  CHECK_THAT(decided.verdicts, ContainsSubstring("z refuted"));
}

TEST_CASE("The trip count of a Loop is computed, and its iterations are followed") {
  const Decided decided = execute(R"(g (float[N] x, float[1] s) => (float[12] y, float[A, 8] z) {
    r = Squeeze(s)
    m = Cast<to = 7>(r)
    c = Constant<value = bool {1}>()
    y, z = Loop(m, c, x) <body = b (int64 i, bool g, float[P] v) => (bool go, float[Q] w, float[8] o) {
      go = Identity(g)
      h = Slice(v, zero, four)
      w = Concat<axis = 0>(v, h)
      o = Concat<axis = 0>(h, h)
    }>
    zero = Constant<value = int64[1] {0}>()
    four = Constant<value = int64[1] {4}>()
  })",
                                  {{"x", {4}}, {"s", {1}}}, {{"m", tensor(kInt, {}, {{2}})}});
  CHECK(decided.ran == "s -> m\n");
  CHECK_THAT(decided.verdicts, ContainsSubstring("y proved"));
}

TEST_CASE("The iterations of a Loop are followed by what they compute") {
  const auto with = [](std::vector<int64_t> sizes) {
    return execute(R"(g (float[N] x) => (float[C] y, float[3] z) {
      m = Constant<value = int64 {9}>()
      c = Constant<value = bool {1}>()
      y, z = Loop(m, c, x) <body = b (int64 i, bool g, float[P] v) => (bool go, float[P] w, float o) <int64[1, 2] n>
      { n = NonZero(v)
        w = Abs(v)
        o = ReduceMax<keepdims = 0>(w)
        zero = Constant<value = float {0}>()
        go = Less(o, zero)
      }>
    })",
                   {{"x", {9000}}},
                   {{"z", tensor(kFloat, {3})},
                    {"y", tensor(kFloat, {9000})},
                    {"onnx_shapes.all.0", tensor(kInt, {3, 2}, std::move(sizes))},
                    {"onnx_shapes.all.1", tensor(ElemType::kBool, {3}, {{1, 1, 0}})}});
  };
  const Decided right = with({1, 2, 1, 2, 1, 2});
  CHECK_THAT(right.verdicts, ContainsSubstring("n proved"));
  CHECK_THAT(with({1, 2, 1, 2, 1, 3}).verdicts, ContainsSubstring("n refuted"));
}

TEST_CASE("What a body inside a body computes stays undetermined, and says so") {
  const Decided decided = execute(R"(g (float[N] x) => (float[C] y) {
    m = Constant<value = int64 {2}>()
    c = Constant<value = bool {1}>()
    y = Loop(m, c, x) <body = b (int64 i, bool g, float[P] v) => (bool go, float[P] w)
    { go = Identity(g)
      k = ReduceMax<keepdims = 0>(v)
      zero = Constant<value = float {0}>()
      l = Less(k, zero)
      w = If(l) <then_branch = t () => (float[P] a) <int64[1, 2] n> { n = NonZero(v) a = Abs(v) },
                 else_branch = e () => (float[P] d) { d = Abs(v) }>
    }>
  })",
                                  {{"x", {9000}}}, {{"y", tensor(kFloat, {9000})}});
  CHECK_THAT(decided.verdicts, ContainsSubstring("n undetermined"));
}

TEST_CASE("What a function makes of data is known by what it gives") {
  const Decided decided = execute(R"(<ir_version: 10, opset_import: ["" : 21, "f" : 1]>
    g (float[N] x) => (int64[1, 6] z) { h = Abs(x) z = f.nz(h) }
    <domain: "f", opset_import: ["" : 21]> nz (a) => (c) { b = Neg(a) c = NonZero(b) })",
                                  {{"x", {9000}}}, {{"z", tensor(kInt, {1, 6})}});
  CHECK(decided.verdicts == "z proved");
  CHECK(decided.ran == "x -> z\n");
}

TEST_CASE("A rank that only a run shows is computed where it is lost") {
  const Decided decided = execute(
      "g (float[N] x, int64[K] d) => (float[2, 3, 4] y) {\n"
      "  e = Unique(d)\n  r = Reshape(x, e)\n  a = Abs(r)\n  y = Neg(a)\n}",
      {{"x", {24}}, {"d", {5000}}}, {{"e", tensor(kInt, {3}, {{2, 3, 4}})}});
  CHECK(decided.verdicts == "y proved");
  CHECK(decided.ran == "d -> e\n");
}

TEST_CASE("An operator without a rule is run where a verdict waits for it") {
  const Decided decided = execute(R"(<ir_version: 10, opset_import: ["" : 21, "my" : 1]>
    g (float[N] x) => (float[3] y) { h = Abs(x) y = my.Op(h) })",
                                  {{"x", {4}}}, {{"y", tensor(kFloat, {3})}});
  CHECK(decided.verdicts == "y proved");
  CHECK(decided.ran == "x -> y\n");
}

TEST_CASE("A sequence has the length that a run shows") {
  StoredValue sequence;
  sequence.kind = DeclaredType::Kind::kSequence;
  sequence.elements = {tensor(kFloat, {2}), tensor(kFloat, {2}), tensor(kFloat, {1})};
  const Decided decided = execute(
      "g (float[5] x, float[1] s) => (float[2] y, int64 n) {\n"
      "  r = Squeeze(s)\n  t = Cast<to = 7>(r)\n  q = SplitToSequence(x, t)\n"
      "  zero = Constant<value = int64 {0}>()\n  y = SequenceAt(q, zero)\n"
      "  n = SequenceLength(q)\n}",
      {{"x", {5}}, {"s", {1}}},
      {{"t", tensor(kInt, {}, {{2}})}, {"q", sequence}, {"y", tensor(kFloat, {2})}});
  CHECK(decided.verdicts == "y proved, n proved");
}

TEST_CASE("What cannot be run is one finding, and the rest is decided") {
  const Decided decided = execute(
      "g (float[N] x) => (int64[1, 2] a, int64[1, 3] b) {\n"
      "  h = Abs(x)\n  a = NonZero(h)\n  k = Neg(x)\n  b = NonZero(k)\n}",
      {{"x", {9000}}}, {{"b", tensor(kInt, {1, 3})}});
  CHECK(decided.verdicts == "a undetermined, b proved");
  CHECK(decided.ran == "x -> a fails\nx -> a fails\nx -> b\n");
  CHECK_THAT(decided.report, ContainsSubstring("SHP708") && ContainsSubstring("no kernel for a") &&
                                 !ContainsSubstring("'b'"));
}

TEST_CASE("A slice that needs an input of which only the shape is given is a finding") {
  const Decided decided = execute(
      "g (float[9000] x, float[9000] y) => (int64[1, 2] a) { h = Mul(x, y) a = NonZero(h) }",
      {{"x", {9000}}}, {{"a", tensor(kInt, {1, 2})}});
  CHECK(decided.verdicts == "a undetermined");
  CHECK(decided.ran == "");
  CHECK_THAT(decided.report, ContainsSubstring("SHP708") && ContainsSubstring("input 'y'"));
}

}  // namespace onnx_shapes
