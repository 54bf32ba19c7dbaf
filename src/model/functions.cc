// What concerns operators as a whole: which functions lead back to themselves, which domains have
// no opset import.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "diag/printable.h"
#include "model/components.h"
#include "model/index.h"

namespace onnx_shapes {
namespace {

std::string quoted(std::string_view name) {
  return fmt::format("'{}'", printable(shortened(name, 200)));
}

std::string name_of(const Scope& function) {
  return printable(function.path.substr(function.path.find(' ') + 1));
}

}  // namespace

ScopeId ModelData::function(std::string_view domain, std::string_view name,
                            std::string_view overload) const {
  if (functions.empty()) return kNoId;
  const auto found = functions.find(FunctionKey{domain, name, overload});
  return found == functions.end() ? kNoId : found->second;
}

std::optional<int64_t> ModelData::opset(ScopeId scope, std::string_view domain) const {
  const std::vector<OpsetImport>& opsets = scopes[roots[scope]].opsets;
  // Nearly all operators are of ai.onnx, which is the first.
  if (!opsets.empty() && opsets.front().domain == domain) return opsets.front().version;
  const auto found = std::lower_bound(
      opsets.begin(), opsets.end(), domain,
      [](const OpsetImport& import, std::string_view wanted) { return import.domain < wanted; });
  if (found == opsets.end() || found->domain != domain) return std::nullopt;
  return found->version;
}

void find_recursion(ModelData& data, Findings& findings) {
  if (data.functions.empty()) return;
  std::vector<Dependency> calls;
  for (NodeId id = 0; id < data.nodes.size(); ++id) {
    const Node& node = data.nodes[id];
    const ScopeId callee = data.function(node.domain, node.op_type, node.overload);
    if (callee != kNoId) calls.push_back({.from = data.roots[node.scope], .on = callee});
  }
  data.recursive.resize(data.scopes.size());
  visit_components(static_cast<uint32_t>(data.scopes.size()), calls,
                   [&](std::span<const uint32_t> members, bool cyclic) {
                     if (!cyclic) return;
                     for (const uint32_t member : members) data.recursive[member] = true;
                     const std::string name = name_of(data.scopes[members[0]]);
                     findings.add(make_finding(
                         Code::kRecursiveFunction, data.place(members[0]),
                         members.size() == 1 ? fmt::format("function {} calls itself", name)
                                             : fmt::format("function {} calls itself through {}{}",
                                                           name, name_of(data.scopes[members[1]]),
                                                           members.size() > 2 ? " and others" : ""),
                         "ONNX functions may not be recursive; what the calls give is left "
                         "unknown"));
                   });
}

void check_opsets(const ModelData& data, Findings& findings) {
  std::set<std::pair<ScopeId, std::string_view>> reported;
  for (NodeId id = 0; id < data.nodes.size(); ++id) {
    const Node& node = data.nodes[id];
    if (data.opset(node.scope, node.domain)) continue;
    const ScopeId root = data.roots[node.scope];
    if (!reported.insert({root, node.domain}).second) continue;
    const bool in_function = data.scopes[root].kind == Scope::Kind::kFunction;
    Finding finding =
        make_finding(Code::kOpsetMissing, data.place_of_node(id),
                     fmt::format("the {} imports no opset of the domain {}, which {} belongs to",
                                 in_function ? "function" : "model",
                                 node.domain.empty() ? "ai.onnx" : quoted(node.domain),
                                 printable(shortened(node.op_type, 200))),
                     "add the domain and its version to opset_import");
    // A runtime that knows a domain of its own does without the import; ONNX Runtime does.
    const bool calls_function = data.function(node.domain, node.op_type, node.overload) != kNoId;
    if (!calls_function && !node.domain.empty() && !node.domain.starts_with("ai.onnx")) {
      finding.severity = Severity::kWarning;
    }
    findings.add(std::move(finding));
  }
}

}  // namespace onnx_shapes
