// What is mended without asking.
#include "check/fixes.h"

#include "tests/support/inferred.h"

namespace onnx_shapes {
namespace {

using namespace test;

/// `input x: float["8"] -> float[8]`, a line each; `-> gone` for what is removed.
std::string fixes(const std::string& text,
                  const std::function<void(onnx::ModelProto&)>& change = {}) {
  InferOptions options;
  options.observe = true;
  InferredModel model(text, options, change);
  const CheckResult result =
      check_annotations(*model.loaded.model, model.inference, {}, model.loaded.findings);
  std::string lines;
  for (const Fix& fix : safe_fixes(*model.loaded.model, result).list) {
    lines += fmt::format("{} {}: {} -> {}\n", fix.place.role, fix.place.value, fix.before,
                         fix.after.empty() ? "gone" : fix.after);
  }
  return lines;
}

onnx::TensorShapeProto::Dimension& dim_of(onnx::ValueInfoProto& value, int axis) {
  return *value.mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim(axis);
}

}  // namespace

TEST_CASE("value_info that is refuted goes, other declarations stay") {
  CHECK(fixes("g (float[N, 4] x) => (float[N, 4] y) <float[N, 5] h> { h = Neg(x) y = Abs(h) }") ==
        "value_info h: float[\"N\", 5] -> gone\n");
  CHECK(fixes("g (float[N, 4] x) => (float[N, 4] y) <float[N] h> { h = Neg(x) y = Abs(h) }") ==
        "value_info h: float[\"N\"] -> gone\n");
  CHECK(fixes("g (float[N, 4] x) => (float[N, 4] y) <double[N, 4] h> { h = Neg(x) y = Abs(h) }") ==
        "value_info h: double[\"N\", 4] -> gone\n");
  // An output is what the author promises: that is for the author to settle.
  CHECK(fixes("g (float[N, 4] x) => (float[N, 5] y) <float[N, 4] h> { h = Neg(x) y = Abs(h) }") ==
        "");
  // A size that depends on data is not refuted.
  CHECK(fixes("g (float[N] x) => (int64[1, K] y) <int64[1, 7] h> { h = NonZero(x) y = Neg(h) }") ==
        "");
}

TEST_CASE("Sizes below 0 become unnamed, in every role") {
  const std::string lines =
      fixes("g (float[4, 4] x) => (float[4, 4] y) <float[4, 4] h> { h = Neg(x) y = Abs(h) }",
            [](onnx::ModelProto& model) {
              onnx::GraphProto& graph = *model.mutable_graph();
              dim_of(*graph.mutable_input(0), 0).set_dim_value(-1);
              dim_of(*graph.mutable_output(0), 0).set_dim_value(-1);
              dim_of(*graph.mutable_value_info(0), 0).set_dim_value(-2);
            });
  CHECK(lines ==
        "input x: float[-1, 4] -> float[?, 4]\n"
        "output y: float[-1, 4] -> float[?, 4]\n"
        "value_info h: float[-2, 4] -> float[?, 4]\n");
}

TEST_CASE("Numbers that stand where names should become numbers") {
  const std::string lines =
      fixes("g (float[N, M] x) => (float[N, M] y) { y = Neg(x) }", [](onnx::ModelProto& model) {
        onnx::GraphProto& graph = *model.mutable_graph();
        dim_of(*graph.mutable_input(0), 0).set_dim_param("8");
        dim_of(*graph.mutable_output(0), 0).set_dim_param("8");
        dim_of(*graph.mutable_output(0), 1).set_dim_param("-1");
      });
  CHECK(lines ==
        "input x: float[\"8\", \"M\"] -> float[8, \"M\"]\n"
        "output y: float[\"8\", \"-1\"] -> float[8, ?]\n");
}

TEST_CASE("Inside a branch and a sequence too") {
  const std::string branch =
      "{ c = Constant<value = bool {1}>() y = If (c) <"
      "then_branch = t () => (float[N] a) <float[3, N] h> { h = Neg(x) a = Abs(x) },"
      "else_branch = e () => (float[N] b) { b = Neg(x) }> }";
  CHECK(fixes("g (float[N] x) => (float[N] y) " + branch) ==
        "value_info h: float[3, \"N\"] -> gone\n");
  const std::string lines = fixes("g (seq(float[N]) x) => (seq(float[N]) y) { y = Identity(x) }",
                                  [](onnx::ModelProto& model) {
                                    model.mutable_graph()
                                        ->mutable_input(0)
                                        ->mutable_type()
                                        ->mutable_sequence_type()
                                        ->mutable_elem_type()
                                        ->mutable_tensor_type()
                                        ->mutable_shape()
                                        ->mutable_dim(0)
                                        ->set_dim_value(-1);
                                  });
  CHECK(lines == "input x: sequence(float[-1]) -> sequence(float[?])\n");
}

}  // namespace onnx_shapes
