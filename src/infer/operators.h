// What the operator of a node is: looked up once for each name in a scope.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "infer/rule.h"
#include "model/model.h"

namespace onnx_shapes {

struct Operator {
  int64_t opset = 0;             // of the operator's domain
  const OpRule* rule = nullptr;  // null if there is none
  const Arity* arity = nullptr;  // null if it is not known
  ScopeId function = kNoId;      // the model's own function of that name
};

/// The operators of one model's nodes. What a scope imports and the model's own functions are
/// settled when the model is loaded, so what was looked up stays true.
class Operators {
 public:
  Operators(const Model& model, const RuleTable& rules) : model_(model), rules_(rules) {}
  /// The reference stays valid.
  [[nodiscard]] const Operator& of(const Node& node);

 private:
  struct Key {
    ScopeId scope = kNoId;
    std::string_view domain, op, overload;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    size_t operator()(const Key& key) const;
  };

  const Model& model_;
  const RuleTable& rules_;
  std::unordered_map<Key, Operator, KeyHash> known_;
};

}  // namespace onnx_shapes
