// Names of dims that a tool has made up, not an author.
#pragma once

#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "model/model.h"

namespace onnx_shapes {

/// Knows the forms of the names that exporters and shape inference leave in a model:
///   unk__7                  onnx
///   Reshape_471_o0__d2      ONNX Runtime's symbolic inference; Reshape471_o0_d2 of old
///   _d0                     onnx-shape-inference
///   NonZero_nz_nnz, n_value1    ours: a node and its output, or a value whose contents decide
///   Addlogits_dim_1         torch's exporter: an operator, a value that is annotated, an axis
class MadeUpNames {
 public:
  explicit MadeUpNames(const Model& model) : model_(model) {}

  [[nodiscard]] bool contains(std::string_view name);
  /// Whether it is one of the exporter's.
  [[nodiscard]] bool is_exported(std::string_view name);

 private:
  [[nodiscard]] bool is_ours(std::string_view name);

  // Made when a name asks for them: few do, and large models have many values.
  [[nodiscard]] const std::unordered_set<std::string_view>& op_types();
  [[nodiscard]] const std::unordered_set<std::string_view>& annotated();
  [[nodiscard]] const std::unordered_map<std::string_view, std::string_view>& op_of();

  const Model& model_;
  std::unordered_set<std::string_view> op_types_;
  std::unordered_set<std::string_view> annotated_;                // names of values
  std::unordered_map<std::string_view, std::string_view> op_of_;  // by output; of values, ""
};

}  // namespace onnx_shapes
