// Cuts out of a model what computes a few of its values.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/model.h"

namespace onnx_shapes {

/// Integers or bools that are known without running anything.
struct KnownContents {
  ElemType elem = ElemType::kInt64;
  std::vector<int64_t> dims;
  std::vector<int64_t> integers;
};

/// A model of its own.
struct ModelSlice {
  std::string bytes;             // a ModelProto
  std::vector<ValueId> inputs;   // what is given to the main graph that it needs
  std::vector<ValueId> outputs;  // the values asked for, in that order
  std::vector<std::string> output_names;
  /// Of a slice of a loop: which output tells the condition of each iteration; none for a Scan.
  std::optional<size_t> condition;
  size_t nodes = 0;  // without those of bodies
  /// Large initializers, which are inputs of the slice: their elements are where the model was
  /// mapped, or in `read`, and are valid as long as both.
  struct Weights {
    std::string name;
    ElemType elem = ElemType::kUndefined;
    std::vector<int64_t> dims;
    std::span<const uint8_t> bytes;
  };
  std::vector<Weights> weights;
  std::vector<std::vector<uint8_t>> read;
};

struct SliceOptions {
  /// The values that the caller gives, among inputs that have an initializer too.
  std::function<bool(ValueId)> given;
  /// What is known of a value: it is not computed. May be empty.
  std::function<std::optional<KnownContents>(ValueId)> known;
};

/// The nodes, initializers and functions that the values are computed from, and nothing else.
/// `values` are of one scope: the main graph, or a branch that runs whenever the main graph does;
/// the nodes of such a branch and of those around it become nodes of the slice. What the author
/// declared of inner values stays behind, since it may be wrong. The failure says why there is no
/// slice: it needs an input that is not given, or data that cannot be read.
[[nodiscard]] Result<ModelSlice, std::string> cut_slice(const Model& model,
                                                        std::span<const ValueId> values,
                                                        const SliceOptions& options);

/// What runs a Loop or Scan of such a scope, and gives the dims that values of its body have in
/// each iteration, for each value a tensor int64[iterations, rank]; then, of a Loop, the condition
/// that each iteration ends with, bool[iterations] or bool[iterations, 1]. It does not run if the
/// rank of a value changes. `values` are tensors that nodes of the body itself give.
[[nodiscard]] Result<ModelSlice, std::string> cut_loop_slice(const Model& model, NodeId loop,
                                                             std::span<const ValueId> values,
                                                             const SliceOptions& options);

}  // namespace onnx_shapes
