#include "anchors/public_changes.h"

#include <fmt/format.h>

#include <map>

namespace onnx_shapes {
namespace {

/// `float[N, 4]`
std::string type_text(const WrittenType& type) {
  switch (type.kind) {
    case DeclaredType::Kind::kNone:
      return "no type";
    case DeclaredType::Kind::kOpaque:
      return "opaque";
    case DeclaredType::Kind::kSequence:
      return fmt::format("sequence({})", type.element ? type_text(*type.element) : "?");
    case DeclaredType::Kind::kOptional:
      return fmt::format("optional({})", type.element ? type_text(*type.element) : "?");
    case DeclaredType::Kind::kMap:
      return fmt::format("map({}, {})", elem_type_name(type.elem),
                         type.element ? type_text(*type.element) : "?");
    case DeclaredType::Kind::kTensor:
    case DeclaredType::Kind::kSparseTensor:
      break;
  }
  std::string text(elem_type_name(type.elem));
  if (!type.has_shape) return text + "?";
  std::vector<std::string> dims;
  for (const WrittenDim& dim : type.dims) dims.push_back(dim_text(dim));
  return fmt::format("{}[{}]", text, fmt::join(dims, ", "));
}

/// Whether the types differ in nothing but dims.
bool same_but_for_dims(const DeclaredType& before, const WrittenType& after) {
  if (before.kind != after.kind || before.elem != after.elem ||
      before.has_shape != after.has_shape || before.dims.size() != after.dims.size() ||
      (before.element == nullptr) != (after.element == nullptr)) {
    return false;
  }
  return before.element == nullptr || same_but_for_dims(*before.element, *after.element);
}

void compare(PublicChange change, const DeclaredType& before, const WrittenType& after,
             std::vector<PublicChange>& found) {
  if (!same_but_for_dims(before, after)) {
    change.before = type_text(written_type(before));
    change.after = type_text(after);
    found.push_back(std::move(change));
    return;
  }
  for (uint32_t axis = 0; axis < before.dims.size(); ++axis) {
    PublicChange one = change;
    one.axis = axis;
    one.before = dim_text(written_dim(before.dims[axis]));
    one.after = dim_text(after.dims[axis]);
    if (one.before != one.after) found.push_back(std::move(one));
  }
  if (before.element) compare(std::move(change), *before.element, *after.element, found);
}

}  // namespace

std::vector<PublicChange> public_changes(const Model& model, const AnnotationChanges& changes) {
  std::map<std::pair<ValueId, Annotation::Role>, const WrittenType*> types;
  for (const TypeChange& change : changes.set) {
    if (change.role == Annotation::Role::kValueInfo) continue;
    types.insert_or_assign({change.value, change.role}, &change.type);
  }
  std::vector<PublicChange> found;
  for (const uint32_t index : model.scope(model.main_graph()).annotations) {
    const Annotation& annotation = model.annotations()[index];
    if (annotation.role == Annotation::Role::kValueInfo) continue;
    const auto type = types.find({annotation.value, annotation.role});
    if (type == types.end()) continue;
    PublicChange change;
    change.value = annotation.value;
    change.role = annotation.role;
    compare(std::move(change), annotation.type, *type->second, found);
  }
  return found;
}

}  // namespace onnx_shapes
