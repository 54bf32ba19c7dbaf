// Normalizations.
#include "tests/rules/rule_cases.h"

namespace onnx_shapes::test {

TEST_CASE("BatchNormalization", "[normalization]") {
  RULE_CASES(
      {"like X", "BatchNormalization", "f32[N,C,H,W] f32[C] f32[C] f32[C] f32[C]", "f32[N,C,H,W]"},
      {"C1 the statistics say the channels", "BatchNormalization",
       "f32[N,C,L] f32[8] f32[8] f32[8] f32[8]", "f32[N,8,L]", facts("C == 8")},
      {"a vector has one channel", "BatchNormalization", "f32[N] f32[1] f32[1] f32[1] f32[1]",
       "f32[N]"},
      {"training", "BatchNormalization training_mode=1", "f16[N,C,L] f16[C] f16[C] f32[C] f32[C]",
       "f16[N,C,L] f32[C] f32[C]"},
      {"five outputs", "BatchNormalization consumed_inputs=[0, 0, 0, 1, 1]",
       "f32[N,C,L] f32[C] f32[C] f32[C] f32[C]", "f32[N,C,L] f32[C] f32[C] f32[C] f32[C]",
       opset(1)},
      {"statistics of each feature", "BatchNormalization spatial=0",
       "f32[N,C,L] f32[C,L] f32[C,L] f32[C,L] f32[C,L]", "f32[N,C,L] f32[C,L]", opset(7)},
      {"unknown rank", "BatchNormalization training_mode=1", "f32? f32[8] f32? f32? f32?",
       "f32? f32[8] f32[8]"},
      {"bad C1", "BatchNormalization", "f32[N,4,L] f32[4] f32[4] f32[4] f32[5]",
       error("SHP105 C1")},
      {"bad C1 rank", "BatchNormalization", "f32[N,4,L] f32[4,1] f32[4] f32[4] f32[4]",
       error("SHP103 C1")},
      {"bad C2", "BatchNormalization", "f32[] f32[1] f32[1] f32[1] f32[1]", error("SHP103 C2")},
      {"bad T1", "BatchNormalization", "i32[N,C] f32[C] f32[C] f32[C] f32[C]", error("SHP102 T1")});
}

TEST_CASE("InstanceNormalization and GroupNormalization", "[normalization]") {
  RULE_CASES(
      {"like input", "InstanceNormalization", "f32[N,C,L] f32[C] f32[C]", "f32[N,C,L]"},
      {"C1 instance", "InstanceNormalization", "f32[N,C,L] f32[4] f32[4]", "f32[N,4,L]",
       facts("C == 4"), opset(1)},
      {"unknown rank", "InstanceNormalization", "f32? f32[C] f32[C]", "f32?"},
      {"bad C1 of an instance", "InstanceNormalization", "f32[N,3,L] f32[4] f32[3]",
       error("SHP105 C1")},
      {"bad C2 of an instance", "InstanceNormalization", "f32[N] f32[4] f32[4]",
       error("SHP103 C2")},
      {"bad T1 of an instance", "InstanceNormalization", "i8[N,C,L] f32[C] f32[C]",
       error("SHP102 T1")},
      {"for each group", "GroupNormalization num_groups=2", "f32[N,C,L] f32[2] f32[2]",
       "f32[N,C,L]", opset(18)},
      {"for each channel", "GroupNormalization num_groups=2", "f32[N,C,L] f32[8] f32[8]",
       "f32[N,C,L]", facts("C == 8")},
      {"unknown rank of groups", "GroupNormalization num_groups=2", "f32? f32[8] f32[8]", "f32?"},
      {"bad C1 of groups", "GroupNormalization num_groups=2", "f32[N,4,L] f32[3] f32[3]",
       error("SHP105 C1"), opset(18)},
      {"bad C2 of groups", "GroupNormalization num_groups=2", "f32[N] f32[2] f32[2]",
       error("SHP103 C2")},
      {"bad C3 of groups", "GroupNormalization num_groups=3", "f32[N,4,L] f32[4] f32[4]",
       error("SHP106 C3")},
      {"bad T1 of groups", "GroupNormalization num_groups=2", "i8[N,4,L] i8[4] i8[4]",
       error("SHP102 T1")});
}

TEST_CASE("LayerNormalization and its relatives", "[normalization]") {
  RULE_CASES(
      {"over the last axis", "LayerNormalization", "f32[B,S,H] f32[H] f32[H]",
       "f32[B,S,H] f32[B,S,1] f32[B,S,1]"},
      {"from an axis on", "LayerNormalization axis=1", "f32[B,S,H] f32[S,1]",
       "f32[B,S,H] f32[B,1,1]"},
      {"stash_type", "LayerNormalization stash_type=16", "f16[B,H] f16[H]", "f16[B,H] bf16[B,1]"},
      {"statistics in 32 bits", "LayerNormalization", "f16[B,H] f16[H]", "f16[B,H] f32[B,1]"},
      {"C2 a scale of a fixed size", "LayerNormalization", "f32[B,H] f32[4]", "f32[B,4]",
       facts("H == 4")},
      {"before opset 17, from ONNX Runtime", "LayerNormalization", "f32[B,H] f32[H] f32[H]",
       "f32[B,H]", opset(14)},
      {"simplified", "SimplifiedLayerNormalization", "f32[B,H] f32[H]", "f32[B,H] f32[B,1]"},
      {"simplified, in its own domain", "SimplifiedLayerNormalization", "f32[B,H] f32[H]",
       "f32[B,H] f32[B,1]", domain("com.microsoft")},
      {"unknown rank", "LayerNormalization", "f32? f32[H]", "f32? f32?"},
      {"bad C1", "LayerNormalization axis=2", "f32[B,H] f32[H]", error("SHP106 C1")},
      {"bad C2", "LayerNormalization", "f32[B,3] f32[4]", error("SHP105 C2")},
      {"bad C2 rank", "LayerNormalization", "f32[3] f32[2,3]", error("SHP103 C2")},
      {"bad T1", "LayerNormalization", "i32[B,3] i32[3]", error("SHP102 T1")},
      {"RMS has the type of scale", "RMSNormalization", "f16[B,S,H] f32[H]", "f32[B,S,H]"},
      {"RMS of unknown rank", "RMSNormalization", "f16? f32[H]", "f32?"},
      {"bad C1 of RMS", "RMSNormalization axis=-3", "f32[B,H] f32[H]", error("SHP106 C1")},
      {"bad C2 of RMS", "RMSNormalization", "f32[B,3] f32[4]", error("SHP105 C2")},
      {"bad T1 of RMS", "RMSNormalization", "i32[B,3] f32[3]", error("SHP102 T1")});
}

TEST_CASE("Normalizations without parameters", "[normalization]") {
  RULE_CASES(
      {"LRN", "LRN size=3", "f32[N,C,H,W]", "f32[N,C,H,W]"},
      {"bad C1 of LRN", "LRN size=3", "f32[N]", error("SHP103 C1")},
      {"bad C2 of LRN", "LRN size=0", "f32[N,C]", error("SHP106 C2")},
      {"bad T1 of LRN", "LRN size=3", "i32[N,C]", error("SHP102 T1")},
      {"MVN", "MeanVarianceNormalization axes=[0, 2, 3]", "f32[N,C,H,W]", "f32[N,C,H,W]"},
      {"MVN of unknown rank", "MeanVarianceNormalization axes=[0, 2, 3]", "f32?", "f32?"},
      {"bad C1 of MVN", "MeanVarianceNormalization axes=[2]", "f32[N,C]", error("SHP106 C1")},
      {"bad T1 of MVN", "MeanVarianceNormalization axes=[0]", "str[N,C]", error("SHP102 T1")},
      {"Lp", "LpNormalization p=1", "f32[N,C]", "f32[N,C]"},
      {"bad C1 of Lp", "LpNormalization axis=2", "f32[N,C]", error("SHP106 C1")},
      {"bad T1 of Lp", "LpNormalization", "i64[N,C]", error("SHP102 T1")});
}

}  // namespace onnx_shapes::test
