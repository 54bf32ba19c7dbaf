#include "cli/explain_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "anchors/explanation.h"
#include "cli/wording.h"
#include "diag/printable.h"
#include "model/annotate.h"

namespace onnx_shapes {
namespace {

constexpr size_t kMaxSteps = 60;

bool in_model(const Model& model, ValueId id) {
  return model.scope(model.value(id).scope).container != kNoId && !model.value(id).name.empty();
}

/// The values that a text without axis names: the one of the main graph, else those of others.
std::vector<ValueId> named(const Model& model, std::string_view text) {
  std::vector<ValueId> found;
  for (ValueId id = 0; id < model.value_count(); ++id) {
    if (!in_model(model, id)) continue;
    const Value& value = model.value(id);
    if (!text.ends_with(value.name)) continue;
    if (value.name == text) {
      if (value.scope == model.main_graph()) return {id};
      found.push_back(id);
    } else if (fmt::format("{}/{}", model.scope(value.scope).path, value.name) == text) {
      return {id};
    }
  }
  return found;
}

std::string no_such_value(const Model& model, std::string_view text) {
  std::vector<std::string> similar;
  for (ValueId id = 0; id < model.value_count(); ++id) {
    if (in_model(model, id) && model.value(id).name.find(text) != std::string_view::npos) {
      similar.push_back(fmt::format("'{}'", value_text(model, id)));
    }
  }
  constexpr size_t kMost = 3;
  return fmt::format("the model has no value '{}'{}", printable(text),
                     similar.empty() ? std::string("; onnx-shapes infer lists them")
                                     : fmt::format("; there is {}", list_text(similar, kMost)));
}

class Writer {
 public:
  Writer(const Model& model, const Inference& inference, Probe& probe)
      : model_(model),
        inference_(inference),
        namer_(inference),
        explainer_(model, inference, probe) {}

  std::string run(const Target& target) {
    const std::optional<Fact>& fact = inference_.facts[target.value];
    line(0, "{}: {}", value_text(model_, target.value), fact ? type_text(*fact, namer_) : "?");
    if (!fact) {
      line(1, "it is not computed: inference did not come to it, or a branch is never taken");
      return std::move(text_);
    }
    if (fact->kind == FactKind::kUnknown || (fact->is_tensor() && !fact->shape)) {
      write(explainer_.explain_rank(target.value));
      return std::move(text_);
    }
    const Fact* tensor = &*fact;
    while (tensor->element) tensor = tensor->element.get();
    const size_t rank = tensor->shape ? tensor->shape->size() : 0;
    if (target.axis && *target.axis < rank) {
      write(explainer_.explain({target.value, Part::Kind::kDim, *target.axis}, kMaxSteps));
      return std::move(text_);
    }
    if (rank == 0 && tensor->shape) {
      line(1, "{}",
           inference_.adopted.contains(target.value)
               ? "a scalar, as it is declared: inference knows nothing of its rank"
               : "a scalar has no axes");
    }
    if (fact->kind == FactKind::kSequence) {
      write(explainer_.explain({target.value, Part::Kind::kLength, 0}, kMaxSteps));
    }
    for (uint32_t axis = 0; axis < rank; ++axis) {
      write(explainer_.explain({target.value, Part::Kind::kDim, axis}, kMaxSteps));
    }
    return std::move(text_);
  }

 private:
  template <class... Arguments>
  void line(size_t depth, fmt::format_string<Arguments...> form, Arguments&&... arguments) {
    text_ += std::string(depth * 4, ' ');
    text_ += fmt::format(form, std::forward<Arguments>(arguments)...);
    text_ += '\n';
  }

  std::string part_text(Part part) {
    const std::string value = value_text(model_, part.value);
    switch (part.kind) {
      case Part::Kind::kDim:
        return fmt::format("{} axis {}", value, part.index);
      case Part::Kind::kElement:
        return fmt::format("{} element {}", value, part.index);
      case Part::Kind::kLength:
        return fmt::format("{} length", value);
    }
    return value;
  }

  std::string source_text(Part part) {
    return fmt::format("{} ({})", part_text(part), dim_text(explainer_.named(part)));
  }

  std::string fact_text(ValueId value) {
    const std::optional<Fact>& fact = inference_.facts[value];
    return fact ? type_text(*fact, namer_) : "?";
  }

  void write(const Explainer::Explanation& explanation) {
    text_ += '\n';
    for (const Step& step : explanation.steps) write(step);
    if (explanation.cut) line(0, "(and more, which is left out)");
  }

  void write(const Step& step) {
    if (step.whole) {
      line(0, "{} rank: ?", value_text(model_, step.part.value));
    } else {
      line(0, "{}: {}", part_text(step.part), dim_text(step.dim));
    }
    write_origin(step);
    for (const Reason& reason : step.reasons) write(reason);
    const std::string bounds = bounds_text(step.bounds);
    if (!bounds.empty()) line(1, "{}", bounds);
  }

  void write_origin(const Step& step) {
    const std::string type = fact_text(step.part.value);
    switch (step.kind) {
      case Step::Kind::kInput:
        line(1, "input {}", type);
        break;
      case Step::Kind::kConstant:
        line(1, "initializer {}", type);
        break;
      case Step::Kind::kBodyInput:
        line(1, "{} that {} hands to its body{}", type, node_text(model_, step.nodes.front()),
             sources_text(step));
        break;
      case Step::Kind::kNode:
        line(1, "{} made by {}{}", type, node_text(model_, step.nodes.front()), sources_text(step));
        break;
      case Step::Kind::kUnchanged:
        line(1, "unchanged through {} from {}", path_text(step.nodes),
             step.whole ? value_text(model_, step.sources.front().value)
                        : part_text(step.sources.front()));
        break;
    }
  }

  std::string sources_text(const Step& step) {
    if (step.sources.empty()) return {};
    std::vector<std::string> texts;
    for (const Part& source : step.sources) texts.push_back(source_text(source));
    constexpr size_t kMost = 8;
    return " from " + list_text(texts, kMost);
  }

  /// Few nodes by name, many by their operators.
  std::string path_text(const std::vector<NodeId>& nodes) const {
    constexpr size_t kFew = 2;
    constexpr size_t kMost = 6;
    std::vector<std::string> texts;
    if (nodes.size() <= kFew) {
      for (const NodeId node : nodes) texts.push_back(node_text(model_, node));
      return list_text(texts, kFew);
    }
    for (const NodeId node : nodes) {
      std::string op = printable(model_.node(node).op_type);
      if (std::find(texts.begin(), texts.end(), op) == texts.end()) texts.push_back(std::move(op));
    }
    return fmt::format("{} nodes ({})", nodes.size(), list_text(texts, kMost));
  }

  void write(const Reason& reason) {
    switch (reason.kind) {
      case Reason::Kind::kReads:
        for (const uint32_t index : reason.equalities) write(index);
        break;
      case Reason::Kind::kMade:
        line(1, "{} is a size known in the run only: {}", dim_text(reason.dim),
             data_text(model_, reason.data, reason.inputs));
        break;
      case Reason::Kind::kNameless:
        line(1, "no name: {}", nameless_text(model_, reason.body));
        break;
      case Reason::Kind::kUnnamed:
        line(1, "the input has no name for it; it is called {} here", dim_text(reason.dim));
        break;
      case Reason::Kind::kDeclared: {
        const Annotation& annotation = model_.annotations()[reason.annotation];
        line(1, "its {} says {}", role_name(annotation.role), declared_text(annotation.type));
        break;
      }
      case Reason::Kind::kStandsIn:
        line(1, "declared: inference knows nothing of it");
        break;
      case Reason::Kind::kUnknownRank:
        line(1, "the rank is known in the run only: {}",
             data_text(model_, reason.data, reason.inputs));
        break;
    }
  }

  static std::string declared_text(const DeclaredType& type) {
    const DeclaredType* tensor = &type;
    while (tensor->element) tensor = tensor->element.get();
    std::vector<std::string> dims;
    for (const DeclaredDim& dim : tensor->dims) {
      dims.push_back(dim.kind == DeclaredDim::Kind::kNumber ? std::to_string(dim.number)
                     : dim.kind == DeclaredDim::Kind::kText ? printable(dim.text)
                                                            : "?");
    }
    return fmt::format("[{}]", fmt::join(dims, ", "));
  }

  void write(uint32_t index) {
    const Equality& equality = inference_.constraints->equalities()[index];
    line(1, "since {} == {}: {}", dim_text(equality.a), dim_text(equality.b),
         origin_text(model_, equality.origin));
  }

  const Model& model_;
  const Inference& inference_;
  Namer namer_;
  Explainer explainer_;
  std::string text_;
};

}  // namespace

Result<Target, std::string> find_target(const Model& model, std::string_view text) {
  Target target;
  std::vector<ValueId> found = named(model, text);
  if (const size_t colon = text.rfind(':'); found.empty() && colon != std::string_view::npos) {
    uint32_t axis = 0;
    const char* end = text.data() + text.size();
    const auto read = std::from_chars(text.data() + colon + 1, end, axis);
    if (read.ec == std::errc() && read.ptr == end) {
      target.axis = axis;
      text = text.substr(0, colon);
      found = named(model, text);
    }
  }
  if (found.empty()) return Failure{no_such_value(model, text)};
  if (found.size() > 1) {
    return Failure{fmt::format("several values have the name '{}'; name one of {}", printable(text),
                               values_text(model, found))};
  }
  target.value = found.front();
  return target;
}

std::string explanation_text(const Model& model, const Inference& inference, Probe& probe,
                             const Target& target) {
  return Writer(model, inference, probe).run(target);
}

}  // namespace onnx_shapes
