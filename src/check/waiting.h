// Which values of a run decide what is undetermined in it.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "check/check.h"

namespace onnx_shapes {

/// What is wanted: values that are computed once in the run, in the main graph or in branches that
/// are known to run, and that undetermined verdicts of `result` wait for: small tensors whose
/// contents decide a size, else what an operator makes whose sizes are open. Those of `done` are
/// left out: what can be known of them is known. What a function or a body inside a body computes
/// has no value of its own; what the node gives that runs it stands in.
struct Wanted {
  std::vector<ValueId> values;
  /// Values of the bodies of Loops and Scans that are run once, of which the dims in each iteration
  /// are wanted.
  std::map<NodeId, std::vector<ValueId>> in_loops;
};
[[nodiscard]] Wanted waited_for(const Model& model, const Inference& inference,
                                const CheckResult& result, const std::set<ValueId>& done);

/// Whether what the scope computes is computed once in the run, as far as is known: it is the main
/// graph, or a branch that an If there takes.
[[nodiscard]] bool runs_once(const Model& model, const Inference& inference, ScopeId scope);

/// The contents of a tensor of integers or bools that inference knows to the last element.
[[nodiscard]] std::optional<std::vector<int64_t>> known_integers(const Fact& fact);
/// The dims of a tensor, all of them numbers.
[[nodiscard]] std::optional<std::vector<int64_t>> known_dims(const Fact& fact);

}  // namespace onnx_shapes
