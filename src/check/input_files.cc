// Reads the files that have the inputs of a run.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "check/inputs.h"
#include "check/npy.h"
#include "check/zip.h"
#include "model/value_file.h"

namespace onnx_shapes {
namespace {

constexpr std::string_view kArraySuffix = ".npy";
constexpr std::string_view kValueSuffix = ".pb";

std::string without_suffix(std::string name, std::string_view suffix) {
  if (name.ends_with(suffix)) name.resize(name.size() - suffix.size());
  return name;
}

/// N of `input_N`.
std::optional<size_t> numbered(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix)) return std::nullopt;
  name.remove_prefix(prefix.size());
  size_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc() || end != name.data() + name.size()) return std::nullopt;
  return number;
}

class InputFiles {
 public:
  InputFiles(const Model& model, Findings& findings) : model_(model), findings_(findings) {}

  std::vector<GivenArray> read(const std::string& path);
  /// The whole contents of these inputs.
  std::map<std::string, RunInput> read_contents(const std::string& path,
                                                const std::set<std::string>& names);

 private:
  void add_folder(const std::string& path);
  void add_file(const std::string& path);
  void add_archive(const MappedFile& file);
  void add_array(const MappedFile& file);
  void add_value(const MappedFile& file);
  void add_npy(const Place& place, uint64_t size, const ReadPrefix& read, const std::string& name);
  void add(Expected<GivenArray> array, std::string name);
  void add_contents(Expected<RunInput> contents, const std::string& name);
  [[nodiscard]] bool is_input(std::string_view name) const;
  [[nodiscard]] std::string input_of_file(const std::string& stem) const;
  [[nodiscard]] const DeclaredType* declared(std::string_view name) const;

  const Model& model_;
  Findings& findings_;
  std::vector<GivenArray> arrays_;
  const std::set<std::string>* wanted_ = nullptr;  // null: of all the headers
  std::map<std::string, RunInput> contents_;
};

bool InputFiles::is_input(std::string_view name) const {
  const std::vector<ValueId>& inputs = model_.scope(model_.main_graph()).inputs;
  return std::any_of(inputs.begin(), inputs.end(),
                     [&](ValueId id) { return id != kNoId && model_.value(id).name == name; });
}

/// The name of the input that a file stands for: files of test data are numbered.
std::string InputFiles::input_of_file(const std::string& stem) const {
  const std::vector<ValueId>& inputs = model_.scope(model_.main_graph()).inputs;
  const std::optional<size_t> number = numbered(stem, "input_");
  if (!number || is_input(stem) || *number >= inputs.size() || inputs[*number] == kNoId) {
    return stem;
  }
  return std::string(model_.value(inputs[*number]).name);
}

const DeclaredType* InputFiles::declared(std::string_view name) const {
  for (const ValueId id : model_.scope(model_.main_graph()).inputs) {
    if (id == kNoId || model_.value(id).name != name) continue;
    const uint32_t annotation = model_.value(id).input_annotation;
    return annotation == kNoId ? nullptr : &model_.annotations()[annotation].type;
  }
  return nullptr;
}

void InputFiles::add(Expected<GivenArray> array, std::string name) {
  GivenArray kept;
  if (array) {
    kept = std::move(*array);
  } else {
    findings_.add(array.reason());
    kept.kind = FactKind::kUnknown;
  }
  kept.name = std::move(name);
  arrays_.push_back(std::move(kept));
}

void InputFiles::add_contents(Expected<RunInput> contents, const std::string& name) {
  if (!contents) {
    findings_.add(contents.reason());
    return;
  }
  contents->name = name;
  // NumPy has no type of its own for all of ONNX's.
  const DeclaredType* type = declared(name);
  if (contents->elem == ElemType::kUndefined && type != nullptr) contents->elem = type->elem;
  contents_.emplace(name, std::move(*contents));
}

void InputFiles::add_npy(const Place& place, uint64_t size, const ReadPrefix& read,
                         const std::string& name) {
  if (wanted_ == nullptr) {
    add(read_npy(place, size, read), name);
  } else if (wanted_->contains(name)) {
    add_contents(read_whole_npy(place, size, read), name);
  }
}

void InputFiles::add_archive(const MappedFile& file) {
  const Expected<std::vector<ZipEntry>> entries = zip_entries(file);
  if (!entries) {
    findings_.add(entries.reason());
    return;
  }
  for (const ZipEntry& entry : *entries) {
    const std::string name = without_suffix(entry.name, kArraySuffix);
    add_npy(
        place_in(file.path(), name), entry.size,
        [&](size_t limit) { return zip_contents(file, entry, limit); }, name);
  }
}

void InputFiles::add_array(const MappedFile& file) {
  const std::string stem =
      without_suffix(std::filesystem::path(file.path()).filename().string(), kArraySuffix);
  const std::span<const uint8_t> bytes = file.bytes();
  add_npy(
      place_in(file.path(), stem), bytes.size(),
      [&](size_t limit) -> Expected<std::vector<uint8_t>> {
        const auto part = bytes.first(std::min(limit, bytes.size()));
        return std::vector<uint8_t>(part.begin(), part.end());
      },
      input_of_file(stem));
}

RunInput contents_of(StoredValue value) {
  RunInput contents;
  contents.kind = value.kind;
  contents.elem = value.elem;
  contents.dims = std::move(value.dims);
  contents.bytes = std::move(value.bytes);
  if (value.strings) contents.strings = std::move(*value.strings);
  for (StoredValue& element : value.elements) {
    contents.elements.push_back(contents_of(std::move(element)));
  }
  return contents;
}

void InputFiles::add_value(const MappedFile& file) {
  std::string name = input_of_file(
      without_suffix(std::filesystem::path(file.path()).filename().string(), kValueSuffix));
  const DeclaredType* type = declared(name);
  const DeclaredType::Kind kind = type == nullptr ? DeclaredType::Kind::kTensor : type->kind;
  Expected<StoredValue> value = read_value(file, kind,
                                           {.integers = static_cast<size_t>(kMaxGivenElements),
                                            .numbers = static_cast<size_t>(kMaxGivenFloats)});
  if (!value) {
    add(Failure{value.reason()}, name);
    return;
  }
  if (is_input(value->name)) name = value->name;
  if (wanted_ == nullptr) {
    GivenArray array;
    static_cast<GivenInput&>(array) = given_value(std::move(*value));
    add(std::move(array), name);
  } else if (wanted_->contains(name)) {
    Expected<StoredValue> whole = read_value(file, kind, {.whole = true});
    add_contents(whole ? Expected<RunInput>(contents_of(std::move(*whole)))
                       : Expected<RunInput>(Failure{whole.reason()}),
                 name);
  }
}

void InputFiles::add_file(const std::string& path) {
  const Expected<MappedFile> file = MappedFile::open(path);
  if (!file) {
    findings_.add(make_finding(Code::kInputsUnreadable, place_in(path), file.reason().message));
    return;
  }
  const std::span<const uint8_t> bytes = file->bytes();
  const bool zip = bytes.size() >= 2 && bytes[0] == 'P' && bytes[1] == 'K';
  if (path.ends_with(kValueSuffix)) {
    add_value(*file);
  } else if (zip || path.ends_with(".npz")) {
    add_archive(*file);
  } else {
    add_array(*file);
  }
}

void InputFiles::add_folder(const std::string& path) {
  std::error_code error;
  std::vector<std::string> files;
  std::vector<std::string> folders;
  for (std::filesystem::directory_iterator at(path, error), end; !error && at != end;
       at.increment(error)) {
    const std::filesystem::path& one = at->path();
    if (at->is_directory(error)) folders.push_back(one.filename().string());
    if (one.extension() != kArraySuffix && one.extension() != kValueSuffix) continue;
    const std::string stem = one.stem().string();
    if (!numbered(stem, "output_") || is_input(stem)) files.push_back(one.string());
  }
  std::sort(files.begin(), files.end());
  std::sort(folders.begin(), folders.end());
  for (const std::string& file : files) add_file(file);
  if (!files.empty()) return;
  findings_.add(make_finding(
      Code::kInputsUnreadable, place_in(path),
      "the folder has no file whose name ends in .npy, and no input_0.pb",
      folders.empty() ? "" : fmt::format("it has folders: is it {} that you mean?", folders[0])));
}

std::vector<GivenArray> InputFiles::read(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    add_folder(path);
  } else {
    add_file(path);
  }
  return std::move(arrays_);
}

std::map<std::string, RunInput> InputFiles::read_contents(const std::string& path,
                                                          const std::set<std::string>& names) {
  wanted_ = &names;
  (void)read(path);
  return std::move(contents_);
}

}  // namespace

Place place_in(std::string file, std::string array) {
  Place place;
  place.file = std::move(file);
  place.value = std::move(array);
  return place;
}

std::vector<GivenArray> read_arrays(const std::string& path, const Model& model,
                                    Findings& findings) {
  return InputFiles(model, findings).read(path);
}

std::map<std::string, RunInput> read_contents(const std::string& path, const Model& model,
                                              const std::set<std::string>& names,
                                              Findings& findings) {
  return InputFiles(model, findings).read_contents(path, names);
}

GivenInput given_value(StoredValue value) {
  GivenInput given;
  given.kind = value.kind == DeclaredType::Kind::kSequence       ? FactKind::kSequence
               : value.kind == DeclaredType::Kind::kOptional     ? FactKind::kOptional
               : value.kind == DeclaredType::Kind::kSparseTensor ? FactKind::kSparseTensor
                                                                 : FactKind::kTensor;
  given.elem = value.elem;
  given.shape = std::move(value.dims);
  given.integers = std::move(value.integers);
  given.numbers = std::move(value.numbers);
  given.strings = std::move(value.strings);
  for (StoredValue& element : value.elements) {
    given.elements.push_back(given_value(std::move(element)));
  }
  return given;
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

}  // namespace onnx_shapes
