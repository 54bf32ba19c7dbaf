// Facts that hold before and after every iteration of a body.
#pragma once

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

/// Starts from the assumption that an iteration keeps what is known of the carried values, and
/// forgets, pass by pass, what an iteration changes.
[[nodiscard]] FixedPoint find_fixed_point(InferContext& ctx, const RepeatedBody& body,
                                          const std::vector<Fact>& initial);

}  // namespace onnx_shapes
