#include "tests/rules/rule_cases.h"

namespace onnx_shapes {
namespace {

using namespace test;

TEST_CASE("Gather") {
  RULE_CASES({"rows", "Gather", "f32[V,D] i64[B,S]", "f32[B,S,D]"},
             {"axis", "Gather axis=1", "f32[N,C,W] i64[K]", "f32[N,K,W]"},
             {"negative axis and a scalar", "Gather axis=-1", "f32[N,C] i64", "f32[N]"},
             {"int32 indices", "Gather", "f32[N] i32[2]", "f32[2]"},
             {"unknown rank of data", "Gather", "f32? i64[K]", "f32?"},
             {"unknown rank of indices", "Gather", "f32[N] i64?", "f32?"},
             {"an element", "Gather", "i64[3]{N,2,M} i64{2}", "i64{M}"},
             {"from the back", "Gather", "i64[3]{N,2,M} i64[2]{-1,0}", "i64[2]{M,N}"},
             {"along axis 1", "Gather axis=1", "i64[2,2]{1,N,3,M} i64{1}", "i64[2]{N,M}"},
             {"indices of rank 2", "Gather", "i64[3]{N,2,M} i64[1,2]{1,2}", "i64[1,2]{2,M}"},
             {"unknown index", "Gather", "i64[3]{N,2,M} i64[2]{v_i,0}", "i64[2]{?,N}"},
             {"fractions", "Gather", "f32[2]{1/2,3} i64{0}", "f32{1/2}"},
             {"bad C1 scalar", "Gather", "f32 i64{0}", error("SHP103 C1")},
             {"bad C2 axis", "Gather axis=1", "f32[N] i64{0}", error("SHP106 C2")},
             {"bad C3 index", "Gather", "f32[3] i64[2]{0,3}", error("SHP107 C3")},
             {"bad C3 index from the back", "Gather", "f32[3] i64{-4}", error("SHP107 C3")},
             {"bad type", "Gather", "f32[3] f32[1]", error("SHP102 Tind")});
}

TEST_CASE("GatherElements") {
  RULE_CASES({"shape of indices", "GatherElements axis=1", "f32[N,C] i64[M,K]", "f32[M,K]"},
             {"unknown rank of indices", "GatherElements", "f32[N,C] i64?", "f32[?,?]"},
             {"unknown rank of data", "GatherElements", "f32? i64[M,K]", "f32[M,K]"},
             {"contents", "GatherElements axis=1", "i64[2,2]{1,N,M,4} i64[2,2]{0,0,1,-2}",
              "i64[2,2]{1,1,4,M}"},
             {"contents along axis 0", "GatherElements", "i64[2,2]{1,N,M,4} i64[1,2]{1,0}",
              "i64[1,2]{M,N}"},
             {"bad C1 scalar", "GatherElements", "f32 i64{0}", error("SHP103 C1")},
             {"bad C2 rank", "GatherElements", "f32[N,C] i64[M]", error("SHP103 C2")},
             {"bad C3 axis", "GatherElements axis=2", "f32[N,C] i64[M,K]", error("SHP106 C3")},
             {"bad C4 index", "GatherElements", "f32[3] i64[1]{3}", error("SHP107 C4")},
             {"bad type", "GatherElements", "f32[3] f32[1]", error("SHP102 Tind")});
}

TEST_CASE("GatherND") {
  RULE_CASES({"elements", "GatherND", "f32[N,C] i64[K,2]", "f32[K]"},
             {"slices", "GatherND", "f32[N,C,W] i64[K,L,1]", "f32[K,L,C,W]"},
             {"C4 batches", "GatherND batch_dims=1", "f32[N,C,W] i64[M,K,1]", "f32[N,K,W]",
              facts("M == N")},
             {"depth 0", "GatherND", "f32[N,C] i64[K,0]", "f32[K,N,C]"},
             {"unknown depth", "GatherND", "f32[N,C] i64[K,D]", "f32?"},
             {"unknown rank", "GatherND", "f32? i64[K,1]", "f32?"},
             {"contents", "GatherND", "i64[2,2]{1,N,M,4} i64[2,2]{0,1,-1,0}", "i64[2]{N,M}"},
             {"contents in slices", "GatherND", "i64[2,2]{1,N,M,4} i64[1,1]{1}", "i64[1,2]{M,4}"},
             {"contents in batches", "GatherND batch_dims=1", "i64[2,2]{1,N,M,4} i64[2,1]{1,0}",
              "i64[2]{N,M}"},
             {"opset 11", "GatherND", "f32[N,C] i64[K,2]", "f32[K]", opset(11)},
             {"bad C1 scalar", "GatherND", "f32[N] i64{0}", error("SHP103 C1")},
             {"bad C2 batches", "GatherND batch_dims=1", "f32[N] i64[N,1]", error("SHP106 C2")},
             {"bad C3 depth", "GatherND", "f32[N] i64[K,2]", error("SHP104 C3")},
             {"bad C4 batches", "GatherND batch_dims=1", "f32[3,C] i64[4,1]", error("SHP105 C4")},
             {"bad type", "GatherND", "f32[N] i32[K,1]", error("SHP102 T")});
}

TEST_CASE("OneHot") {
  RULE_CASES(
      {"last axis", "OneHot", "i64[B,S] i64{10} f32[2]", "f32[B,S,10]"},
      {"axis", "OneHot axis=1", "i64[B,S] i64[1]{K} f32[2]", "f32[B,K,S]"},
      {"float depth", "OneHot", "i64[B] f32{5} f32[2]", "f32[B,5]"},
      {"unknown depth", "OneHot", "i64[B] i64 f32[2]", "f32[B,x1_value]", bounds("0 <= x1_value")},
      {"unknown rank", "OneHot", "i64? i64{3} f32[2]", "f32?"},
      {"contents", "OneHot", "i64[3]{0,-1,5} i64{3} i64[2]{7,N}", "i64[3,3]{N,7,7,7,7,N,7,7,7}"},
      {"contents along axis 0", "OneHot axis=0", "i64[2]{0,1} i64{2} i64[2]{0,1}",
       "i64[2,2]{1,0,0,1}"},
      {"bad C1 axis", "OneHot axis=2", "i64[B] i64{3} f32[2]", error("SHP106 C1")},
      {"bad C2 depth", "OneHot", "i64[B] i64[2]{3,3} f32[2]", error("SHP105 C2")},
      {"bad C2 rank", "OneHot", "i64[B] i64[1,1]{3} f32[2]", error("SHP103 C2")},
      {"bad C3 negative", "OneHot", "i64[B] i64{-1} f32[2]", error("SHP107 C3")},
      {"bad C4 values", "OneHot", "i64[B] i64{3} f32[3]", error("SHP105 C4")},
      {"bad C4 rank", "OneHot", "i64[B] i64{3} f32", error("SHP103 C4")});
}

}  // namespace
}  // namespace onnx_shapes
