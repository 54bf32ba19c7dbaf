#include "anchors/written_bounds.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "anchors/bounds.h"
#include "expr/text.h"

namespace onnx_shapes {
namespace {

using Json = nlohmann::ordered_json;

class BoundsWriter {
 public:
  explicit BoundsWriter(const Inference& inference) : inference_(inference), bounds_(inference) {}

  /// Empty if no dim has bounds that its own text does not tell.
  std::string text(ValueId value) {
    const std::optional<Fact>& fact = inference_.facts[value];
    if (!fact) return {};
    const Fact* tensor = &*fact;
    while (tensor->element) tensor = tensor->element.get();
    if (!tensor->shape) return {};
    Json axes;
    for (size_t axis = 0; axis < tensor->shape->size(); ++axis) {
      const Dim dim = (*tensor->shape)[axis];
      if (!dim.known() || is_exact(inference_, dim)) continue;
      const DimBounds bounds = bounds_.of(dim);
      Json sides;
      add(sides, "at_least", bounds.at_least);
      add(sides, "at_most", bounds.at_most);
      if (!sides.empty()) axes[std::to_string(axis)] = std::move(sides);
    }
    return axes.empty() ? std::string() : axes.dump(-1, ' ', false, Json::error_handler_t::replace);
  }

 private:
  static void add(Json& sides, const char* name, const std::vector<Dim>& bounds) {
    for (const Dim bound : bounds) {
      const std::optional<int64_t> number = bound.number();
      const std::string text = number ? std::string() : to_text(bound);
      if (number) {
        sides[name].push_back(*number);
      } else if (!text.empty()) {
        sides[name].push_back(text);
      }
    }
  }

  const Inference& inference_;
  Bounds bounds_;
};

}  // namespace

void write_bounds(const Model& model, const Inference& inference, AnnotationChanges& changes) {
  BoundsWriter writer(inference);
  std::vector<bool> removed(model.annotations().size());
  for (const uint32_t index : changes.remove) removed[index] = true;
  for (uint32_t i = 0; i < model.annotations().size(); ++i) {
    const Annotation& annotation = model.annotations()[i];
    if (annotation.role == Annotation::Role::kInput || annotation.value == kNoId || removed[i]) {
      continue;
    }
    changes.bounds.push_back({annotation.value, annotation.role, writer.text(annotation.value)});
  }
  for (const TypeChange& change : changes.set) {
    const bool added = change.role == Annotation::Role::kValueInfo &&
                       model.value(change.value).value_info == kNoId;
    if (added) changes.bounds.push_back({change.value, change.role, writer.text(change.value)});
  }
}

void remove_bounds(const Model& model, AnnotationChanges& changes) {
  for (const Annotation& annotation : model.annotations()) {
    if (!annotation.bounds || annotation.value == kNoId) continue;
    changes.bounds.push_back({annotation.value, annotation.role, {}});
  }
}

}  // namespace onnx_shapes
