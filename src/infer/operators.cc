// Lookup of what a node's operator is, by its name and the imports of its scope.
#include "infer/operators.h"

#include <functional>

namespace onnx_shapes {
namespace {

/// A domain without an import (the loader has reported it) is read as its newest version.
constexpr int64_t kNewestOpset = INT32_MAX;

}  // namespace

/// Few operators of one scope have the same name in two domains.
size_t Operators::KeyHash::operator()(const Key& key) const {
  return std::hash<std::string_view>()(key.op) * 31 + key.scope;
}

const Operator& Operators::of(const Node& node) {
  const auto [place, is_new] =
      known_.try_emplace({node.scope, node.domain, node.op_type, node.overload});
  Operator& found = place->second;
  if (is_new) {
    found.opset = model_.opset(node.scope, node.domain).value_or(kNewestOpset);
    found.rule = rules_.find(node.domain, node.op_type, found.opset);
    found.arity = rules_.arity(node.domain, node.op_type, found.opset);
    found.function = model_.function(node.domain, node.op_type, node.overload);
  }
  return found;
}

}  // namespace onnx_shapes
