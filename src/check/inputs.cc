// Makes what files and options give into the inputs of a run.
#include "check/inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "support/nearest.h"

namespace onnx_shapes {
namespace {

class InputMatch {
 public:
  InputMatch(const Model& model, const std::vector<GivenArray>& arrays, const std::string& source,
             Findings& findings);
  std::map<ValueId, GivenInput> match();

 private:
  void match(const GivenArray& array);
  void report_unknown(const GivenArray& array);
  [[nodiscard]] std::optional<Finding> type_fault(const GivenArray& array,
                                                  const DeclaredType* declared, Place place) const;

  const Model& model_;
  const std::vector<GivenArray>& arrays_;
  const std::string& source_;
  Findings& findings_;
  std::unordered_map<std::string_view, ValueId> inputs_;
  std::map<ValueId, GivenInput> given_;
};

InputMatch::InputMatch(const Model& model, const std::vector<GivenArray>& arrays,
                       const std::string& source, Findings& findings)
    : model_(model), arrays_(arrays), source_(source), findings_(findings) {
  for (const ValueId id : model.scope(model.main_graph()).inputs) {
    if (id != kNoId) inputs_.emplace(model.value(id).name, id);
  }
  for (const ValueId id : model.scope(model.main_graph()).initializers) {
    inputs_.emplace(model.value(id).name, id);
  }
}

/// The help names the input that is meant, if one that nothing is given for is called similarly.
void InputMatch::report_unknown(const GivenArray& array) {
  std::vector<std::string> names;
  std::vector<std::string_view> left;
  for (const ValueId id : model_.scope(model_.main_graph()).inputs) {
    if (id == kNoId) continue;
    const std::string_view name = model_.value(id).name;
    if (names.size() < 10) names.push_back(fmt::format("'{}'", name));
    const bool is_given = std::any_of(arrays_.begin(), arrays_.end(),
                                      [&](const GivenArray& other) { return other.name == name; });
    if (!is_given) left.push_back(name);
  }
  const std::optional<std::string_view> meant = nearest(array.name, left);
  findings_.add(make_finding(Code::kInputUnknown, place_in(source_, array.name),
                             fmt::format("the model has no input '{}'", array.name),
                             meant ? fmt::format("is it input '{}' that you mean?", *meant)
                                   : fmt::format("its inputs are {}", fmt::join(names, ", "))));
}

/// Of a NumPy type that is no type of ONNX.
std::optional<Finding> InputMatch::type_fault(const GivenArray& array, const DeclaredType* declared,
                                              Place place) const {
  const std::string& type = array.type;
  const bool strings = declared == nullptr || declared->elem == ElemType::kString;
  if (type.empty() || (array.elem != ElemType::kUndefined && !type.starts_with('>'))) {
    return std::nullopt;
  }
  if (type.starts_with('>')) {
    return make_finding(
        Code::kGivenType, std::move(place),
        fmt::format("'{}' is big-endian ({}), which no ONNX type is", array.name, type),
        "write it as a little-endian array");
  }
  if (type[1] == 'O') {
    if (strings) return std::nullopt;
    return make_finding(
        Code::kArrayForm, std::move(place),
        fmt::format("'{}' is an array of Python objects, which only string inputs can be",
                    array.name),
        "convert it with astype before it is saved");
  }
  // NumPy has no bfloat16, float8 or int4 of its own: they are saved as bytes without a type.
  if (type[1] == 'V' && declared != nullptr && declared->elem != ElemType::kUndefined) {
    const uint32_t bits = element_bits(declared->elem);
    const std::string width = std::to_string((bits + 7) / 8);
    if (bits != 0 && type.substr(2) == width) return std::nullopt;
    return make_finding(Code::kGivenType, std::move(place),
                        fmt::format("'{}' has the type {}, whose elements are no {} of {} bytes",
                                    array.name, type, elem_type_name(declared->elem), width));
  }
  return make_finding(
      Code::kGivenType, std::move(place),
      fmt::format("'{}' has the type {}, which is no type of ONNX", array.name, type),
      "convert it with astype before it is saved");
}

void InputMatch::match(const GivenArray& array) {
  const auto input = inputs_.find(array.name);
  if (input == inputs_.end()) {
    report_unknown(array);
    return;
  }
  const ValueId id = input->second;
  const uint32_t annotation = model_.value(id).input_annotation;
  const DeclaredType* declared =
      annotation == kNoId ? nullptr : &model_.annotations()[annotation].type;
  Place place = model_.place_of_value(id);
  place.role = "input";
  if (given_.contains(id)) {
    findings_.add(make_finding(Code::kArrayForm, std::move(place),
                               fmt::format("{} has two arrays for input '{}'", source_, array.name),
                               "leave one of them out"));
    return;
  }
  if (array.kind == FactKind::kUnknown) {
    given_.emplace(id, array);
    return;
  }
  if (std::optional<Finding> fault = type_fault(array, declared, std::move(place))) {
    findings_.add(std::move(*fault));
    given_[id].kind = FactKind::kUnknown;
    return;
  }
  GivenInput given = array;
  const bool tensor = given.kind == FactKind::kTensor;
  const DeclaredType* inner = declared;
  if (inner != nullptr && inner->kind == DeclaredType::Kind::kOptional)
    inner = inner->element.get();
  if (tensor && given.elem == ElemType::kUndefined && inner != nullptr) given.elem = inner->elem;
  if (declared != inner && given.kind != FactKind::kOptional) {
    GivenInput holder;
    holder.kind = FactKind::kOptional;
    holder.elements.push_back(std::move(given));
    given = std::move(holder);
  }
  given_.emplace(id, std::move(given));
}

std::map<ValueId, GivenInput> InputMatch::match() {
  for (const GivenArray& array : arrays_) match(array);
  return std::move(given_);
}

}  // namespace

std::map<ValueId, GivenInput> match_inputs(const Model& model,
                                           const std::vector<GivenArray>& arrays,
                                           const std::string& source, Findings& findings) {
  return InputMatch(model, arrays, source, findings).match();
}

namespace {

using Sizes = std::map<std::string, int64_t, std::less<>>;

void add_sizes(const Model& model, const std::map<ValueId, GivenInput>& given, Sizes& sizes) {
  for (const auto& [id, input] : given) {
    const uint32_t annotation = model.value(id).input_annotation;
    if (annotation == kNoId) continue;
    const std::vector<DeclaredDim>& dims = model.annotations()[annotation].type.dims;
    for (size_t i = 0; i < std::min(dims.size(), input.shape.size()); ++i) {
      if (dims[i].kind == DeclaredDim::Kind::kText) {
        sizes.emplace(std::string(dims[i].text), input.shape[i]);
      }
    }
  }
}

std::optional<GivenInput> derived(const DeclaredType& type, const Sizes& sizes) {
  if (!type.has_shape) return std::nullopt;
  GivenInput input;
  input.elem = type.elem;
  for (const DeclaredDim& dim : type.dims) {
    if (dim.kind == DeclaredDim::Kind::kUnnamed) return std::nullopt;
    if (dim.kind == DeclaredDim::Kind::kNumber) {
      input.shape.push_back(dim.number);
      continue;
    }
    const auto size = sizes.find(dim.text);
    if (size == sizes.end()) return std::nullopt;
    input.shape.push_back(size->second);
  }
  return input;
}

}  // namespace

void complete_inputs(const Model& model, const Sizes& known, bool derive, const std::string& source,
                     std::map<ValueId, GivenInput>& given, Findings& findings) {
  Sizes sizes = known;
  add_sizes(model, given, sizes);
  for (const ValueId id : model.scope(model.main_graph()).inputs) {
    if (id == kNoId || given.contains(id)) continue;
    const Value& value = model.value(id);
    if (value.initializer != kNoId || value.input_annotation == kNoId) continue;
    const DeclaredType& type = model.annotations()[value.input_annotation].type;
    if (type.kind != DeclaredType::Kind::kTensor) continue;
    std::optional<GivenInput> input = derived(type, sizes);
    const bool follows = input.has_value();
    if (follows) given[id] = std::move(*input);
    if (follows && derive) continue;
    Place place = model.place_of_value(id);
    place.role = "input";
    Finding finding = make_finding(
        Code::kInputMissing, std::move(place),
        source.empty() ? fmt::format("no shape is given for input '{}'", value.name)
                       : fmt::format("{} has no array for input '{}'{}", source, value.name,
                                     follows ? "; its shape is taken as declared" : ""),
        derive ? "give it with --shape NAME=2,3 or --dim NAME=NUMBER" : "");
    if (follows) finding.severity = Severity::kWarning;
    findings.add(std::move(finding));
  }
}

}  // namespace onnx_shapes
