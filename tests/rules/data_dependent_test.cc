#include "tests/rules/rule_cases.h"

namespace onnx_shapes {
namespace {

using namespace test;

TEST_CASE("NonZero") {
  RULE_CASES({"bounded count", "NonZero", "f32[N,M]", "i64[2,NonZero_y0_nnz]",
              bounds("NonZero_y0_nnz <= N*M")},
             {"scalar", "NonZero", "f32", "i64[?,NonZero_y0_nnz]", bounds("NonZero_y0_nnz <= 1")},
             {"unknown rank", "NonZero", "bool?", "i64[NonZero_y0_rank,NonZero_y0_nnz]"},
             {"known elements", "NonZero", "i64[2,2]{1,0,1,1}", "i64[2,3]{0,1,1,0,0,1}"},
             {"decided elements", "NonZero", "i64[3]{N + 1,0,-1}", "i64[1,2]{0,2}"},
             {"an undecided element", "NonZero", "i64[2]{N,1}", "i64[1,NonZero_y0_nnz]",
              bounds("NonZero_y0_nnz <= 2")},
             {"nothing is set", "NonZero", "bool[2]{0,0}", "i64[1,0]{}"},
             {"empty", "NonZero", "i64[0]{}", "i64[1,0]{}"});
}

TEST_CASE("Compress") {
  RULE_CASES(
      {"elements", "Compress", "f32[N,3] bool[K]", "f32[Compress_y0_count]",
       bounds("Compress_y0_count <= 3*N && Compress_y0_count <= K")},
      {"slices", "Compress axis=1", "f32[N,C,H] bool[K]", "f32[N,Compress_y0_count,H]",
       bounds("Compress_y0_count <= C && Compress_y0_count <= K")},
      {"negative axis", "Compress axis=-1", "f32[N,C] bool[K]", "f32[N,Compress_y0_count]"},
      {"known condition", "Compress axis=0", "f32[3,C] bool[2]{0,1}", "f32[1,C]"},
      {"a longer condition is cut off", "Compress axis=0", "f32[2,C] bool[4]{0,1,1,1}", "f32[1,C]"},
      {"a condition that may be longer", "Compress axis=0", "f32[N] bool[2]{1,1}",
       "f32[Compress_y0_count]", bounds("Compress_y0_count <= N")},
      {"selected elements", "Compress", "i64[3]{N,5,M} bool[3]{1,0,1}", "i64[2]{N,M}"},
      {"selected of a vector", "Compress axis=0", "i64[3]{N,5,M} bool[2]{0,1}", "i64[1]{5}"},
      {"unknown rank", "Compress", "f32? bool[K]", "f32[Compress_y0_count]"},
      {"unknown rank with axis", "Compress axis=0", "f32? bool[K]", "f32?"},
      {"bad C1 type", "Compress", "f32[N] i32[N]", error("SHP102 C1")},
      {"bad C2 rank", "Compress", "f32[N] bool[N,1]", error("SHP103 C2")},
      {"bad C3 scalar", "Compress", "f32 bool[1]", error("SHP103 C3")},
      {"a count that the rule settles", "{ u, i, v, n = Unique(x0) y0 = ConstantOfShape(n) }",
       "i64[1]", "f32[?]"},
      {"bad C4 axis", "Compress axis=1", "f32[N] bool[N]", error("SHP106 C4")});
}

TEST_CASE("Unique") {
  RULE_CASES({"elements", "Unique", "f32[N,3]",
              "f32[Unique_y0_count] i64[Unique_y0_count] i64[3*N] i64[Unique_y0_count]",
              bounds("Unique_y0_count <= 3*N")},
             {"slices", "Unique axis=1", "f32[N,C]",
              "f32[N,Unique_y0_count] i64[Unique_y0_count] i64[C] i64[Unique_y0_count]",
              bounds("Unique_y0_count <= C")},
             {"there is one at least", "Unique", "f32[N]", "f32[Unique_y0_count]",
              bounds("1 <= Unique_y0_count"), given("N >= 1")},
             {"left out outputs", "Unique", "f32[N]", "f32[Unique_y0_count] - i64[N]"},
             {"unknown rank", "Unique", "f32?", "f32[Unique_y0_count] i64[Unique_y0_count] i64[?]"},
             {"unknown rank with axis", "Unique axis=0", "f32?", "f32? i64[Unique_y0_count]"},
             {"bad C1 scalar", "Unique axis=0", "f32", error("SHP103 C1")},
             {"bad C2 axis", "Unique axis=1", "f32[N]", error("SHP106 C2")},
             {"bad C3 sorted", "Unique sorted=2", "f32[N]", error("SHP106 C3")});
}

TEST_CASE("TopK") {
  RULE_CASES(
      {"known k", "TopK", "f32[N,100] i64[1]{5}", "f32[N,5] i64[N,5]"},
      {"k is bounded", "TopK axis=0", "f32[N,C] i64[1]{5}", "f32[5,C] i64[5,C]", bounds("5 <= N")},
      {"symbolic k", "TopK", "f32[N] i64[1]{K}", "f32[K] i64[K]", bounds("K <= N")},
      {"unknown k", "TopK", "f32[N,C] i64[1]", "f32[N,?] i64[N,?]"},
      {"k 0", "TopK", "f32[N,4] i64[1]{0}", "f32[N,0] i64[N,0]"},
      {"unknown rank", "TopK", "f32? i64[1]{5}", "f32? i64?"},
      {"largest elements", "TopK", "i64[4]{1,7,3,7} i64[1]{3}", "i64[3]{7,7,3} i64[3]{1,3,2}"},
      {"smallest elements", "TopK largest=0", "i64[3]{1,7,-3} i64[1]{2}",
       "i64[2]{-3,1} i64[2]{2,0}"},
      {"not sorted", "TopK sorted=0", "i64[3]{1,7,3} i64[1]{2}", "i64[2]{none} i64[2]{none}"},
      {"opset 1", "TopK k=5", "f32[N,100]", "f32[N,5] i64[N,5]", opset(1)},
      {"bad C1 type", "TopK", "bool[N] i64[1]{1}", error("SHP102 C1")},
      {"bad C1 type, opset 1", "TopK k=1", "bool[N]", error("SHP102 C1"), opset(1)},
      {"bad C2 type of k", "TopK", "f32[N] i32[1]{1}", error("SHP102 C2")},
      {"bad C2 opset 1", "TopK", "f32[N]", error("SHP106 C2"), opset(1)},
      {"bad C3 rank of k", "TopK", "f32[N] i64{1}", error("SHP103 C3")},
      {"bad C3 elements of k", "TopK", "f32[N] i64[2]{1,2}", error("SHP104 C3")},
      {"bad C4 axis", "TopK axis=1", "f32[N] i64[1]{1}", error("SHP106 C4")},
      {"bad C5 k", "TopK", "f32[N,4] i64[1]{5}", error("SHP107 C5")},
      {"bad C5 negative k", "TopK", "f32[N,4] i64[1]{-1}", error("SHP107 C5")});
}

TEST_CASE("NonMaxSuppression") {
  RULE_CASES(
      {"bounded", "NonMaxSuppression", "f32[B,S,4] f32[B,C,S] i64[1]{10}",
       "i64[NonMaxSuppression_y0_count,3]", bounds("NonMaxSuppression_y0_count <= B*C*min(S, 10)")},
      {"without a maximum nothing is selected", "NonMaxSuppression", "f32[B,S,4] f32[B,C,S]",
       "i64[0,3]"},
      {"maximum 0", "NonMaxSuppression", "f32[B,S,4] f32[B,C,S] i64{0}", "i64[0,3]"},
      {"unknown maximum", "NonMaxSuppression", "f32[B,S,4] f32[B,C,S] i64",
       "i64[NonMaxSuppression_y0_count,3]", bounds("NonMaxSuppression_y0_count <= B*C*S")},
      {"C3 C4 C5 equal dims", "NonMaxSuppression", "f32[B,S,Q] f32[2,C,T] i64{1}",
       "i64[NonMaxSuppression_y0_count,3]", facts("B == 2 && S == T && Q == 4")},
      {"unknown ranks", "NonMaxSuppression", "f32? f32? i64{1}",
       "i64[NonMaxSuppression_y0_count,3]"},
      {"bad C1 boxes", "NonMaxSuppression", "f64[B,S,4] f32[B,C,S]", error("SHP102 C1")},
      {"bad C1 scores", "NonMaxSuppression", "f32[B,S,4] f64[B,C,S]", error("SHP102 C1")},
      {"bad C1 maximum", "NonMaxSuppression", "f32[B,S,4] f32[B,C,S] i32", error("SHP102 C1")},
      {"bad C2 boxes", "NonMaxSuppression", "f32[S,4] f32[B,C,S]", error("SHP103 C2")},
      {"bad C2 scores", "NonMaxSuppression", "f32[B,S,4] f32[C,S]", error("SHP103 C2")},
      {"bad C3 batches", "NonMaxSuppression", "f32[1,S,4] f32[2,C,S]", error("SHP105 C3")},
      {"bad C4 boxes", "NonMaxSuppression", "f32[B,5,4] f32[B,C,6]", error("SHP105 C4")},
      {"bad C5 numbers", "NonMaxSuppression", "f32[B,S,5] f32[B,C,S]", error("SHP105 C5")});
}

}  // namespace
}  // namespace onnx_shapes
