#include "tests/rules/rule_cases.h"

namespace onnx_shapes {
namespace {

using namespace test;

const DomainOption kTraining = domain("ai.onnx.preview.training");

TEST_CASE("optimisers with one accumulated tensor") {
  const std::string op = GENERATE(as<std::string>(), "Adagrad", "Momentum");
  RULE_CASES(
      {"one tensor", op, "f32 i64 f32[N,3] f32[N,3] f32[N,3]", "f32[N,3] f32[N,3]", kTraining},
      {"two tensors", op, "f32 i64 f32[N] f32[3] f32[N] f32[3] f32[N] f32[3]",
       "f32[N] f32[3] f32[N] f32[3]", kTraining},
      {"C6 equal dims", op, "f32 i64 f32[N] f32[M] f32[4]", "f32[4] f32[4]",
       facts("N == 4 && M == 4"), kTraining},
      {"unknown rank", op, "f32 i64 f32? f32[M] f32?", "f32[M] f32[M]", kTraining},
      {"bad C1 rate", op, "i64 i64 f32[N] f32[N] f32[N]", error("SHP102 C1"), kTraining},
      {"bad C1 count", op, "f32 f32 f32[N] f32[N] f32[N]", error("SHP102 C1"), kTraining},
      {"bad C2 rate", op, "f32[1] i64 f32[N] f32[N] f32[N]", error("SHP103 C2"), kTraining},
      {"bad C2 count", op, "f32 i64[1] f32[N] f32[N] f32[N]", error("SHP103 C2"), kTraining},
      {"bad C3 groups", op, "f32 i64 f32[N] f32[N]", error("SHP101 C3"), kTraining},
      {"bad C4 types", op, "f32 i64 f32[N] f64[N] f32[N]", error("SHP102 C4"), kTraining},
      {"bad C5 ranks", op, "f32 i64 f32[N] f32[N,1] f32[N]", error("SHP103 C5"), kTraining},
      {"bad C6 dims", op, "f32 i64 f32[2] f32[3] f32[2]", error("SHP105 C6"), kTraining});
}

TEST_CASE("Adam") {
  RULE_CASES(
      {"two accumulated tensors", "Adam", "f32 i64 f32[N] f32[N] f32[N] f32[N]",
       "f32[N] f32[N] f32[N]", kTraining},
      {"bad C3 groups", "Adam", "f32 i64 f32[N] f32[N] f32[N]", error("SHP101 C3"), kTraining});
}

TEST_CASE("Gradient") {
  RULE_CASES({"by two tensors", "Gradient xs=[\"a\",\"b\"] y=\"c\"", "f32[N,3] f32[M]",
              "f32[N,3] f32[M]", kTraining},
             {"with constants", "Gradient xs=[\"a\"] zs=[\"b\"] y=\"c\"", "f32[N,3] f32[M]",
              "f32[N,3]", kTraining},
             {"bad C1 inputs", "Gradient xs=[\"a\"] y=\"c\"", "f32[N] f32[M]", error("SHP101 C1"),
              kTraining},
             {"bad C2 outputs", "Gradient xs=[\"a\"] y=\"c\"", "f32[N]", "f32[N] ?",
              error("SHP109 C2"), kTraining});
}

}  // namespace
}  // namespace onnx_shapes
