#include "tests/rules/rule_cases.h"

namespace onnx_shapes {
namespace {

using namespace test;

TEST_CASE("losses") {
  const std::string op =
      GENERATE(as<std::string>(), "NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss");
  RULE_CASES(
      {"mean", op, "f32[N,C] i64[N]", "f32"},
      {"sum", op + " reduction=\"sum\"", "f16[N,C,H] i32[N,H]", "f16"},
      {"C5 a loss a label", op + " reduction=\"none\"", "f32[N,C,H,W] i64[M,H,7]", "f32[N,H,7]",
       facts("M == N && W == 7")},
      {"C7 a weight a class", op + " reduction=\"none\"", "f32[N,C] i64[N] f32[10]", "f32[N]",
       facts("C == 10")},
      {"scores of unknown rank", op + " reduction=\"none\"", "f32? i64[N,H]", "f32[N,H]"},
      {"labels of unknown rank", op + " reduction=\"none\"", "f32[N,C,H] i64?", "f32[N,H]"},
      {"unknown ranks", op + " reduction=\"none\"", "f32? i64?", "f32?"},
      {"bad C1 type", op, "i32[N,C] i64[N]", error("SHP102 C1")},
      {"bad C1 weights", op, "f32[N,C] i64[N] f16[C]", error("SHP102 C1")},
      {"bad C2 labels", op, "f32[N,C] f32[N]", error("SHP102 C2")},
      {"bad C3 rank", op, "f32[N] i64[N]", error("SHP103 C3")},
      {"bad C4 rank", op, "f32[N,C] i64[N,C]", error("SHP103 C4")},
      {"bad C4 scalar", op, "f32[N,C] i64", error("SHP103 C4")},
      {"bad C5 batches", op, "f32[2,C] i64[3]", error("SHP105 C5")},
      {"bad C6 weights", op, "f32[N,C] i64[N] f32", error("SHP103 C6")},
      {"bad C7 weights", op, "f32[N,3] i64[N] f32[4]", error("SHP105 C7")},
      {"bad C8 reduction", op + " reduction=\"max\"", "f32[N,C] i64[N]", error("SHP106 C8")});
}

TEST_CASE("the logarithms of SoftmaxCrossEntropyLoss") {
  RULE_CASES(
      {"shape of the scores", "SoftmaxCrossEntropyLoss", "f32[N,C,H] i64[N,H]", "f32 f32[N,C,H]"},
      {"what labels and weights say", "SoftmaxCrossEntropyLoss", "f32[N,C] i64[8] f32[10]",
       "f32 f32[8,10]"});
}

}  // namespace
}  // namespace onnx_shapes
