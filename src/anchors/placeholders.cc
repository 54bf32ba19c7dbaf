#include "anchors/placeholders.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "model/annotate.h"

namespace onnx_shapes {
namespace {

bool is_placeholder(std::string_view text) {
  return text == "?" || text == "*" || text == "None" || text == "-";
}

bool is_numeric(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

struct Use {
  const Annotation* first = nullptr;
  int64_t axis = 0;
  size_t count = 0;
};

}  // namespace

void report_placeholders(const Model& model, Findings& findings) {
  std::map<std::string_view, Use> uses;
  std::vector<std::string_view> order;
  for (const Annotation& annotation : model.annotations()) {
    for (size_t axis = 0; axis < annotation.type.dims.size(); ++axis) {
      const DeclaredDim& dim = annotation.type.dims[axis];
      if (dim.kind != DeclaredDim::Kind::kText) continue;
      if (!is_placeholder(dim.text) && !is_numeric(dim.text)) continue;
      Use& use = uses[dim.text];
      if (use.count++ > 0) continue;
      use.first = &annotation;
      use.axis = static_cast<int64_t>(axis);
      order.push_back(dim.text);
    }
  }
  for (const std::string_view text : order) {
    const Use& use = uses[text];
    Place place = use.first->value != kNoId ? model.place_of_value(use.first->value, use.axis)
                                            : model.place(use.first->scope);
    place.value = use.first->name;
    place.role =
        role_name(use.first->type.kind == DeclaredType::Kind::kNone ? Annotation::Role::kValueInfo
                                                                    : use.first->role);
    if (is_placeholder(text)) {
      findings.add(make_finding(
          Code::kPlaceholderName, std::move(place),
          fmt::format("'{}' is used as a placeholder ({} times): by the format the same name means "
                      "the same size everywhere",
                      text, use.count),
          "leave the dim unnamed, or give each size a name of its own"));
    } else {
      findings.add(make_finding(
          Code::kNumericName, std::move(place),
          fmt::format("the dim_param \"{}\" is a name that looks like a number; the dim is still "
                      "dynamic",
                      text),
          "write the number as dim_value, or choose a name"));
    }
  }
}

}  // namespace onnx_shapes
