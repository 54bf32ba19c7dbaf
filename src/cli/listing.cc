#include "cli/listing.h"

#include <fmt/format.h>

#include <algorithm>

#include "anchors/names.h"
#include "cli/wording.h"
#include "diag/printable.h"

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
  void add(const char* role, ValueId value, size_t width) {
    if (value == kNoId) return;
    const std::optional<Fact>& fact = inference_.facts[value];
    text_ += fmt::format("  {:<6} {:<{}}  {}\n", role, printable(model_.value(value).name), width,
                         fact ? type_text(*fact, namer_) : "?");
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
