// What changes for the callers of a model: pairs of models and what is told of them.
#include "check/contract.h"

#include "anchors/merge.h"
#include "tests/support/inferred.h"

namespace onnx_shapes {
namespace {

using namespace test;

Contract contract(const std::string& text, InferredModel& model) {
  INFO(text);
  merge_anchors(*model.loaded.model, model.inference, {}, model.loaded.findings);
  CHECK(model.report() == "");
  return contract_of(*model.loaded.model, model.inference);
}

/// `SHP813 x[axis 1]: it was M, and is 4`, a line each.
std::string changes(const std::string& before, const std::string& after) {
  InferredModel old_model(before);
  InferredModel new_model(after);
  const Contract old_contract = contract(before, old_model);
  const Contract new_contract = contract(after, new_model);
  Findings findings;
  compare_contracts(old_contract, new_contract, findings);
  std::string text;
  for (const Finding& finding : findings.all()) {
    text += code_id(finding.code) + " " + finding.place.value;
    if (finding.place.axis) text += fmt::format("[axis {}]", *finding.place.axis);
    text += ": " + finding.message + "\n";
  }
  return text;
}

struct Row {
  std::string before, after, told;
};

void check(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    INFO(row.before << "\n" << row.after);
    CHECK(changes(row.before, row.after) == row.told);
  }
}

const std::string kNeg = " { y = Neg(x) }";
const std::string kDouble = " { y = Concat<axis = 0>(x, x) }";

}  // namespace

TEST_CASE("Contracts that say the same") {
  check({
      {"g (float[N, 4] x) => (float[N, 4] y)" + kNeg, "g (float[N, 4] x) => (float[N, 4] y)" + kNeg,
       ""},
      // What is proved of an output belongs to the contract, declared or not.
      {"g (float[N, 4] x) => (float[N, 4] y)" + kNeg, "g (float[N, 4] x) => (float[?, ?] y)" + kNeg,
       ""},
      {"g (float[N] x) => (float[?] y)" + kDouble, "g (float[N] x) => (float[] y)" + kDouble, ""},
      // An output before an input decides nothing about names.
      {"g (float[N] x, float[M] z) => (float[N] y)" + kNeg,
       "g (float[N] x, float[M] z) => (float[N] y) { a = Abs(z) y = Neg(x) }", ""},
  });
}

TEST_CASE("Another name everywhere breaks nobody") {
  check({
      {"g (float[N, M] x) => (float[M, N] y) { y = Transpose(x) }",
       "g (float[M, N] x) => (float[N, M] y) { y = Transpose(x) }",
       "SHP818 x[axis 0]: N is called M now\nSHP818 x[axis 1]: M is called N now\n"},
      {"g (float[N] x) => (float[?] y)" + kDouble, "g (float[batch] x) => (float[?] y)" + kDouble,
       "SHP818 x[axis 0]: N is called batch now\n"},
  });
}

TEST_CASE("An input accepts less") {
  check({
      {"g (float[N] x) => (float[N] y)" + kNeg, "g (float[4] x) => (float[4] y)" + kNeg,
       "SHP813 x[axis 0]: it was N, and is 4\nSHP815 y[axis 0]: it was N, and is 4\n"},
      {"g (float[4] x) => (float[4] y)" + kNeg, "g (float[5] x) => (float[5] y)" + kNeg,
       "SHP813 x[axis 0]: it was 4, and is 5\nSHP815 y[axis 0]: it was 4, and is 5\n"},
      {"g (float[N, M] x) => (float[N, M] y)" + kNeg, "g (float[N, N] x) => (float[N, N] y)" + kNeg,
       "SHP813 x[axis 1]: it was M, and has to be N now, as another axis that was N\n"
       "SHP815 y[axis 1]: it was M, and is N\n"},
      {"g (float[?, ?] x) => (float[?, ?] y)" + kNeg, "g (float[N, N] x) => (float[N, N] y)" + kNeg,
       "SHP813 x[axis 1]: it was ?, and has to be N now, as another axis that was ?\n"
       "SHP817 y[axis 0]: it was unnamed, and is N\nSHP817 y[axis 1]: it was unnamed, and is N\n"},
      {"g (float[N] x) => (float[N] y)" + kNeg, "g (double[N] x) => (double[N] y)" + kNeg,
       "SHP813 x: it was of float, and is of double\nSHP815 y: it was of float, and is of "
       "double\n"},
      {"g (float[N] x) => (float[N] y)" + kNeg, "g (float[N, 1] x) => (float[N, 1] y)" + kNeg,
       "SHP813 x: it had rank 1, and has rank 2\nSHP815 y: it had rank 1, and has rank 2\n"},
      {"g (float[] x) => (float[] y)" + kNeg, "g (float[N] x) => (float[N] y)" + kNeg,
       "SHP813 x: it had any rank, and has rank 1\nSHP817 y: it had any rank, and has rank 1\n"},
      {"g (float[N] x) => (float[N] y)" + kNeg,
       "g (seq(float[N]) x) => (float[N] y)"
       " { zero = Constant<value_int = 0>() y = SequenceAt(x, zero) }",
       "SHP813 x: it was a tensor, and is a sequence\n"},
  });
}

TEST_CASE("An input accepts more") {
  check({
      // What held of 4 elements still does: callers pass no others yet.
      {"g (float[4] x) => (float[8] y)" + kDouble, "g (float[N] x) => (float[?] y)" + kDouble,
       "SHP817 x[axis 0]: it was 4, and may be any size\n"},
      {"g (float[N, N] x) => (float[N, N] y)" + kNeg, "g (float[N, M] x) => (float[N, M] y)" + kNeg,
       "SHP817 x[axis 1]: it was N, and may differ from N now\n"},
      {"g (float[N] x) => (float[N] y)" + kNeg, "g (float[] x) => (float[] y)" + kNeg,
       "SHP817 x: it had rank 1, and has any rank\nSHP815 y: it had rank 1, and has any rank\n"},
  });
}

TEST_CASE("An output promises less, more or something else") {
  check({
      {"g (float[N] x) => (float[N] y)" + kNeg, "g (float[N] x) => (float[?] y)" + kDouble,
       "SHP815 y[axis 0]: it was N, and is 2*N\n"},
      {"g (float[N] x) => (int64[1, N] y)"
       " { s = Shape(x) one = Constant<value_ints = [1]>() t = Concat<axis = 0>(one, s)"
       " f = ConstantOfShape<value = int64[1] {1}>(t) y = Neg(f) }",
       "g (float[N] x) => (int64[1, K] y) { y = NonZero(x) }",
       "SHP815 y[axis 1]: it was N, and is K\n"},
      {"g (float[N] x) => (int64[1, K] y) { y = NonZero(x) }",
       "g (float[N] x) => (int64[1, nonzero] y) { y = NonZero(x) }", ""},
      {"g (float[N] x) => (float[N] y)" + kNeg,
       "g (float[N] x) => (float[N] y, float[N] z) { y = Neg(x) z = Abs(x) }",
       "SHP817 z: a new output\n"},
      // One size that only outputs have, which becomes two.
      {"g (float[N] x) => (int64[1, K] y, int64[1, K] z) { y = NonZero(x) z = Identity(y) }",
       "g (float[N] x) => (int64[1, K] y, int64[1, L] z)"
       " { y = NonZero(x) m = Relu(x) z = NonZero(m) }",
       "SHP815 z[axis 1]: it was K, and is L\n"},
  });
}

TEST_CASE("Inputs and outputs that come, go or move") {
  check({
      {"g (float[N] x, float[N] w) => (float[N] y) { y = Add(x, w) }",
       "g (float[N] x) => (float[N] y)" + kNeg, "SHP811 w: the new model has no such input\n"},
      {"g (float[N] x) => (float[N] y)" + kNeg,
       "g (float[N] x, float[N] w) => (float[N] y) { y = Add(x, w) }",
       "SHP812 w: the old model has no such input\n"},
      {"g (float[N] x) => (float[N] y)" + kNeg,
       "g (float[N] x, float[1] w = {1}) => (float[N] y) { y = Add(x, w) }",
       "SHP817 w: a new input, which callers may leave out\n"},
      {"g (float[N] x, float[1] w = {1}) => (float[N] y) { y = Add(x, w) }",
       "g (float[N] x, float[1] w) => (float[N] y) { y = Add(x, w) }",
       "SHP813 w: callers could leave it out, and now have to pass it\n"},
      {"g (float[N] x) => (float[N] y, float[N] z) { y = Neg(x) z = Abs(x) }",
       "g (float[N] x) => (float[N] y)" + kNeg, "SHP814 z: the new model has no such output\n"},
      {"g (float[N] x) => (float[N] y, float[N] z) { y = Neg(x) z = Abs(x) }",
       "g (float[N] x) => (float[N] z, float[N] y) { y = Neg(x) z = Abs(x) }",
       "SHP816 z: the outputs were y, z, and are z, y\n"},
      {"g (float[N] a, float[M] b) => (float[N] y) { y = Neg(a) }",
       "g (float[M] b, float[N] a) => (float[N] y) { y = Neg(a) }",
       "SHP816 b: the inputs were a, b, and are b, a\n"},
  });
}

}  // namespace onnx_shapes
