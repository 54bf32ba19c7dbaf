// Lookup of a rule by domain, operator and opset.
#include "infer/rule.h"

#include <algorithm>
#include <functional>

namespace onnx_shapes {

size_t RuleTable::KeyHash::operator()(const Key& key) const {
  const std::hash<std::string_view> hash;
  return hash(key.op) * 31 + hash(key.domain);
}

namespace {

/// The row with the largest `since` that is not above `opset`.
template <class Row>
const Row* newest(const std::vector<const Row*>& rows, int64_t opset) {
  const Row* best = nullptr;
  for (const Row* row : rows) {
    if (row->since <= opset) best = row;
  }
  return best;
}

}  // namespace

RuleTable::RuleTable(std::span<const Family> families, std::span<const ArityTable> arities) {
  for (const ArityTable& table : arities) {
    for (const Arity& row : table.rows) arities_[{table.domain, row.op}].push_back(&row);
  }
  for (const Family& family : families) {
    for (const OpRule& rule : family.rules) {
      rules_[{family.domain, rule.op}].push_back(&rule);
      ++size_;
    }
  }
  for (auto& [key, forms] : rules_) {
    std::stable_sort(forms.begin(), forms.end(),
                     [](const OpRule* a, const OpRule* b) { return a->since < b->since; });
  }
}

const OpRule* RuleTable::find(std::string_view domain, std::string_view op, int64_t opset) const {
  const auto found = rules_.find({domain, op});
  return found == rules_.end() ? nullptr : newest(found->second, opset);
}

const Arity* RuleTable::arity(std::string_view domain, std::string_view op, int64_t opset) const {
  const auto found = arities_.find({domain, op});
  return found == arities_.end() ? nullptr : newest(found->second, opset);
}

}  // namespace onnx_shapes
