// Lookup of a rule by domain, operator and opset.
#include "infer/rule.h"

#include <algorithm>
#include <functional>

namespace onnx_shapes {

size_t RuleTable::KeyHash::operator()(const Key& key) const {
  const std::hash<std::string_view> hash;
  return hash(key.op) * 31 + hash(key.domain);
}

RuleTable::RuleTable(std::span<const Family> families) {
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
  if (found == rules_.end()) return nullptr;
  const OpRule* best = nullptr;
  for (const OpRule* form : found->second) {
    if (form->since <= opset) best = form;
  }
  return best;
}

}  // namespace onnx_shapes
