#include "check/inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <unordered_map>

#include "check/npy.h"
#include "check/zip.h"

namespace onnx_shapes {
namespace {

constexpr std::string_view kSuffix = ".npy";

std::string without_suffix(std::string name) {
  if (name.ends_with(kSuffix)) name.resize(name.size() - kSuffix.size());
  return name;
}

void add_archive(const MappedFile& file, std::vector<GivenArray>& arrays, Findings& findings) {
  const Expected<std::vector<ZipEntry>> entries = zip_entries(file);
  if (!entries) {
    findings.add(entries.reason());
    return;
  }
  for (const ZipEntry& entry : *entries) {
    const std::string name = without_suffix(entry.name);
    Expected<GivenArray> array =
        read_npy(place_in(file.path(), name), entry.size,
                 [&](size_t limit) { return zip_contents(file, entry, limit); });
    if (!array) {
      findings.add(array.reason());
      continue;
    }
    array->name = name;
    arrays.push_back(std::move(*array));
  }
}

void add_array(const MappedFile& file, std::vector<GivenArray>& arrays, Findings& findings) {
  const std::string name = without_suffix(std::filesystem::path(file.path()).filename().string());
  const std::span<const uint8_t> bytes = file.bytes();
  Expected<GivenArray> array = read_npy(place_in(file.path(), name), bytes.size(),
                                        [&](size_t limit) -> Expected<std::vector<uint8_t>> {
                                          const auto part =
                                              bytes.first(std::min(limit, bytes.size()));
                                          return std::vector<uint8_t>(part.begin(), part.end());
                                        });
  if (!array) {
    findings.add(array.reason());
    return;
  }
  array->name = name;
  arrays.push_back(std::move(*array));
}

void add_file(const std::string& path, std::vector<GivenArray>& arrays, Findings& findings) {
  const Expected<MappedFile> file = MappedFile::open(path);
  if (!file) {
    findings.add(make_finding(Code::kInputsUnreadable, place_in(path), file.reason().message));
    return;
  }
  const std::span<const uint8_t> bytes = file->bytes();
  const bool zip = bytes.size() >= 2 && bytes[0] == 'P' && bytes[1] == 'K';
  if (zip || path.ends_with(".npz")) {
    add_archive(*file, arrays, findings);
  } else {
    add_array(*file, arrays, findings);
  }
}

/// The element type that a NumPy type is; kUndefined where NumPy has none of its own (`|V2`).
ElemType elem_of(const std::string& type) {
  static const std::unordered_map<std::string_view, ElemType> kTypes = {
      {"f4", ElemType::kFloat},     {"f8", ElemType::kDouble},      {"f2", ElemType::kFloat16},
      {"i1", ElemType::kInt8},      {"i2", ElemType::kInt16},       {"i4", ElemType::kInt32},
      {"i8", ElemType::kInt64},     {"u1", ElemType::kUint8},       {"u2", ElemType::kUint16},
      {"u4", ElemType::kUint32},    {"u8", ElemType::kUint64},      {"b1", ElemType::kBool},
      {"c8", ElemType::kComplex64}, {"c16", ElemType::kComplex128},
  };
  const std::string_view text = type;
  if (text.size() < 2) return ElemType::kUndefined;
  if (text[1] == 'U' || text[1] == 'S' || text[1] == 'O') return ElemType::kString;
  const auto found = kTypes.find(text.substr(1));
  return found == kTypes.end() ? ElemType::kUndefined : found->second;
}

std::string quoted_inputs(const Model& model) {
  std::vector<std::string> names;
  for (const ValueId id : model.scope(model.main_graph()).inputs) {
    if (id != kNoId) names.push_back(fmt::format("'{}'", model.value(id).name));
    if (names.size() == 10) break;
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

/// An element type that the array's type does not say, or the one that it does.
ElemType type_of(const GivenArray& array, const DeclaredType* declared) {
  const ElemType own = elem_of(array.type);
  return own == ElemType::kUndefined && declared != nullptr ? declared->elem : own;
}

}  // namespace

Place place_in(std::string file, std::string array) {
  Place place;
  place.file = std::move(file);
  place.value = std::move(array);
  return place;
}

std::vector<GivenArray> read_arrays(const std::string& path, Findings& findings) {
  std::vector<GivenArray> arrays;
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) {
    add_file(path, arrays, findings);
    return arrays;
  }
  std::vector<std::string> files;
  for (std::filesystem::directory_iterator at(path, error), end; !error && at != end;
       at.increment(error)) {
    if (at->path().extension() == kSuffix) files.push_back(at->path().string());
  }
  std::sort(files.begin(), files.end());
  for (const std::string& file : files) add_file(file, arrays, findings);
  if (files.empty()) {
    findings.add(make_finding(Code::kInputsUnreadable, place_in(path),
                              "the folder has no file whose name ends in .npy"));
  }
  return arrays;
}

std::optional<GivenArray> read_shape_text(const std::string& text) {
  const size_t equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0) return std::nullopt;
  GivenArray array;
  array.name = text.substr(0, equals);
  const char* at = text.data() + equals + 1;
  const char* end = text.data() + text.size();
  while (at != end) {
    int64_t number = 0;
    const auto read = std::from_chars(at, end, number);
    if (read.ec != std::errc() || number < 0) return std::nullopt;
    array.shape.push_back(number);
    at = read.ptr;
    if (at != end && *at++ != ',') return std::nullopt;
  }
  return array;
}

std::map<ValueId, GivenInput> match_inputs(const Model& model,
                                           const std::vector<GivenArray>& arrays,
                                           const std::string& source, Findings& findings) {
  std::map<ValueId, GivenInput> given;
  std::unordered_map<std::string_view, ValueId> inputs;
  for (const ValueId id : model.scope(model.main_graph()).inputs) {
    if (id != kNoId) inputs.emplace(model.value(id).name, id);
  }
  for (const ValueId id : model.scope(model.main_graph()).initializers) {
    inputs.emplace(model.value(id).name, id);
  }
  for (const GivenArray& array : arrays) {
    const auto input = inputs.find(array.name);
    if (input == inputs.end()) {
      findings.add(make_finding(Code::kInputUnknown, place_in(source, array.name),
                                fmt::format("the model has no input '{}'", array.name),
                                fmt::format("its inputs are {}", quoted_inputs(model))));
      continue;
    }
    const uint32_t annotation = model.value(input->second).input_annotation;
    const DeclaredType* declared =
        annotation == kNoId ? nullptr : &model.annotations()[annotation].type;
    Place place = model.place_of_value(input->second);
    place.role = "input";
    if (array.type.starts_with('>')) {
      findings.add(make_finding(
          Code::kGivenType, place,
          fmt::format("'{}' is big-endian ({}), which no ONNX type is", array.name, array.type),
          "write it as a little-endian array"));
    } else if (array.type.size() > 1 && array.type[1] == 'O' && declared != nullptr &&
               declared->elem != ElemType::kString) {
      findings.add(make_finding(
          Code::kArrayForm, place,
          fmt::format("'{}' is an array of Python objects, which only string inputs can be",
                      array.name)));
      continue;
    }
    given[input->second] = {.elem = type_of(array, declared),
                            .shape = array.shape,
                            .integers = array.integers,
                            .numbers = array.numbers};
  }
  return given;
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
  GivenInput input{.elem = type.elem, .shape = {}, .integers = {}, .numbers = {}};
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
