// Puts nodes in topological order: a node comes after the nodes whose outputs it uses, itself or in
// the graphs inside it.
#include <fmt/format.h>

#include <algorithm>

#include "diag/printable.h"
#include "model/components.h"
#include "model/index.h"

namespace onnx_shapes {
namespace {

class Order {
 public:
  Order(ModelData& data, ScopeId first_scope, const std::vector<bool>& unordered,
        Findings& findings)
      : data_(data),
        findings_(findings),
        first_scope_(first_scope),
        unordered_(unordered),
        dependencies_(unordered.size()) {}

  void run() {
    if (std::find(unordered_.begin(), unordered_.end(), true) == unordered_.end()) return;
    for (size_t i = 0; i < unordered_.size(); ++i) collect(static_cast<ScopeId>(first_scope_ + i));
    for (size_t i = 0; i < unordered_.size(); ++i) {
      if (unordered_[i]) order(static_cast<ScopeId>(first_scope_ + i), dependencies_[i]);
    }
  }

 private:
  void collect(ScopeId id) {
    const Scope& scope = data_.scopes[id];
    for (const NodeId node_id : scope.nodes) {
      const Node& node = data_.nodes[node_id];
      for (const ValueId input : node.inputs) add(id, input, node.index);
    }
    for (const ValueId output : scope.outputs) {
      if (output != kNoId && data_.values[output].scope != id) add(id, output, 0);
    }
  }

  void add(ScopeId scope, ValueId used, uint32_t user) {
    if (used == kNoId) return;
    const Value& value = data_.values[used];
    if (value.producer == kNoId || !unordered_[value.scope - first_scope_]) return;
    if (value.scope != scope) {
      const NodeId around = node_around(data_, value.scope, scope);
      if (around == kNoId) return;
      user = data_.nodes[around].index;
    }
    dependencies_[value.scope - first_scope_].push_back(
        {.from = user, .on = data_.nodes[value.producer].index});
  }

  void order(ScopeId id, const std::vector<Dependency>& dependencies) {
    Scope& scope = data_.scopes[id];
    const std::vector<NodeId> in_file = scope.nodes;
    std::vector<bool> cyclic_nodes(in_file.size());
    scope.nodes.clear();
    visit_components(static_cast<uint32_t>(in_file.size()), dependencies,
                     [&](std::span<const uint32_t> members, bool cyclic) {
                       if (!cyclic) {
                         scope.nodes.push_back(in_file[members[0]]);
                         return;
                       }
                       for (const uint32_t member : members) cyclic_nodes[member] = true;
                       report_cycle(in_file, members);
                     });
    for (const Dependency& dependency : dependencies) {
      if (dependency.on <= dependency.from) continue;
      if (cyclic_nodes[dependency.from] || cyclic_nodes[dependency.on]) continue;
      report_order(in_file[dependency.from], in_file[dependency.on]);
      return;
    }
  }

  void report_cycle(const std::vector<NodeId>& in_file, std::span<const uint32_t> members) {
    const NodeId first = in_file[members[0]];
    std::string message;
    if (members.size() == 1) {
      message = fmt::format("{} uses its own output", printable(data_.node_label(first)));
    } else {
      constexpr size_t kNamed = 5;
      for (size_t i = 0; i < std::min(members.size(), kNamed); ++i) {
        if (i > 0) message += ", ";
        message += printable(data_.node_label(in_file[members[i]]));
      }
      if (members.size() > kNamed) {
        message += fmt::format(" and {} more", members.size() - kNamed);
      }
      message += " depend on each other in a cycle";
    }
    findings_.add(make_finding(Code::kCycle, data_.place_of_node(first), std::move(message),
                               "no order can compute them; their outputs are left unknown"));
  }

  void report_order(NodeId user, NodeId producer) {
    findings_.add(make_finding(
        Code::kNodeOrder, data_.place_of_node(user),
        fmt::format("{} uses an output of {}, which comes later in the file",
                    printable(data_.node_label(user)), printable(data_.node_label(producer))),
        "ONNX wants nodes in topological order; some tools refuse others"));
  }

  ModelData& data_;
  Findings& findings_;
  ScopeId first_scope_;
  const std::vector<bool>& unordered_;
  std::vector<std::vector<Dependency>> dependencies_;  // of the unordered scopes
};

}  // namespace

void order_nodes(ModelData& data, ScopeId first_scope, const std::vector<bool>& unordered,
                 Findings& findings) {
  Order(data, first_scope, unordered, findings).run();
}

}  // namespace onnx_shapes
