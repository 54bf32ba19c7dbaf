#include "anchors/unknowns.h"

#include <fmt/format.h>

#include <map>
#include <unordered_set>

#include "anchors/names.h"
#include "expr/text.h"

namespace onnx_shapes {
namespace {

/// The inputs that a node reads, for a reader: 'x' and 'y'.
std::string inputs_of(const Model& model, const Node& node) {
  std::vector<std::string> names;
  for (const ValueId input : node.inputs) {
    if (input != kNoId) names.push_back(fmt::format("'{}'", model.value(input).name));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

std::unordered_set<SymbolId> symbols_in_shapes(const Inference& inference) {
  std::unordered_set<SymbolId> used;
  for (const std::optional<Fact>& fact : inference.facts) {
    if (!fact || !fact->shape) continue;
    for (const Dim dim : *fact->shape) {
      if (dim.known()) for_each_symbol(dim, [&](SymbolId symbol) { used.insert(symbol); });
    }
  }
  return used;
}

bool rank_unknown(const std::optional<Fact>& fact) {
  return !fact || fact->kind == FactKind::kUnknown || (fact->is_tensor() && !fact->shape);
}

void report_names(const Model& model, const Inference& inference, Findings& findings) {
  const std::unordered_set<SymbolId> used = symbols_in_shapes(inference);
  Namer namer(inference);
  std::map<SymbolId, std::vector<std::string>> bounds;
  for (const UpperBound& bound : inference.constraints->upper_bounds()) {
    const std::optional<SymbolId> symbol = as_symbol(bound.lhs);
    if (symbol) bounds[*symbol].push_back(to_text(namer(bound.rhs)));
  }
  const SymbolTable& symbols = *inference.symbols;
  for (SymbolId id = 0; id < symbols.size(); ++id) {
    const SymbolInfo& info = symbols.info(id);
    if (info.kind != SymbolKind::kInternal || info.origin.kind != Origin::Kind::kNode) continue;
    if (!used.contains(id)) continue;
    const NodeId node = info.origin.node;
    std::string message =
        fmt::format("{} depends on the data of {}; it is named {}", model.node(node).op_type,
                    inputs_of(model, model.node(node)), symbols.name(id));
    if (const auto found = bounds.find(id); found != bounds.end()) {
      message += fmt::format(" and at most {}", fmt::join(found->second, " and "));
    }
    findings.add(
        make_finding(Code::kDataDependentDim, model.place_of_node(node), std::move(message),
                     "declare the dim in value_info or on an output to give it a name of yours"));
  }
}

void report_ranks(const Model& model, const Inference& inference, Findings& findings) {
  for (NodeId id = 0; id < model.node_count(); ++id) {
    const Node& node = model.node(id);
    if (model.scope(node.scope).container == kNoId) continue;
    bool begins_here = true;
    for (const ValueId input : node.inputs) {
      begins_here = begins_here && (input == kNoId || !rank_unknown(inference.facts[input]));
    }
    if (!begins_here) continue;
    for (const ValueId output : node.outputs) {
      if (output == kNoId || !inference.facts[output]) continue;
      if (!inference.facts[output]->is_tensor() || inference.facts[output]->shape) continue;
      findings.add(make_finding(Code::kUnknownRank, model.place_of_value(output),
                                fmt::format("the rank of '{}' depends on the data of {}",
                                            model.value(output).name, inputs_of(model, node)),
                                "declare its shape in value_info or on an output if you know it"));
    }
  }
}

}  // namespace

void report_unknowns(const Model& model, const Inference& inference, Findings& findings) {
  report_names(model, inference, findings);
  report_ranks(model, inference, findings);
}

}  // namespace onnx_shapes
