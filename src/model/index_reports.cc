// The first pass over a model: what it reports about names.
#include <fmt/format.h>

#include <algorithm>

#include "diag/printable.h"
#include "model/index.h"

namespace onnx_shapes {
namespace {

std::string quoted(std::string_view name) {
  return fmt::format("'{}'", printable(shortened(name, 200)));
}

}  // namespace

void Indexer::report_duplicate(ValueId known, const Value& value, std::string_view role) {
  const auto describe = [this](const Value& which, std::string_view as) {
    if (which.producer == kNoId) return fmt::format("as {}", as);
    return fmt::format("by {}", printable(data_.node_label(which.producer)));
  };
  const Value& first = data_.values[known];
  Place place =
      value.producer != kNoId ? data_.place_of_node(value.producer) : data_.place(value.scope);
  place.role = role;
  place.value = shortened(value.name, 200);
  Finding finding = make_finding(
      Code::kDuplicateValue, std::move(place),
      fmt::format("value {} is produced twice, {} and {}; each name may be assigned only once",
                  quoted(value.name),
                  describe(first, first.scope_input ? "an input" : "an initializer"),
                  describe(value, role == "input" ? "an input" : "an initializer")),
      "rename one of them");
  finding.notes.push_back({.message = "first produced here", .place = data_.place_of_value(known)});
  findings_.add(std::move(finding));
}

// A node may not produce a name that the graph around it has at that point; inputs and initializers
// of a graph may have such names. (The onnx checker and ONNX Runtime agree on both.)
void Indexer::report_shadowing(ScopeId scope, NodeId node, std::string_view name) {
  ScopeId outer = data_.scopes[scope].parent;
  if (outer == kNoId || name.empty()) return;
  const uint64_t hash = data_.names.hash(name);
  NodeId around = data_.scopes[scope].owner;
  for (; outer != kNoId; around = data_.scopes[outer].owner, outer = data_.scopes[outer].parent) {
    const ValueId known = data_.names.find(outer, name, hash);
    if (known == kNoId) continue;
    const Value& value = data_.values[known];
    const bool later = value.producer != kNoId && around != kNoId &&
                       data_.nodes[value.producer].index >= data_.nodes[around].index;
    if (later) continue;
    Place place = data_.place_of_node(node);
    place.role = "output";
    place.value = shortened(name, 200);
    Finding finding =
        make_finding(Code::kDuplicateValue, std::move(place),
                     fmt::format("value {} is produced twice, by {} and in a graph around it; each "
                                 "name may be assigned only once",
                                 quoted(name), printable(data_.node_label(node))),
                     "rename one of them");
    finding.notes.push_back(
        {.message = "first produced here", .place = data_.place_of_value(known)});
    findings_.add(std::move(finding));
    return;
  }
}

void Indexer::report_unnamed(ScopeId scope, std::string_view what, uint32_t position) {
  Place place = data_.place(scope);
  place.role = what;
  Finding finding =
      make_finding(Code::kEmptyName, std::move(place),
                   fmt::format("{} {} has no name, so no node can use it", what, position),
                   "give it a name or remove it");
  // ONNX Runtime passes over an initializer without a name, but not over an input.
  if (what == "input") finding.severity = Severity::kError;
  findings_.add(std::move(finding));
}

void Indexer::report_repeated_attribute(NodeId id) {
  if (data_.nodes[id].attributes.size() < 2) return;
  std::vector<std::string_view>& names = attribute_names_;
  names.clear();
  for (const Attribute& attribute : data_.nodes[id].attributes) names.push_back(attribute.name);
  std::sort(names.begin(), names.end());
  const auto repeated = std::adjacent_find(names.begin(), names.end());
  if (repeated == names.end()) return;
  Place place = data_.place_of_node(id);
  place.role = "attribute";
  place.value = shortened(*repeated, 200);
  findings_.add(make_finding(Code::kAttribute, std::move(place),
                             fmt::format("attribute {} is given twice", quoted(*repeated)),
                             "remove one of them"));
}

}  // namespace onnx_shapes
