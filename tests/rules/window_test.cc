// The arithmetic of windows, against counting their positions one by one.
#include <fmt/format.h>

#include <algorithm>

#include "tests/rules/rule_cases.h"

namespace onnx_shapes::test {
namespace {

struct Axis {
  int in, kernel, stride, dilation, begin, end;
};

/// The positions whose window lies in the padded axis. Rounding up adds one more that sticks out,
/// if something is left over and it starts before the padding at the end.
int count_positions(const Axis& axis, bool round_up) {
  const int extent = (axis.kernel - 1) * axis.dilation + 1;
  const int padded = axis.begin + axis.in + axis.end;
  int count = 0;
  while (count * axis.stride + extent <= padded) ++count;
  const bool left_over = (count - 1) * axis.stride + extent < padded;
  const bool starts_inside = count * axis.stride < axis.begin + axis.in;
  return count + (round_up && left_over && starts_inside ? 1 : 0);
}

std::string check_pool(const Axis& axis, bool round_up) {
  return check_rule_case(
      {"a pool",
       fmt::format("MaxPool kernel_shape=[{}] strides=[{}] dilations=[{}] pads=[{}, {}] "
                   "ceil_mode={}",
                   axis.kernel, axis.stride, axis.dilation, axis.begin, axis.end, round_up ? 1 : 0),
       fmt::format("f32[1,1,{}]", axis.in),
       fmt::format("f32[1,1,{}]", count_positions(axis, round_up))});
}

}  // namespace

TEST_CASE("Windows have as many positions as there are", "[window]") {
  for (int kernel = 1; kernel <= 3; ++kernel) {
    for (int stride = 1; stride <= 4; ++stride) {
      for (int dilation = 1; dilation <= 2; ++dilation) {
        for (int begin = 0; begin < kernel; ++begin) {
          for (int end = 0; end < kernel; ++end) {
            const int extent = (kernel - 1) * dilation + 1;
            for (int in = std::max(1, extent - begin - end); in <= extent + 5; ++in) {
              const Axis axis{in, kernel, stride, dilation, begin, end};
              INFO(fmt::format("{} of kernel {} stride {} dilation {} pads {} {}", in, kernel,
                               stride, dilation, begin, end));
              CHECK(check_pool(axis, false) == "");
              CHECK(check_pool(axis, true) == "");
            }
          }
        }
      }
    }
  }
}

// The numbers are those that ONNX Runtime gives.
TEST_CASE("Pools that round up", "[pooling]") {
  RULE_CASES(
      {"the last window always starts inside", "MaxPool kernel_shape=[3] strides=[2] ceil_mode=1",
       "f32[N,C,L]", "f32[N,C,L//2]"},
      {"4 of 3 by 2", "MaxPool kernel_shape=[3] strides=[2] ceil_mode=1", "f32[N,C,4]",
       "f32[N,C,2]"},
      {"the last window may start in the padding",
       "MaxPool kernel_shape=[2] strides=[2] pads=[1, 1] ceil_mode=1", "f32[N,C,5]", "f32[N,C,3]"},
      {"the same, of unknown size", "AveragePool kernel_shape=[1] strides=[2] ceil_mode=1",
       "f32[N,C,L]", "f32[N,C,(L + 1)//2]"},
      {"the stride may pass the kernel", "AveragePool kernel_shape=[2] strides=[3] ceil_mode=1",
       "f32[N,C,7]", "f32[N,C,3]"});
}

}  // namespace onnx_shapes::test
