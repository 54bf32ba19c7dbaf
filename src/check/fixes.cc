#include "check/fixes.h"

#include <fmt/format.h>

#include <charconv>
#include <unordered_set>

namespace onnx_shapes {
namespace {

std::string dim_text(const DeclaredDim& dim) {
  if (dim.kind == DeclaredDim::Kind::kText) return fmt::format("\"{}\"", dim.text);
  if (dim.kind == DeclaredDim::Kind::kNumber || dim.number < 0) return std::to_string(dim.number);
  return "?";
}

std::string dim_text(const WrittenDim& dim) {
  if (const auto* number = std::get_if<int64_t>(&dim)) return std::to_string(*number);
  if (const auto* text = std::get_if<std::string>(&dim)) return fmt::format("\"{}\"", *text);
  return "?";
}

/// `float["N", 4]`, `sequence(float["N"])`, `float` for an unknown rank.
template <class Type>
std::string type_text(const Type& type) {
  const std::string inner = type.element ? type_text(*type.element) : std::string("?");
  const std::string_view elem = elem_type_name(type.elem);
  std::string shape;
  if (type.has_shape) {
    std::vector<std::string> dims;
    for (const auto& dim : type.dims) dims.push_back(dim_text(dim));
    shape = fmt::format("[{}]", fmt::join(dims, ", "));
  }
  switch (type.kind) {
    case DeclaredType::Kind::kTensor:
      return fmt::format("{}{}", elem, shape);
    case DeclaredType::Kind::kSparseTensor:
      return fmt::format("sparse({}{})", elem, shape);
    case DeclaredType::Kind::kSequence:
      return fmt::format("sequence({})", inner);
    case DeclaredType::Kind::kOptional:
      return fmt::format("optional({})", inner);
    case DeclaredType::Kind::kMap:
      return fmt::format("map({}, {})", elem, inner);
    case DeclaredType::Kind::kOpaque:
    case DeclaredType::Kind::kNone:
      break;
  }
  return "?";
}

std::optional<int64_t> number_in(const WrittenDim& dim) {
  const auto* text = std::get_if<std::string>(&dim);
  if (text == nullptr) return std::nullopt;
  int64_t number = 0;
  const char* end = text->data() + text->size();
  const auto read = std::from_chars(text->data(), end, number);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return number;
}

/// The type with numbers for texts that are numbers, and no sizes below 0.
WrittenType mended(const DeclaredType& declared) {
  WrittenType type = written_type(declared);
  for (WrittenDim& dim : type.dims) {
    const std::optional<int64_t> number = number_in(dim);
    if (number) dim = *number < 0 ? WrittenDim() : WrittenDim(*number);
  }
  if (declared.element) {
    type.element = std::make_shared<const WrittenType>(mended(*declared.element));
  }
  return type;
}

Place place_of(const Model& model, const Annotation& annotation) {
  Place place = model.place_of_value(annotation.value);
  place.role = role_name(annotation.role);
  place.node.clear();
  place.node_text.clear();
  return place;
}

}  // namespace

Fixes safe_fixes(const Model& model, const CheckResult& result) {
  std::unordered_set<uint32_t> refuted;
  for (const Judgement& judgement : result.judgements) {
    if (judgement.verdict == Verdict::kRefuted) refuted.insert(judgement.annotation);
  }
  Fixes fixes;
  for (uint32_t i = 0; i < model.annotations().size(); ++i) {
    const Annotation& annotation = model.annotations()[i];
    const DeclaredType& declared = annotation.type;
    if (annotation.value == kNoId || declared.kind == DeclaredType::Kind::kNone) continue;
    WrittenType type = mended(declared);
    std::string before = type_text(declared);
    std::string after = type_text(type);
    if (before != after) {
      fixes.changes.set.push_back(
          {annotation.value, annotation.role, std::move(type), /*mends=*/true});
    } else if (annotation.role == Annotation::Role::kValueInfo && refuted.contains(i)) {
      fixes.changes.remove.push_back(i);
      after.clear();
    } else {
      continue;
    }
    fixes.list.push_back({place_of(model, annotation), std::move(before), std::move(after)});
  }
  return fixes;
}

}  // namespace onnx_shapes
