// Matrix products.
#include "tests/rules/rule_cases.h"

namespace onnx_shapes::test {

TEST_CASE("MatMul", "[matmul]") {
  RULE_CASES(
      {"two matrices", "MatMul", "f32[M,K] f32[K,N]", "f32[M,N]"},
      {"C2 inner dims are equal", "MatMul", "f32[M,K] f32[L,N]", "f32[M,N]", facts("K == L")},
      {"leading axes are kept", "MatMul", "f32[B,H,M,K] f32[B,H,K,N]", "f32[B,H,M,N]"},
      {"C3 leading axes broadcast", "MatMul", "f32[B,1,M,K] f32[H,K,N]", "f32[B,H,M,N]"},
      {"a vector on the left", "MatMul", "f32[K] f32[B,K,N]", "f32[B,N]"},
      {"a vector on the right", "MatMul", "f32[B,M,K] f32[K]", "f32[B,M]"},
      {"two vectors", "MatMul", "f32[K] f32[L]", "f32[]", facts("K == L")},
      {"no elements along the inner axis", "MatMul", "f32[M,0] f32[0,N]", "f32[M,N]"},
      {"unknown rank of A", "MatMul", "f32? f32[K,N]", "f32?"},
      {"unknown rank of B", "MatMul", "f32[M,K] f32?", "f32?"},
      {"unknown dims", "MatMul", "f32[?,K] f32[?,N]", "f32[?,N]"},
      {"the type of B where that of A is unknown", "MatMul", "? f64[K,N]", "f64?"},
      {"integers", "MatMul", "i64[M,K] i64[K,N]", "i64[M,N]"},
      {"opset 1", "MatMul", "f32[M,K] f32[K,N]", "f32[M,N]", opset(1)},
      {"bad C1 a scalar", "MatMul", "f32[] f32[K,N]", "f32?", error("SHP103 C1")},
      {"bad C2 inner dims", "MatMul", "f32[2,3] f32[4,5]", error("SHP105 C2")},
      {"bad C3 leading dims", "MatMul", "f32[2,5,3] f32[4,3,5]", error("SHP105 C3")},
      {"bad T1 strings", "MatMul", "str[2,3] str[3,2]", error("SHP102 T1")},
      {"bad T1 two types", "MatMul", "f32[2,3] f64[3,2]", error("SHP102 T1")});
}

TEST_CASE("Gemm", "[matmul]") {
  RULE_CASES({"without C", "Gemm", "f32[M,K] f32[K,N]", "f32[M,N]"},
             {"A transposed", "Gemm transA=1", "f32[K,M] f32[K,N] f32[N]", "f32[M,N]"},
             {"B transposed", "Gemm transB=1", "f32[M,K] f32[N,K] f32[M,1]", "f32[M,N]"},
             {"C2 inner dims are equal", "Gemm transA=1 transB=1", "f32[K,M] f32[N,L] f32[]",
              "f32[M,N]", facts("K == L")},
             {"C3 a bias of a fixed size", "Gemm", "f32[M,K] f32[K,N] f32[7]", "f32[M,N]",
              facts("N == 7")},
             {"unknown rank of A", "Gemm", "f32? f32[K,N]", "f32[?,N]"},
             {"unknown rank of B", "Gemm", "f32[M,K] f32?", "f32[M,?]"},
             {"opset 6", "Gemm broadcast=1", "f32[M,K] f32[K,N] f32[N]", "f32[M,N]", opset(6)},
             {"bad C1 rank", "Gemm", "f32[B,M,K] f32[K,N]", "f32?", error("SHP103 C1")},
             {"bad C1 rank of B", "Gemm", "f32[M,K] f32[K]", "f32?", error("SHP103 C1")},
             {"bad C2 inner dims", "Gemm", "f32[2,3] f32[4,5]", error("SHP105 C2")},
             {"bad C3 bias", "Gemm", "f32[2,3] f32[3,5] f32[4]", error("SHP105 C3")},
             {"bad C3 rank", "Gemm", "f32[2,3] f32[3,5] f32[1,2,5]", error("SHP103 C3")},
             {"bad T1 two types", "Gemm", "f32[2,3] f32[3,2] f64[2]", error("SHP102 T1")});
}

TEST_CASE("Products of quantized matrices", "[matmul]") {
  RULE_CASES({"integers add up in 32 bits", "MatMulInteger", "u8[B,M,K] i8[K,N]", "i32[B,M,N]"},
             {"with zero points", "MatMulInteger", "u8[M,K] i8[K,N] u8 i8[N]", "i32[M,N]"},
             {"unknown rank", "MatMulInteger", "u8? i8[K,N]", "i32?"},
             {"bad C1 a scalar", "MatMulInteger", "u8[] i8[K,N]", error("SHP103 C1")},
             {"bad C2 inner dims", "MatMulInteger", "u8[2,3] i8[4,5]", error("SHP105 C2")},
             {"bad C3 leading dims", "MatMulInteger", "u8[2,1,3] i8[3,3,5]", error("SHP105 C3")},
             {"bad T1 floats", "MatMulInteger", "f32[2,3] i8[3,5]", error("SHP102 T1")},
             {"the type of the zero point", "QLinearMatMul", "u8[M,K] f32 u8 i8[K,N] f32 i8 f32 i8",
              "i8[M,N]"},
             {"leading axes", "QLinearMatMul", "u8[B,M,K] f32 u8 u8[B,L,N] f32 u8 f32 u8",
              "u8[B,M,N]", facts("K == L"), opset(10)},
             {"bad C2 inner dims", "QLinearMatMul", "u8[2,3] f32 u8 u8[4,5] f32 u8 f32 u8",
              error("SHP105 C2")},
             {"bad T1 floats", "QLinearMatMul", "f32[2,3] f32 u8 u8[3,5] f32 u8 f32 u8",
              error("SHP102 T1")});
}

}  // namespace onnx_shapes::test
