#include "gate/requirement.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "anchors/names.h"
#include "expr/text.h"

namespace onnx_shapes {
namespace {

/// The tensor in a sequence or an optional; null if it is a map, or not known to be anything.
const Fact* tensor_in(const std::optional<Fact>& fact) {
  const Fact* inner = fact ? &*fact : nullptr;
  while (inner != nullptr && !inner->is_tensor()) {
    inner = inner->element ? &*inner->element : nullptr;
  }
  return inner;
}

class Asker {
 public:
  Asker(const Model& model, const Inference& inference, Requirement requirement, Findings& findings)
      : model_(model),
        inference_(inference),
        requirement_(requirement),
        findings_(findings),
        namer_(inference) {
    for (const Inference::NamedInput& input : inference.named_inputs) {
      if (const auto symbol = as_symbol(input.symbol)) made_.insert(*symbol);
    }
  }

  void ask();

 private:
  enum class Lack : uint8_t { kNothing, kDim, kRank };

  void ask(ValueId value);
  void ask_dims(ValueId value, const Shape& shape);
  void ask_symbol(ValueId value, size_t axis, Dim dim, SymbolId symbol);
  [[nodiscard]] Lack lack(ValueId value) const;
  /// Whether what a node reads, or what a body of it gives, lacks as much already.
  [[nodiscard]] bool begins_before(ValueId value, Lack least) const;
  [[nodiscard]] bool is_body_input(ValueId value) const {
    const Value& v = model_.value(value);
    return v.scope_input && model_.scope(v.scope).owner != kNoId;
  }
  [[nodiscard]] bool in_function(ScopeId scope) const;
  /// "that NonZero 'n' reads", or "of 'n'".
  [[nodiscard]] std::string data_of(const Origin& origin) const;
  void report(ValueId value, std::optional<int64_t> axis, std::string message, std::string help);
  [[nodiscard]] std::string_view required() const {
    return requirement_ == Requirement::kRanks   ? "ranks"
           : requirement_ == Requirement::kNames ? "names"
                                                 : "static";
  }

  const Model& model_;
  const Inference& inference_;
  Requirement requirement_;
  Findings& findings_;
  Namer namer_;
  std::unordered_set<SymbolId> made_;   // for inputs' dims without a name
  std::unordered_set<SymbolId> asked_;  // reported, or good enough
};

void Asker::report(ValueId value, std::optional<int64_t> axis, std::string message,
                   std::string help) {
  findings_.add(make_finding(Code::kRequirementUnmet, model_.place_of_value(value, axis),
                             fmt::format("{}; --require={} asks for more", message, required()),
                             std::move(help)));
}

Asker::Lack Asker::lack(ValueId value) const {
  const std::optional<Fact>& fact = inference_.facts[value];
  if (!fact || fact->kind == FactKind::kMap) return Lack::kNothing;
  const Fact* tensor = tensor_in(fact);
  if (tensor == nullptr || !tensor->shape) return Lack::kRank;
  const bool whole = std::ranges::all_of(*tensor->shape, [](Dim dim) { return dim.known(); });
  return whole ? Lack::kNothing : Lack::kDim;
}

bool Asker::begins_before(ValueId value, Lack least) const {
  const auto lacks = [&](ValueId other) { return other != kNoId && lack(other) >= least; };
  const NodeId producer = model_.value(value).producer;
  if (producer == kNoId) {
    const NodeId owner = model_.scope(model_.value(value).scope).owner;
    return owner != kNoId && std::ranges::any_of(model_.node(owner).inputs, lacks);
  }
  const Node& node = model_.node(producer);
  if (std::ranges::any_of(node.inputs, lacks)) return true;
  return std::ranges::any_of(node.attributes, [&](const Attribute& attribute) {
    return std::ranges::any_of(attribute.graphs, [&](ScopeId body) {
      return std::ranges::any_of(model_.scope(body).outputs, lacks);
    });
  });
}

bool Asker::in_function(ScopeId scope) const {
  while (model_.scope(scope).parent != kNoId) scope = model_.scope(scope).parent;
  return model_.scope(scope).kind == Scope::Kind::kFunction;
}

std::string Asker::data_of(const Origin& origin) const {
  if (origin.kind != Origin::Kind::kNode) {
    return fmt::format("of '{}'", model_.value(origin.value).name);
  }
  return fmt::format("that {} '{}' reads", model_.node(origin.node).op_type,
                     model_.node_label(origin.node));
}

void Asker::ask_symbol(ValueId value, size_t axis, Dim dim, SymbolId symbol) {
  const SymbolInfo& info = inference_.symbols->info(symbol);
  const bool made = info.kind == SymbolKind::kInternal || made_.contains(symbol);
  if (!made && requirement_ < Requirement::kStatic) return;
  if (!asked_.insert(symbol).second) return;
  const std::string name = inference_.symbols->name(symbol);
  std::string message =
      dim == inference_.pool->symbol(symbol)
          ? fmt::format("the dim has no number but the name {}", name)
          : fmt::format("the dim is {}, and {} has no number", to_text(dim), name);
  if (!made) {
    report(value, static_cast<int64_t>(axis), std::move(message),
           fmt::format("write a number, or say --dim {}=NUMBER", name));
  } else if (!made_.contains(symbol)) {
    report(value, static_cast<int64_t>(axis),
           fmt::format("the dim depends on the data {}", data_of(info.origin)),
           requirement_ == Requirement::kStatic ? "a size that data decides has no number"
                                                : "give it a name in value_info or on an output");
  } else {
    report(value, static_cast<int64_t>(axis), "the dim has no name",
           "give it a name, or a number, on the input");
  }
}

void Asker::ask_dims(ValueId value, const Shape& shape) {
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (!shape[axis].known()) {
      if (begins_before(value, Lack::kDim)) continue;
      if (is_body_input(value)) {
        report(value, static_cast<int64_t>(axis),
               "the dim may differ from one iteration to the next",
               "a size that changes has no name that holds in each iteration");
      } else {
        report(value, static_cast<int64_t>(axis), "nothing is known of the dim",
               "declare it in value_info or on an output if you know it");
      }
      continue;
    }
    const Dim dim = namer_(shape[axis]);
    for_each_symbol(dim, [&](SymbolId symbol) { ask_symbol(value, axis, dim, symbol); });
  }
}

void Asker::ask(ValueId value) {
  const Lack missing = lack(value);
  if (missing == Lack::kRank) {
    if (begins_before(value, Lack::kRank)) return;
    report(value, std::nullopt, "the rank is not known",
           "declare its shape in value_info or on an output if you know it");
    return;
  }
  if (requirement_ == Requirement::kRanks || !inference_.facts[value]) return;
  if (const Fact* tensor = tensor_in(inference_.facts[value])) ask_dims(value, *tensor->shape);
}

void Asker::ask() {
  for (ScopeId id = 0; id < model_.scope_count(); ++id) {
    const Scope& scope = model_.scope(id);
    if (scope.container == kNoId || in_function(id)) continue;
    for (const ValueId input : scope.inputs) {
      if (input != kNoId) ask(input);
    }
    for (const NodeId node : scope.nodes) {
      for (const ValueId output : model_.node(node).outputs) {
        if (output != kNoId) ask(output);
      }
    }
  }
}

}  // namespace

std::optional<Requirement> read_requirement(std::string_view text) {
  if (text.empty() || text == "none") return Requirement::kNone;
  if (text == "ranks") return Requirement::kRanks;
  if (text == "names") return Requirement::kNames;
  if (text == "static") return Requirement::kStatic;
  return std::nullopt;
}

void require_known(const Model& model, const Inference& inference, Requirement requirement,
                   Findings& findings) {
  if (requirement == Requirement::kNone) return;
  Asker(model, inference, requirement, findings).ask();
}

}  // namespace onnx_shapes
