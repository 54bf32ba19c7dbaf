// The table that maps (domain, operator, opset) to a rule.
#pragma once

#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "infer/context.h"

namespace onnx_shapes {

/// One row of a family's table: the rule for an operator from that opset version on, until the next
/// row of the same operator.
struct OpRule {
  std::string_view op;
  int since = 1;
  Outcome (*infer)(InferContext&) = nullptr;
};

struct Family {
  std::string_view domain;
  std::span<const OpRule> rules;
};

/// How many inputs and outputs an operator has from that opset version on.
struct Arity {
  static constexpr uint8_t kAny = 255;  // no upper limit

  std::string_view op;
  int since = 1;
  uint8_t least_inputs = 0;
  uint8_t most_inputs = kAny;
  uint8_t least_outputs = 0;
  uint8_t most_outputs = kAny;
};

struct ArityTable {
  std::string_view domain;
  std::span<const Arity> rows;  // rising `since` for each operator
};

class RuleTable {
 public:
  RuleTable() = default;
  explicit RuleTable(std::span<const Family> families, std::span<const ArityTable> arities = {});
  /// The rule with the largest `since` that is not above `opset`; null if there is none.
  [[nodiscard]] const OpRule* find(std::string_view domain, std::string_view op,
                                   int64_t opset) const;
  /// The same for the numbers of inputs and outputs; null if they are not known.
  [[nodiscard]] const Arity* arity(std::string_view domain, std::string_view op,
                                   int64_t opset) const;
  [[nodiscard]] size_t size() const { return size_; }

 private:
  struct Key {
    std::string_view domain, op;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    size_t operator()(const Key& key) const;
  };
  std::unordered_map<Key, std::vector<const OpRule*>, KeyHash> rules_;   // rising `since`
  std::unordered_map<Key, std::vector<const Arity*>, KeyHash> arities_;  // rising `since`
  size_t size_ = 0;
};

}  // namespace onnx_shapes
