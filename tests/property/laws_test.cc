// Laws that hold for every model, tried on the models of testdata/.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "anchors/decide.h"
#include "anchors/merge.h"
#include "infer/infer.h"
#include "infer/schema_fallback.h"
#include "model/annotate.h"
#include "rules/rules.h"
#include "tests/support/catch.h"
#include "tests/support/paths.h"
#include "wire/splice_plan.h"

namespace onnx_shapes::test {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> model_files() {
  std::vector<fs::path> paths;
  for (const char* folder : {"testdata/models", "testdata/fuzz-corpus/infer"}) {
    for (const auto& entry : fs::directory_iterator(fs::path(ONNX_SHAPES_SOURCE_DIR) / folder)) {
      if (entry.path().extension() == ".onnx") paths.push_back(entry.path());
    }
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::string read_file(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::stringstream content;
  content << stream.rdbuf();
  return content.str();
}

/// A model that is inferred, with all that it refers to.
struct Inferred {
  std::string bytes;
  Findings findings;
  std::optional<Model> model;
  InferOptions options;
  Inference inference;

  explicit Inferred(std::string model_bytes, std::map<std::string, int64_t> numbers = {})
      : bytes(std::move(model_bytes)) {
    const auto* data = reinterpret_cast<const uint8_t*>(bytes.data());
    Expected<Model> loaded =
        Model::load(MappedFile::borrow({data, bytes.size()}, "<test>"), {}, findings);
    if (!loaded) FAIL(loaded.reason().message);
    model.emplace(std::move(*loaded));
    options.declare.numbers.insert(numbers.begin(), numbers.end());
    const std::unique_ptr<Fallback> fallback = make_schema_fallback(*model);
    inference = infer(*model, default_rules(), fallback.get(), options, findings);
  }

  std::string spliced(const AnnotationChanges& changes) const {
    const std::vector<Edit> edits = annotation_edits(*model, changes);
    const auto plan = plan_splice(model->wire(), edits);
    REQUIRE(plan.has_value());
    std::string result;
    uint64_t at = 0;
    for (const Replacement& replacement : plan->replacements) {
      result += bytes.substr(at, replacement.replaced.offset - at);
      result += replacement.text;
      at = replacement.replaced.end();
    }
    return result + bytes.substr(at);
  }

  std::string annotated() {
    merge_anchors(*model, inference, {}, findings);
    return spliced(decide_annotations(*model, inference, {}).changes);
  }

  std::string stripped() const { return spliced(strip_annotations(*model)); }
};

/// The author's input symbols, each with a number.
std::map<std::string, int64_t> numbers_for(const Inferred& symbolic, int64_t first) {
  std::map<std::string, int64_t> numbers;
  const SymbolTable& symbols = *symbolic.inference.symbols;
  int64_t number = first;
  for (SymbolId id = 0; id < symbols.size(); ++id) {
    if (symbols.info(id).kind != SymbolKind::kInput) continue;
    numbers[symbols.name(id)] = number;
    number = first + (number - first + 3) % 11;
  }
  return numbers;
}

std::optional<int64_t> bound(const Inferred& symbolic,
                             const std::map<std::string, int64_t>& numbers, Dim dim) {
  return evaluate(dim, [&](SymbolId id) -> std::optional<int64_t> {
    const auto found = numbers.find(symbolic.inference.symbols->name(id));
    return found == numbers.end() ? std::nullopt : std::optional(found->second);
  });
}

TEST_CASE("Inferring and then binding the inputs is binding them and then inferring") {
  for (const fs::path& path : model_files()) {
    INFO(path.filename().string());
    const Inferred symbolic(read_file(path));
    for (const int64_t first : {int64_t{1}, int64_t{8}, int64_t{64}}) {
      const auto numbers = numbers_for(symbolic, first);
      if (numbers.empty()) continue;
      const Inferred concrete(read_file(path), numbers);
      // Sizes that the model does not allow prove nothing.
      if (concrete.findings.count(Severity::kError) > 0) continue;
      for (ValueId id = 0; id < symbolic.inference.facts.size(); ++id) {
        const auto& general = symbolic.inference.facts[id];
        if (id >= concrete.inference.facts.size()) break;
        const auto& special = concrete.inference.facts[id];
        if (!general || !general->shape || !special || !special->shape) continue;
        INFO(symbolic.model->value(id).name);
        REQUIRE(general->shape->size() == special->shape->size());
        for (size_t axis = 0; axis < general->shape->size(); ++axis) {
          const auto expected = bound(symbolic, numbers, (*general->shape)[axis]);
          const auto number = (*special->shape)[axis].number();
          if (expected && number) CHECK(*number == *expected);
        }
      }
    }
  }
}

TEST_CASE("Knowing more of the inputs never makes less known of the values") {
  for (const fs::path& path : model_files()) {
    INFO(path.filename().string());
    const Inferred symbolic(read_file(path));
    const Inferred concrete(read_file(path), numbers_for(symbolic, 16));
    if (concrete.findings.count(Severity::kError) > 0) continue;
    const size_t count = std::min(symbolic.inference.facts.size(), concrete.inference.facts.size());
    for (ValueId id = 0; id < count; ++id) {
      const auto& general = symbolic.inference.facts[id];
      const auto& special = concrete.inference.facts[id];
      if (!general || !special) continue;
      INFO(symbolic.model->value(id).name);
      if (general->shape) CHECK(special->shape.has_value());
    }
  }
}

TEST_CASE("Annotating an annotated model changes nothing") {
  for (const fs::path& path : model_files()) {
    INFO(path.filename().string());
    const std::string once = Inferred(read_file(path)).annotated();
    const std::string twice = Inferred(once).annotated();
    CHECK((once == twice));
  }
}

TEST_CASE("Two runs give the same bytes") {
  for (const fs::path& path : model_files()) {
    INFO(path.filename().string());
    CHECK((Inferred(read_file(path)).annotated() == Inferred(read_file(path)).annotated()));
  }
}

TEST_CASE("Without its value_info the annotated model is the model without its own") {
  for (const fs::path& path : model_files()) {
    INFO(path.filename().string());
    const Inferred original(read_file(path));
    // Inputs and outputs that were filled in are another matter: only value_info is written here.
    AnnotationChanges changes = decide_annotations(*original.model, original.inference, {}).changes;
    std::erase_if(changes.set, [](const TypeChange& change) {
      return change.role != Annotation::Role::kValueInfo;
    });
    const Inferred annotated(original.spliced(changes));
    CHECK((annotated.stripped() == original.stripped()));
  }
}

}  // namespace
}  // namespace onnx_shapes::test
