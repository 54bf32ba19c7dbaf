#include "anchors/unknowns.h"

#include <fmt/format.h>

#include <unordered_set>

#include "anchors/awaited.h"
#include "anchors/bounds.h"
#include "expr/text.h"

namespace onnx_shapes {
namespace {

/// The values whose contents decide what a node leaves open, for a reader: 'x' and 'y'.
std::string data_of(const Model& model, const Inference& inference, NodeId node) {
  std::vector<std::string> names;
  for (const ValueId value : awaited_by(model, inference, node)) {
    names.push_back(fmt::format("'{}'", model.value(value).name));
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

std::string bounds_text(const DimBounds& bounds) {
  std::string text;
  const auto add = [&](const char* words, const std::vector<Dim>& dims) {
    std::vector<std::string> texts;
    for (const Dim dim : dims) texts.push_back(to_text(dim));
    if (!texts.empty()) text += fmt::format(" and {} {}", words, fmt::join(texts, " and "));
  };
  add("at least", bounds.at_least);
  add("at most", bounds.at_most);
  return text;
}

void report_names(const Model& model, const Inference& inference, Findings& findings) {
  const std::unordered_set<SymbolId> used = symbols_in_shapes(inference);
  std::optional<Bounds> bounds;
  const SymbolTable& symbols = *inference.symbols;
  for (SymbolId id = 0; id < symbols.size(); ++id) {
    const Origin& origin = symbols.info(id).origin;
    const bool of_node = origin.kind == Origin::Kind::kNode;
    if ((!of_node && origin.kind != Origin::Kind::kContents) || !used.contains(id)) continue;
    if (!bounds) bounds.emplace(inference);
    std::string message =
        of_node ? fmt::format("{} depends on the data of {}", model.node(origin.node).op_type,
                              data_of(model, inference, origin.node))
                : fmt::format("element {} of '{}' decides a size", origin.axis,
                              model.value(origin.value).name);
    message += fmt::format("; it is named {}{}", symbols.name(id),
                           bounds_text(bounds->of(inference.pool->symbol(id))));
    findings.add(make_finding(
        Code::kDataDependentDim,
        of_node ? model.place_of_node(origin.node) : model.place_of_value(origin.value),
        std::move(message),
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
      findings.add(
          make_finding(Code::kUnknownRank, model.place_of_value(output),
                       fmt::format("the rank of '{}' depends on the data of {}",
                                   model.value(output).name, data_of(model, inference, id)),
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
