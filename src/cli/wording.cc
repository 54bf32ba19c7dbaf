#include "cli/wording.h"

#include <fmt/format.h>

#include <algorithm>

#include "diag/printable.h"
#include "expr/text.h"
#include "model/annotate.h"

namespace onnx_shapes {
namespace {

std::string shape_text(const Fact& fact, Namer& namer) {
  if (!fact.shape) return "?";
  std::vector<std::string> dims;
  for (const Dim dim : *fact.shape) dims.push_back(dim_text(namer(dim)));
  return fmt::format("[{}]", fmt::join(dims, ", "));
}

}  // namespace

std::string type_text(const Fact& fact, Namer& namer) {
  const auto inner = [&] {
    return fact.element ? type_text(*fact.element, namer) : std::string("?");
  };
  const std::string elem(fact.elem == ElemType::kUndefined ? "?" : elem_type_name(fact.elem));
  switch (fact.kind) {
    case FactKind::kUnknown:
      return "?";
    case FactKind::kTensor:
      return elem + shape_text(fact, namer);
    case FactKind::kSparseTensor:
      return fmt::format("sparse({}{})", elem, shape_text(fact, namer));
    case FactKind::kSequence:
      return fmt::format("sequence({})", inner());
    case FactKind::kOptional:
      return fmt::format("optional({})", inner());
    case FactKind::kMap:
      return fmt::format("map({}, {})", elem, inner());
  }
  return "?";
}

std::string value_text(const Model& model, ValueId id) {
  const Value& value = model.value(id);
  const std::string name = printable(value.name);
  if (value.scope == model.main_graph()) return name;
  return fmt::format("{}/{}", printable(model.scope(value.scope).path), name);
}

std::string node_text(const Model& model, NodeId id) {
  return fmt::format("{} '{}'", printable(model.node(id).op_type), printable(model.node_label(id)));
}

std::string origin_text(const Model& model, const Origin& origin) {
  switch (origin.kind) {
    case Origin::Kind::kNone:
      return "nothing is known of its origin";
    case Origin::Kind::kNode:
      if (origin.label.empty()) return node_text(model, origin.node);
      return fmt::format("{} needs it ({})", node_text(model, origin.node), origin.label);
    case Origin::Kind::kContents:
      return fmt::format("element {} of '{}'", origin.axis, value_text(model, origin.value));
    case Origin::Kind::kAnchor:
      break;
  }
  if (origin.value == kNoId) return "value_info of a value that the model does not have";
  const Value& value = model.value(origin.value);
  const Annotation::Role role = value.output_annotation != kNoId ? Annotation::Role::kOutput
                                : value.value_info != kNoId      ? Annotation::Role::kValueInfo
                                                                 : Annotation::Role::kInput;
  return fmt::format("{} '{}'{} is declared so", role_name(role), value_text(model, origin.value),
                     origin.axis >= 0 ? fmt::format(" axis {}", origin.axis) : std::string());
}

std::string nameless_text(const Model& model, ScopeId varies_in) {
  if (varies_in == kNoId) return "nothing that holds in every run is known of it";
  const Scope& scope = model.scope(varies_in);
  return fmt::format("it may differ from one {} of {} to the next",
                     scope.kind == Scope::Kind::kFunction ? "call" : "iteration",
                     printable(scope.path));
}

std::string data_text(const Model& model, const std::vector<ValueId>& data,
                      const std::vector<ValueId>& inputs) {
  if (data.empty()) return "it is decided in the run";
  std::string text = fmt::format("the contents of {} decide it", values_text(model, data));
  std::vector<ValueId> others;
  for (const ValueId input : inputs) {
    if (std::find(data.begin(), data.end(), input) == data.end()) others.push_back(input);
  }
  if (!others.empty()) {
    text += fmt::format(", which are computed from those of {}", values_text(model, others));
  }
  return text;
}

std::string bounds_text(const DimBounds& bounds) {
  const auto side = [](const char* words, const std::vector<Dim>& dims) {
    std::vector<std::string> texts;
    for (const Dim dim : dims) texts.push_back(dim_text(dim));
    return words + list_text(texts, texts.size());
  };
  std::string text;
  if (!bounds.at_least.empty()) text = side("at least ", bounds.at_least);
  if (!bounds.at_least.empty() && !bounds.at_most.empty()) text += "; ";
  if (!bounds.at_most.empty()) text += side("at most ", bounds.at_most);
  return text;
}

std::string dim_text(Dim dim) { return dim.known() ? printable(to_text(dim)) : "?"; }

std::string list_text(const std::vector<std::string>& items, size_t most) {
  if (items.size() > most) {
    const std::vector<std::string> shown(items.begin(),
                                         items.begin() + static_cast<std::ptrdiff_t>(most));
    return fmt::format("{} and {} more", fmt::join(shown, ", "), items.size() - most);
  }
  std::string text;
  for (size_t i = 0; i < items.size(); ++i) {
    if (i > 0) text += i + 1 == items.size() ? " and " : ", ";
    text += items[i];
  }
  return text;
}

std::string values_text(const Model& model, const std::vector<ValueId>& values) {
  constexpr size_t kMost = 4;
  std::vector<std::string> names;
  for (const ValueId value : values) {
    names.push_back(fmt::format("'{}'", value_text(model, value)));
  }
  return list_text(names, kMost);
}

}  // namespace onnx_shapes
