// What the passes over a body that repeats keep and forget, seen through Loop.
#include "tests/support/inferred.h"

namespace onnx_shapes {
namespace {

using namespace test;

/// a, b = Loop(4, true) of two carried values a0, b0 that start as x: float[N, 3] and x.
std::string two_carried(const std::string& body) {
  return "g (float[N, 3] x, float[M, 3] z) => (a, b) { n = Constant<value_int = 4>()"
         " a, b = Loop(n, , x, x) <body = body (int64 i, bool c, a0, b0) => (c1, a1, b1)"
         " { c1 = Identity(c) " +
         body + " }> }";
}

TEST_CASE("What an iteration keeps is kept") {
  CHECK(inferred(two_carried("a1 = Neg(b0) b1 = Abs(a0)")) == "float[N, 3]; float[N, 3]");
}

TEST_CASE("A change of one carried value reaches another in a later pass") {
  // b is the a of the iteration before.
  CHECK(inferred(two_carried("a1 = Concat<axis = 0>(a0, z) b1 = Identity(a0)")) ==
        "float[Loop_a_d0, 3]; float[Loop_b_d0, 3]");
  // One that does not change stays.
  CHECK(inferred(two_carried("a1 = Concat<axis = 0>(a0, z) b1 = Neg(b0)")) ==
        "float[Loop_a_d0, 3]; float[N, 3]");
}

TEST_CASE("Values that change their rank, and what follows them") {
  CHECK(inferred(two_carried("ax = Constant<value_ints = [0]>() a1 = Unsqueeze(a0, ax)"
                             " b1 = Identity(a0)")) == "float?; float?");
}

TEST_CASE("A chain of carried values is as long as it needs") {
  // The change takes one pass a value to arrive.
  std::string formals, results, body, initial;
  constexpr int kCount = 8;
  for (int i = 0; i < kCount; ++i) {
    const std::string number = std::to_string(i);
    formals += ", p" + number;
    results += ", q" + number;
    initial += ", x";
    body += " q" + number +
            (i == 0 ? " = Concat<axis = 0>(p0, x)" : " = Identity(p" + std::to_string(i - 1) + ")");
  }
  const InferredModel model(
      "g (float[N, 3] x) => (y0, y7) { n = Constant<value_int = 9>()"
      " y0, y1, y2, y3, y4, y5, y6, y7 = Loop(n, " +
      initial + ") <body = body (int64 i, bool c" + formals + ") => (c1" + results +
      ") { c1 = Identity(c)" + body + " }> }");
  CHECK(model.report() == "");
  // 10*N after 9 iterations, 3*N for the last: neither is N.
  CHECK(model.fact("y0").find("[N") == std::string::npos);
  CHECK(model.fact("y7").find("[N") == std::string::npos);
}

TEST_CASE("What is found in a body that takes several passes is reported once") {
  const InferredModel model(
      "<ir_version: 10, opset_import: [\"\" : 21, \"mine\" : 1]>\n"
      "g (float[N] x) => (a) { n = Constant<value_int = 4>()"
      " a = Loop(n, , x) <body = body (int64 i, bool c, a0) => (c1, a1)"
      " { c1 = Identity(c) t = mine.Odd(a0) a1 = Concat<axis = 0>(a0, x) }> }");
  CHECK(model.loaded.findings.all().size() == 1);
  CHECK_THAT(model.report(), Catch::Matchers::ContainsSubstring("SHP401"));
}

}  // namespace
}  // namespace onnx_shapes
