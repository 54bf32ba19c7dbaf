// Operators on the blocked channel layout.
#include "tests/rules/rule_cases.h"

namespace onnx_shapes::test {
namespace {

const auto kNchwc = domain("com.microsoft.nchwc");

}  // namespace

TEST_CASE("Blocked channels", "[contrib]") {
  RULE_CASES(
      {"into blocks", "ReorderInput", "f32[N,3,H,W]", "f32[N,ReorderInput_y0_channels,H,W]",
       bounds("3 <= ReorderInput_y0_channels"), kNchwc},
      {"into blocks, channels last", "ReorderInput channels_last=1", "f32[N,H,W,3]", "f32[N,?,H,W]",
       kNchwc},
      {"bad C1 into blocks", "ReorderInput", "f32[N,3]", error("SHP103 C1"), kNchwc},
      {"out of blocks", "ReorderOutput channels=12", "f32[N,16,H,W]", "f32[N,12,H,W]", kNchwc},
      {"out of blocks, channels last", "ReorderOutput channels=12 channels_last=1", "f32[N,16,H,W]",
       "f32[N,H,W,12]", kNchwc},
      {"bad C1 out of blocks", "ReorderOutput channels=12", "f32[N,16]", error("SHP103 C1"),
       kNchwc},
      {"bad C2 out of blocks", "ReorderOutput", "f32[N,16,H,W]", error("SHP106 C2"), kNchwc},
      {"Conv", "Conv pads=[1, 1, 1, 1]", "f32[N,16,H,W] f32[32,16,3,3]", "f32[N,32,H,W]", kNchwc},
      {"bad C2 of Conv", "Conv", "f32[N,16,H,W] f32[32,8,3,3]", error("SHP105 C2"), kNchwc},
      {"MaxPool", "MaxPool kernel_shape=[2, 2] strides=[2, 2]", "f32[N,16,H,W]",
       "f32[N,16,H//2,W//2]", kNchwc},
      {"bad C1 of MaxPool", "MaxPool kernel_shape=[2]", "f32[N,16]", error("SHP103 C1"), kNchwc},
      {"bad W1 of MaxPool", "AveragePool kernel_shape=[2]", "f32[N,16,H,W]", error("SHP106 W1"),
       kNchwc},
      {"GlobalAveragePool", "GlobalAveragePool", "f32[N,16,H,W]", "f32[N,16,1,1]", kNchwc},
      {"bad C1 of GlobalMaxPool", "GlobalMaxPool", "f32[N,16]", error("SHP103 C1"), kNchwc},
      {"Upsample", "Upsample scales=[1, 1, 2, 3]", "f32[N,16,H,W]", "f32[N,16,2*H,3*W]", kNchwc},
      {"bad C1 of Upsample", "Upsample scales=[2]", "f32[N,16,H,W]", error("SHP106 C1"), kNchwc});
}

}  // namespace onnx_shapes::test
