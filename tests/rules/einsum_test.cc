// Einsum.
#include "tests/rules/rule_cases.h"

namespace onnx_shapes::test {

TEST_CASE("Einsum", "[einsum]") {
  RULE_CASES(
      {"a product", "Einsum equation=\"ij,jk->ik\"", "f32[M,K] f32[K,N]", "f32[M,N]"},
      {"spaces", "Einsum equation=\" i j , j k -> k i \"", "f32[M,K] f32[K,N]", "f32[N,M]"},
      {"implicit output", "Einsum equation=\"ij,kj\"", "f32[M,K] f32[N,K]", "f32[M,N]"},
      {"implicit output in ASCII order", "Einsum equation=\"bA\"", "f32[M,N]", "f32[N,M]"},
      {"a trace", "Einsum equation=\"ii\"", "f32[N,N]", "f32[]"},
      {"C4 a diagonal", "Einsum equation=\"...ii->...i\"", "f32[B,N,M]", "f32[B,N]",
       facts("N == M")},
      {"C5 a letter may broadcast", "Einsum equation=\"ij,jk->ijk\"", "f32[M,1] f32[K,N]",
       "f32[M,K,N]"},
      {"C6 ellipsis", "Einsum equation=\"...ij,...jk->...ik\"", "f32[B,M,K] f32[1,K,N]",
       "f32[B,M,N]"},
      {"ellipsis at the end", "Einsum equation=\"ij...,j->i...\"", "f32[M,K,X,Y] f32[K]",
       "f32[M,X,Y]"},
      {"implicit output with ellipsis", "Einsum equation=\"i...j\"", "f32[M,X,N]", "f32[X,M,N]"},
      {"an ellipsis of no dims", "Einsum equation=\"...i,...i->...\"", "f32[N] f32[N]", "f32[]"},
      {"scalars", "Einsum equation=\",\"", "f32[] f32[]", "f32[]"},
      {"a sum over everything", "Einsum equation=\"i->\"", "f32[N]", "f32[]"},
      {"unknown rank without ellipsis", "Einsum equation=\"ij,jk->ik\"", "f32? f32[K,N]",
       "f32[?,N]"},
      {"unknown rank with ellipsis", "Einsum equation=\"...j,jk->...k\"", "f32? f32[K,N]", "f32?"},
      {"unknown rank that the output drops", "Einsum equation=\"...j,jk->jk\"", "f32? f32[K,N]",
       "f32[?,N]"},
      {"no elements", "Einsum equation=\"ij,jk->ik\"", "f32[M,0] f32[0,N]", "f32[M,N]"},
      {"bad C1", "Einsum equation=\"i.j->i\"", "f32[2,3]", error("SHP106 C1")},
      {"bad C2", "Einsum equation=\"ij,jk->ik\"", "f32[2,3]", error("SHP106 C2")},
      {"bad C3", "Einsum equation=\"ij->i\"", "f32[2,3,4]", error("SHP103 C3")},
      {"bad C4", "Einsum equation=\"ii->i\"", "f32[2,3]", error("SHP105 C4")},
      {"bad C5", "Einsum equation=\"ij,jk->ik\"", "f32[2,3] f32[4,5]", error("SHP105 C5")},
      {"bad C6 rank", "Einsum equation=\"...i,...i->...\"", "f32[2,5,3] f32[5,3]",
       error("SHP103 C6")},
      {"bad C6 dims", "Einsum equation=\"...i,...i->...\"", "f32[2,3] f32[5,3]",
       error("SHP105 C6")},
      {"bad C7 an unknown letter", "Einsum equation=\"ij->k\"", "f32[2,3]", error("SHP106 C7")},
      {"bad C7 a letter twice", "Einsum equation=\"ij->ii\"", "f32[2,3]", error("SHP106 C7")},
      {"bad T1", "Einsum equation=\"i,i->i\"", "f32[2] f64[2]", error("SHP102 T1")});
}

}  // namespace onnx_shapes::test
