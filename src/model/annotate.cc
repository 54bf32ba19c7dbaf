// Chooses the fields of the file that change, and where new ones go.
#include "model/annotate.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "model/write_metadata.h"
#include "model/write_type.h"
#include "wire/varint.h"

namespace onnx_shapes {

std::string_view role_name(Annotation::Role role) {
  switch (role) {
    case Annotation::Role::kInput:
      return "input";
    case Annotation::Role::kOutput:
      return "output";
    case Annotation::Role::kValueInfo:
      break;
  }
  return "value_info";
}

namespace {

constexpr uint32_t kGraphValueInfo = 13;     // GraphProto.value_info
constexpr uint32_t kFunctionValueInfo = 12;  // FunctionProto.value_info

class EditMaker {
 public:
  explicit EditMaker(const Model& model) : model_(model) {}

  std::vector<Edit> make(const AnnotationChanges& changes) {
    std::unordered_map<uint64_t, const TypeChange*> types(changes.set.size());
    for (const TypeChange& change : changes.set) {
      if (change.value == kNoId) continue;
      const Value& value = model_.value(change.value);
      if (container_of(value.scope) == nullptr) continue;
      if (!value.owns_name && change.role != Annotation::Role::kInput) continue;
      const bool first = types.insert_or_assign(key(change.value, change.role), &change).second;
      if (first && change.role == Annotation::Role::kValueInfo && value.value_info == kNoId) {
        appended_.push_back(change.value);
      }
    }
    std::vector<bool> removed(model_.annotations().size());
    for (const uint32_t index : changes.remove) {
      if (model_.annotations()[index].role == Annotation::Role::kValueInfo) removed[index] = true;
    }
    for (const BoundsChange& change : changes.bounds) {
      bounds_.insert_or_assign(key(change.value, change.role), &change.text);
    }
    for (size_t i = 0; i < removed.size(); ++i) {
      const Annotation& annotation = model_.annotations()[i];
      const auto found = annotation.value == kNoId
                             ? types.end()
                             : types.find(key(annotation.value, annotation.role));
      if (removed[i] && found == types.end()) {
        add(annotation, {});
      } else {
        change(annotation, found == types.end() ? nullptr : found->second);
      }
    }
    for (const ValueId value : appended_) {
      append(value, types.at(key(value, Annotation::Role::kValueInfo))->type);
    }
    for (auto& [container, fields] : new_fields_) {
      const ContainerSpan& span = model_.wire().containers[container];
      edits_.push_back({.message = span.message,
                        .replaced = {.offset = end_of_value_infos(span), .size = 0},
                        .replacement = std::move(fields)});
    }
    std::stable_sort(edits_.begin(), edits_.end(), [](const Edit& a, const Edit& b) {
      return a.replaced.offset < b.replaced.offset;
    });
    return std::move(edits_);
  }

 private:
  static uint64_t key(ValueId value, Annotation::Role role) {
    return uint64_t{value} << 2U | static_cast<uint64_t>(role);
  }

  [[nodiscard]] const ContainerSpan* container_of(ScopeId scope) const {
    const uint32_t container = model_.scope(scope).container;
    return container == kNoId ? nullptr : &model_.wire().containers[container];
  }

  /// The text that the annotation's bounds are to be; null if they stay as they are.
  [[nodiscard]] const std::string* new_bounds(const Annotation& annotation) const {
    if (annotation.value == kNoId) return nullptr;
    const auto found = bounds_.find(key(annotation.value, annotation.role));
    if (found == bounds_.end()) return nullptr;
    const bool same =
        annotation.bounds ? *annotation.bounds == *found->second : found->second->empty();
    return same ? nullptr : found->second;
  }

  void change(const Annotation& annotation, const TypeChange* change) {
    const bool same =
        change == nullptr || (!change->mends && same_type(annotation.type, change->type));
    const WrittenType* type = same ? nullptr : &change->type;
    const std::string* bounds = new_bounds(annotation);
    const FieldSpan* field = span_of(annotation);
    if ((type == nullptr && bounds == nullptr) || field == nullptr) return;
    const auto bytes = model_.file().bytes().subspan(field->content.offset, field->content.size);
    std::string content(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (type != nullptr) content = with_type(content, *type);
    if (bounds != nullptr) content = with_metadata(content, kBoundsKey, *bounds);
    std::string replacement;
    append_tag(replacement, field->number, WireType::kLength);
    append_varint(replacement, content.size());
    add(annotation, replacement + content);
  }

  void add(const Annotation& annotation, std::string replacement) {
    const FieldSpan* field = span_of(annotation);
    if (field == nullptr) return;
    edits_.push_back({.message = container_of(annotation.scope)->message,
                      .replaced = field->whole,
                      .replacement = std::move(replacement)});
  }

  [[nodiscard]] const FieldSpan* span_of(const Annotation& annotation) const {
    const ContainerSpan* container = container_of(annotation.scope);
    if (container == nullptr) return nullptr;
    switch (annotation.role) {
      case Annotation::Role::kInput:
        return &container->inputs[annotation.index];
      case Annotation::Role::kOutput:
        return &container->outputs[annotation.index];
      case Annotation::Role::kValueInfo:
        break;
    }
    return &container->value_infos[annotation.index];
  }

  // Behind the last one of its kind, or where a writer that goes by field numbers would put it.
  [[nodiscard]] uint64_t end_of_value_infos(const ContainerSpan& container) const {
    if (!container.value_infos.empty()) return container.value_infos.back().whole.end();
    if (!container.outputs.empty()) return container.outputs.back().whole.end();
    return model_.wire().messages[container.message].field.content.end();
  }

  void append(ValueId id, const WrittenType& type) {
    const Value& value = model_.value(id);
    const bool graph = container_of(value.scope)->kind == ContainerKind::kGraph;
    const auto bounds = bounds_.find(key(id, Annotation::Role::kValueInfo));
    append_value_info(
        new_fields_[model_.scope(value.scope).container],
        graph ? kGraphValueInfo : kFunctionValueInfo, value.name, type,
        bounds == bounds_.end() ? std::string() : metadata_field(kBoundsKey, *bounds->second));
  }

  const Model& model_;
  std::vector<ValueId> appended_;
  std::map<uint32_t, std::string> new_fields_;  // by container, one after the other
  std::unordered_map<uint64_t, const std::string*> bounds_;
  std::vector<Edit> edits_;
};

}  // namespace

std::vector<Edit> annotation_edits(const Model& model, const AnnotationChanges& changes) {
  return EditMaker(model).make(changes);
}

}  // namespace onnx_shapes
