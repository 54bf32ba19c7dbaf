// What matrix products share: numpy's shapes, and broadcasting in one direction.
#include "tests/rules/rule_cases.h"

namespace onnx_shapes::test {

TEST_CASE("Vectors and matrices multiply as in numpy", "[matmul]") {
  RULE_CASES({"matrix and stack", "MatMul", "f32[2,3] f32[5,3,4]", "f32[5,2,4]"},
             {"stack and matrix", "MatMul", "f32[5,2,3] f32[3,4]", "f32[5,2,4]"},
             {"vector and stack", "MatMul", "f32[3] f32[5,3,4]", "f32[5,4]"},
             {"stack and vector", "MatMul", "f32[5,2,3] f32[3]", "f32[5,2]"},
             {"stacks of different depth", "MatMul", "f32[7,1,2,3] f32[5,3,4]", "f32[7,5,2,4]"},
             {"an empty stack", "MatMul", "f32[0,2,3] f32[1,3,4]", "f32[0,2,4]"},
             {"C3 stacks of unknown depth", "MatMul", "f32[N,2,3] f32[5,3,4]", "f32[5,2,4]"});
}

TEST_CASE("Broadcasting in one direction", "[matmul]") {
  RULE_CASES(
      {"a scalar", "Gemm", "f32[M,K] f32[K,N] f32[]", "f32[M,N]"},
      {"a row", "Gemm", "f32[M,K] f32[K,N] f32[1,N]", "f32[M,N]"},
      {"a column", "Gemm", "f32[M,K] f32[K,N] f32[M,1]", "f32[M,N]"},
      {"what may be 1 says nothing", "Gemm", "f32[M,K] f32[K,N] f32[P]", "f32[M,N]"},
      {"what cannot be 1 is equal", "Gemm", "f32[M,K] f32[K,N] f32[P]", "f32[M,N]", given("P >= 2"),
       facts("N == P")},
      {"unknown rank", "Gemm", "f32[M,K] f32[K,N] f32?", "f32[M,N]"},
      {"bad: the other direction", "Gemm", "f32[1,3] f32[3,5] f32[2,5]", error("SHP105 C3")});
}

}  // namespace onnx_shapes::test
