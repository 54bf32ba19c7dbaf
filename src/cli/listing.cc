#include "cli/listing.h"

#include <fmt/format.h>

#include <algorithm>

#include "anchors/names.h"
#include "diag/printable.h"
#include "expr/text.h"

namespace onnx_shapes {
namespace {

class Lister {
 public:
  Lister(const Model& model, const Inference& inference)
      : model_(model), inference_(inference), namer_(inference) {}

  std::string run() {
    for (ScopeId id = 0; id < model_.scope_count(); ++id) {
      if (model_.scope(id).container != kNoId) list(model_.scope(id));
    }
    return std::move(text_);
  }

 private:
  std::string shape_text(const Fact& fact) {
    if (!fact.shape) return "?";
    std::vector<std::string> dims;
    for (const Dim dim : *fact.shape) dims.push_back(dim.known() ? to_text(namer_(dim)) : "?");
    return fmt::format("[{}]", fmt::join(dims, ", "));
  }

  std::string type_text(const Fact& fact) {
    const auto inner = [&] { return fact.element ? type_text(*fact.element) : std::string("?"); };
    const std::string elem(fact.elem == ElemType::kUndefined ? "?" : elem_type_name(fact.elem));
    switch (fact.kind) {
      case FactKind::kUnknown:
        return "?";
      case FactKind::kTensor:
        return elem + shape_text(fact);
      case FactKind::kSparseTensor:
        return fmt::format("sparse({}{})", elem, shape_text(fact));
      case FactKind::kSequence:
        return fmt::format("sequence({})", inner());
      case FactKind::kOptional:
        return fmt::format("optional({})", inner());
      case FactKind::kMap:
        return fmt::format("map({}, {})", elem, inner());
    }
    return "?";
  }

  void add(const char* role, ValueId value, size_t width) {
    if (value == kNoId) return;
    const std::optional<Fact>& fact = inference_.facts[value];
    text_ += fmt::format("  {:<6} {:<{}}  {}\n", role, printable(model_.value(value).name), width,
                         printable(fact ? type_text(*fact) : "?"));
  }

  void list(const Scope& scope) {
    constexpr size_t kWidest = 60;
    size_t width = 0;
    const auto widen = [&](ValueId value) {
      if (value != kNoId) width = std::max(width, printable(model_.value(value).name).size());
    };
    for (const ValueId value : scope.inputs) widen(value);
    for (const NodeId node : scope.nodes) {
      for (const ValueId value : model_.node(node).outputs) widen(value);
    }
    width = std::min(width, kWidest);
    text_ += printable(scope.path) + "\n";
    for (const ValueId value : scope.inputs) add("input", value, width);
    for (const NodeId node : scope.nodes) {
      for (const ValueId value : model_.node(node).outputs) {
        if (value == kNoId) continue;
        add(model_.value(value).scope_output ? "output" : "value", value, width);
      }
    }
  }

  const Model& model_;
  const Inference& inference_;
  Namer namer_;
  std::string text_;
};

}  // namespace

std::string listing(const Model& model, const Inference& inference) {
  return Lister(model, inference).run();
}

}  // namespace onnx_shapes
