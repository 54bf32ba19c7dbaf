// --require: what is known less well than asked for, reported where it begins.
#include "gate/requirement.h"

#include "anchors/merge.h"
#include "tests/support/inferred.h"

namespace onnx_shapes::test {
namespace {

/// The findings of SHP405, a line each: `place: message`.
std::string unmet(const std::string& text, Requirement requirement,
                  const std::function<void(onnx::ModelProto&)>& change = {}) {
  InferOptions options;
  options.observe = true;
  InferredModel model(text, options, change);
  Findings findings;
  merge_anchors(*model.loaded, model.inference, {}, findings);
  Findings result;
  require_known(*model.loaded, model.inference, requirement, result);
  std::string lines;
  for (const Finding& finding : result.all()) {
    CHECK(finding.code == Code::kRequirementUnmet);
    CHECK(finding.severity == Severity::kError);
    CHECK(!finding.help.empty());
    lines += to_string(finding.place) + ": " + finding.message + "\n";
  }
  return lines;
}

constexpr char kStatic[] = "g (float[2, 3] x) => (float[2, 3] y) { y = Neg(x) }";
constexpr char kNamed[] =
    "g (float[N, 3] x, float[N, M] w) => (float[N, K] y) { h = Neg(x) y = Concat<axis = 1>(h, w) }";
constexpr char kNonZero[] =
    "g (float[N] x) => (int64[P, Q] y) { i = NonZero(x) j = Neg(i) y = Transpose(j) }";
constexpr char kNonZeroUnnamed[] =
    "g (float[N] x) => (int64 y) { i = NonZero(x) j = Neg(i) y = ReduceSum<keepdims = 0>(j) }";
constexpr char kCustom[] =
    "<ir_version: 10, opset_import: [\"\" : 21, \"my\" : 1]>\n"
    "g (float[N] x) => (float[N] y) { h = my.Unheard(x) k = Neg(h) y = Add(k, x) }";

}  // namespace

TEST_CASE("A model that is known well enough meets the requirement") {
  for (const Requirement requirement :
       {Requirement::kNone, Requirement::kRanks, Requirement::kNames, Requirement::kStatic}) {
    CHECK(unmet(kStatic, requirement) == "");
  }
  CHECK(unmet(kNamed, Requirement::kRanks) == "");
  CHECK(unmet(kNamed, Requirement::kNames) == "");
}

TEST_CASE("static asks for numbers, once for each name") {
  CHECK(unmet(kNamed, Requirement::kStatic) ==
        "<test>:graph:input x[axis 0]: the dim has no number but the name N; --require=static asks "
        "for more\n"
        "<test>:graph:input w[axis 1]: the dim has no number but the name M; --require=static asks "
        "for more\n");
}

TEST_CASE("A size that data decides has a name only where the author gives one") {
  // P names the number of non-zero elements, on the output.
  CHECK(unmet(kNonZero, Requirement::kNames) == "");
  CHECK(unmet(kNonZeroUnnamed, Requirement::kRanks) == "");
  CHECK(unmet(kNonZeroUnnamed, Requirement::kNames) ==
        "<test>:graph/NonZero_0:output i[axis 1]: the dim depends on the data that NonZero "
        "'NonZero_0' reads; --require=names asks for more\n");
}

TEST_CASE("names asks for a name on inputs too") {
  const auto unnamed = [](onnx::ModelProto& model) {
    auto* graph = model.mutable_graph();
    for (auto* info : {graph->mutable_input(0), graph->mutable_output(0)}) {
      info->mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim(0)->Clear();
    }
  };
  CHECK(unmet(kStatic, Requirement::kNames, unnamed) ==
        "<test>:graph:input x[axis 0]: the dim has no name; --require=names asks for more\n");
  CHECK(unmet(kStatic, Requirement::kRanks, unnamed) == "");
}

TEST_CASE("An unknown rank is reported where it begins") {
  CHECK(unmet(kCustom, Requirement::kRanks) ==
        "<test>:graph/Unheard_0:output h: the rank is not known; --require=ranks asks for more\n");
}

TEST_CASE("A size that a loop changes has no name, and is reported at the body's input") {
  const std::string text = R"(
g (int64 trips, bool go, float[N] x) => (float[P] y) {
  y = Loop (trips, go, x) <body = b (int64 i, bool c, float[K] s) => (bool d, float[L] t) {
    d = Identity(c)
    t = Concat<axis = 0>(s, s)
  }>
})";
  const auto undeclared = [](onnx::ModelProto& model) {
    auto* graph = model.mutable_graph();
    auto* body = graph->mutable_node(0)->mutable_attribute(0)->mutable_g();
    for (auto* info : {graph->mutable_output(0), body->mutable_input(2), body->mutable_output(1)}) {
      info->mutable_type()
          ->mutable_tensor_type()
          ->mutable_shape()
          ->mutable_dim(0)
          ->clear_dim_param();
    }
  };
  CHECK(unmet(text, Requirement::kRanks, undeclared) == "");
  // After the loop the size is one, which the author could name.
  CHECK(
      unmet(text, Requirement::kNames, undeclared) ==
      "<test>:graph/Loop_0:output y[axis 0]: the dim depends on the data that Loop 'Loop_0' reads; "
      "--require=names asks for more\n"
      "<test>:graph/Loop_0.body:input s[axis 0]: the dim may differ from one iteration to the "
      "next; "
      "--require=names asks for more\n");
}

TEST_CASE("Functions are left out, their results are not") {
  const std::string text = R"(<ir_version: 10, opset_import: ["" : 21, "my" : 1]>
g (float[N] x, float[M] w) => (float[N] a, float[M] b) { a = my.f(x) b = my.f(w) }
<domain: "my", opset_import: ["" : 21]> f (p) => (r) { q = Neg(p) r = Neg(q) })";
  CHECK(unmet(text, Requirement::kNames) == "");
}

TEST_CASE("The texts of --require") {
  CHECK(read_requirement("none") == Requirement::kNone);
  CHECK(read_requirement("ranks") == Requirement::kRanks);
  CHECK(read_requirement("names") == Requirement::kNames);
  CHECK(read_requirement("static") == Requirement::kStatic);
  CHECK(!read_requirement("some"));
}

}  // namespace onnx_shapes::test
