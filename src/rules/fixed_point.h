// Facts that hold before and after every iteration of a body.
#pragma once

#include <span>
#include <vector>

#include "infer/context.h"

namespace onnx_shapes {

/// A body whose formal inputs are `before`, the carried values, `after`, and whose outputs are
/// `skip` others, the carried values, and what each iteration gives.
struct RepeatedBody {
  ScopeId scope = kNoId;
  std::vector<Fact> before;
  std::vector<Fact> after;
  size_t skip = 0;
  bool runs = false;  // at least once, for sure
};

struct FixedPoint {
  std::vector<Fact> carried;  // hold initially and after each iteration
  std::vector<Fact> outputs;  // of the body, in any iteration
};

/// What a body gives and what is known elsewhere may differ in text only: a dim that equals the
/// other's wherever the body runs is written as the other. With `N == 4` needed by the body, its 4
/// is the N of the other.
void align(InferContext& ctx, std::span<Fact> facts, const Requirements& requirements,
           std::span<const Fact> others);

/// Starts from the assumption that an iteration keeps what is known of the carried values, and
/// forgets, pass by pass, what an iteration changes.
[[nodiscard]] FixedPoint find_fixed_point(InferContext& ctx, const RepeatedBody& body,
                                          const std::vector<Fact>& initial);

}  // namespace onnx_shapes
