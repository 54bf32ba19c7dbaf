#include "tests/rules/rule_cases.h"

namespace onnx_shapes {
namespace {

using namespace test;

TEST_CASE("ScatterElements") {
  RULE_CASES(
      {"C4 equal dims", "ScatterElements", "f32[N,C] i64[M,K] f32[L,K]", "f32[N,C]",
       facts("L == M")},
      {"unknown ranks", "ScatterElements", "f32? i64? f32?", "f32?"},
      {"contents", "ScatterElements", "i64[3]{1,2,3} i64[2]{0,-1} i64[2]{N,M}", "i64[3]{N,2,M}"},
      {"contents along axis 1", "ScatterElements axis=1",
       "i64[2,2]{1,2,3,4} i64[2,1]{1,0} i64[2,1]{N,M}", "i64[2,2]{1,N,M,4}"},
      {"written twice", "ScatterElements", "i64[2]{1,2} i64[2]{0,0} i64[2]{N,M}", "i64[2]{?,2}"},
      {"unknown index", "ScatterElements", "i64[2]{1,2} i64[1]{v_i} i64[1]{N}", "i64[2]{none}"},
      {"add", "ScatterElements reduction=\"add\"", "i64[2]{1,2} i64[2]{1,1} i64[2]{N,3}",
       "i64[2]{1,N + 5}"},
      {"mul", "ScatterElements reduction=\"mul\"", "i64[2]{N,2} i64[1]{0} i64[1]{M}",
       "i64[2]{M*N,2}"},
      {"max", "ScatterElements reduction=\"max\"", "i64[2]{-1,2} i64[1]{0} i64[1]{N}",
       "i64[2]{N,2}"},
      {"min", "ScatterElements reduction=\"min\"", "i64[1]{-1} i64[1]{0} i64[1]{N}", "i64[1]{-1}"},
      {"sums that may wrap", "ScatterElements reduction=\"add\"", "u8[1]{255} i64[1]{0} u8[1]{1}",
       "u8[1]{none}"},
      {"Scatter", "Scatter", "i64[2]{1,2} i64[1]{1} i64[1]{N}", "i64[2]{1,N}", opset(9)},
      {"bad C1 scalar", "ScatterElements", "f32 i64 f32", error("SHP103 C1")},
      {"bad C2 rank", "ScatterElements", "f32[N] i64[M,1] f32[M,1]", error("SHP103 C2")},
      {"bad C3 axis", "ScatterElements axis=1", "f32[N] i64[M] f32[M]", error("SHP106 C3")},
      {"bad C4 dims", "ScatterElements", "f32[N] i64[3] f32[4]", error("SHP105 C4")},
      {"bad C5 reduction", "ScatterElements reduction=\"sum\"", "f32[N] i64[3] f32[3]",
       error("SHP106 C5")},
      {"bad type of indices", "ScatterElements", "f32[N] f32[3] f32[3]", error("SHP102 Tind")},
      {"bad type of updates", "ScatterElements", "f32[N] i64[3] f64[3]", error("SHP102 T")});
}

TEST_CASE("ScatterND") {
  RULE_CASES({"C3 dims of updates", "ScatterND", "f32[N,C] i64[K,1] f32[L,D]", "f32[N,C]",
              facts("K == L && C == D")},
             {"unknown depth", "ScatterND", "f32[N,C] i64[K,D] f32?", "f32[N,C]"},
             {"contents", "ScatterND", "i64[3]{1,2,3} i64[2,1]{2,0} i64[2]{N,M}", "i64[3]{M,2,N}"},
             {"contents in slices", "ScatterND", "i64[2,2]{1,2,3,4} i64[1,1]{-1} i64[1,2]{N,M}",
              "i64[2,2]{1,2,N,M}"},
             {"unknown updates", "ScatterND", "f32[2]{1,2} i64[1,1]{1} f32[1]", "f32[2]{1,?}"},
             {"add", "ScatterND reduction=\"add\"", "i64[2]{1,2} i64[2,1]{0,0} i64[2]{N,M}",
              "i64[2]{M + N + 1,2}"},
             {"bad C1 scalar", "ScatterND", "f32[N] i64 f32", error("SHP103 C1")},
             {"bad C2 depth", "ScatterND", "f32[N] i64[K,2] f32[K]", error("SHP104 C2")},
             {"bad C3 rank", "ScatterND", "f32[N] i64[K,1] f32[K,1]", error("SHP103 C3")},
             {"bad C3 dims", "ScatterND", "f32[N] i64[3,1] f32[4]", error("SHP105 C3")},
             {"bad C5 reduction", "ScatterND reduction=\"sum\"", "f32[N] i64[3,1] f32[3]",
              error("SHP106 C5")},
             {"bad type", "ScatterND", "f32[N] i32[3,1] f32[3]", error("SHP102 Tind")});
}

}  // namespace
}  // namespace onnx_shapes
