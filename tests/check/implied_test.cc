// What a model needs of its inputs, and what it promises of its outputs, beyond what is declared.
#include "check/check.h"
#include "tests/support/inferred.h"

namespace onnx_shapes {
namespace {

using namespace test;

InferOptions observed() {
  InferOptions options;
  options.observe = true;
  return options;
}

/// What the nodes need of the inputs' sizes, one line each.
std::string needs(const std::string& text) {
  InferredModel model(text, observed());
  report_implied(*model.loaded, model.inference, model.loaded.findings);
  return model.report();
}

/// What the declared outputs do not say, one line each. The first dim of the first output becomes
/// `dim`, which ONNX text cannot say.
std::string imprecise(const std::string& text, const std::string& dim = {}) {
  InferredModel model(text, observed(), [&](onnx::ModelProto& proto) {
    auto& type = *proto.mutable_graph()->mutable_output(0)->mutable_type()->mutable_tensor_type();
    if (!dim.empty()) type.mutable_shape()->mutable_dim(0)->set_dim_param(dim);
  });
  const CheckResult result =
      check_annotations(*model.loaded, model.inference, {}, model.loaded.findings);
  report_imprecise_outputs(*model.loaded, model.inference, result, model.loaded.findings);
  return model.report();
}

bool has(const std::string& report, std::string_view part) {
  INFO(report);
  return report.find(part) != std::string::npos;
}

TEST_CASE("A constant index needs an axis that is long enough") {
  const std::string report = needs(R"(g (float[N, 3] x) => (float[3] y)
      <int64 five = {5}> { y = Gather<axis = 0>(x, five) })");
  CHECK(has(report, "SHP306"));
  CHECK(has(report, "needs N >= 6, but the inputs' annotations do not say so; N=1 fails"));
  CHECK(has(needs(R"(g (float[N, 3] x) => (float[3] y)
      <int64 back = {-4}> { y = Gather<axis = 0>(x, back) })"),
            "needs N >= 4"));
  // A size of at least 1 goes without saying, and a number is checked by inference.
  CHECK(needs(R"(g (float[N, 3] x) => (float[3] y)
      <int64 first = {0}> { y = Gather<axis = 0>(x, first) })") == "");
  CHECK(needs(R"(g (float[6, 3] x) => (float[3] y)
      <int64 five = {5}> { y = Gather<axis = 0>(x, five) })") == "");
}

TEST_CASE("TopK needs as many elements as it finds") {
  CHECK(has(needs(R"(g (float[N] x) => (float[4] y, int64[4] i)
      <int64[1] k = {4}> { y, i = TopK(x, k) })"),
            "needs N >= 4, but the inputs' annotations do not say so; N=1 fails"));
  CHECK(has(needs(R"(g (float[N] x, float[K] z) => (float[K] y, int64[K] i)
      { k = Shape(z) y, i = TopK(x, k) })"),
            "needs K <= N, but the inputs' annotations do not say so; N=1, K=2 fails"));
}

TEST_CASE("A chain of windows says once what it needs") {
  // (N - 2) - 2 >= 0, from which N - 2 >= 0 follows.
  const std::string report = needs(R"(g (float[1, 1, N] x, float[1, 1, 3] w) => (float[1, 1, M] y)
      { h = Conv(x, w) y = Conv(h, w) })");
  CHECK(has(report, "needs N >= 4"));
  CHECK_FALSE(has(report, "needs N >= 2"));
}

TEST_CASE("What only a branch needs is not needed") {
  CHECK(needs(R"(g (bool c, float[N] x) => (float y) <int64 five = {5}> {
      y = If(c) <then_branch = a () => (float t) { t = Gather(x, five) },
                 else_branch = b () => (float e) { e = ReduceSum<keepdims = 0>(x) }> })") == "");
}

TEST_CASE("An output that says less than is proved is a note") {
  const std::string doubled = "{ y = Concat<axis = 0>(x, x) }";
  CHECK(has(imprecise("g (float[N, 3] x) => (float[M, 3] y) " + doubled),
            "declared [M, 3], and [2*N, 3] is proved"));
  CHECK(has(imprecise("g (float[N, 3] x) => (float[M, ?] y) " + doubled, "2*N"),
            "declared [2*N, ?], and [2*N, 3] is proved"));
  CHECK(has(imprecise("g (float[4, 3] x) => (float[M, 3] y) " + doubled), "[8, 3] is proved"));
  CHECK(imprecise("g (float[N, 3] x) => (float[M, 3] y) " + doubled, "2*N") == "");
}

TEST_CASE("A size that data decides cannot be said better") {
  CHECK(imprecise("g (float[N] x) => (int64[1, M] y) { y = NonZero(x) }") == "");
  CHECK(imprecise("g (float[N] x) => (int64[1, ?] y) { y = NonZero(x) }") == "");
}

TEST_CASE("What is false or not proved is not called imprecise") {
  CHECK_FALSE(has(imprecise("g (float[N, 3] x) => (float[?, 4] y) { y = Relu(x) }"), "SHP205"));
  // Nobody gave the input's size a name to say it with.
  CHECK(imprecise("g (float[?, 3] x) => (float[?, 3] y) { y = Relu(x) }") == "");
}

}  // namespace
}  // namespace onnx_shapes
