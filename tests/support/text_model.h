// Models for tests, written as ONNX text.
#pragma once

#include <onnx/defs/parser.h>
#include <onnx/onnx_pb.h>

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/model.h"
#include "tests/support/catch.h"

namespace onnx_shapes::test {

/// A ModelProto from ONNX text; the test fails if the text is wrong.
inline onnx::ModelProto parse_model(const std::string& text) {
  onnx::ModelProto model;
  const auto status = onnx::OnnxParser::Parse(model, text.c_str());
  INFO(text);
  INFO(status.ErrorMessage());
  REQUIRE(status.IsOK());
  return model;
}

/// `graph` with a header of IR version 10 and opset 21: `g (float[N] x) => (float[N] y) { ... }`.
inline std::string with_header(const std::string& graph) {
  return "<ir_version: 10, opset_import: [\"\" : 21]>\n" + graph;
}

/// A node's inputs or outputs, to compare.
inline std::vector<ValueId> ids(std::span<const ValueId> values) {
  return {values.begin(), values.end()};
}

/// A model, the bytes that it borrows, and what loading it reported.
class LoadedModel {
 public:
  explicit LoadedModel(std::string model_bytes, const LoadOptions& options = {},
                       std::string name = "<test>")
      : bytes(std::move(model_bytes)) {
    load(MappedFile::borrow({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()},
                            std::move(name)),
         options);
  }
  LoadedModel(const LoadedModel&) = delete;
  LoadedModel& operator=(const LoadedModel&) = delete;

  /// Precondition: it could be loaded.
  Model* operator->() { return &*model; }
  Model& operator*() { return *model; }

  /// The value of that name in a scope of that path; the test fails if there is none.
  [[nodiscard]] ValueId value(std::string_view name, std::string_view path = "graph") const {
    for (ValueId id = 0; id < model->value_count(); ++id) {
      const Value& value = model->value(id);
      if (value.name == name && model->scope(value.scope).path == path) return id;
    }
    FAIL("there is no value " << name << " in " << path);
    return kNoId;
  }

  /// The findings of a code, one line each: `SHP006 <test>:graph/Add_0:input q: message`.
  [[nodiscard]] std::string report() const {
    std::string text;
    for (const Finding& finding : findings.all()) {
      text +=
          code_id(finding.code) + " " + to_string(finding.place) + ": " + finding.message + "\n";
    }
    return text;
  }

  std::string bytes;
  Findings findings;
  std::optional<Model> model;
  std::optional<Finding> failure;

 private:
  void load(MappedFile file, const LoadOptions& options) {
    Expected<Model> loaded = Model::load(std::move(file), options, findings);
    if (loaded) {
      model = std::move(loaded).value();
    } else {
      failure = loaded.reason();
    }
  }
};

/// Loads a model given as ONNX text, after `change`.
inline LoadedModel load_text(const std::string& text,
                             const std::function<void(onnx::ModelProto&)>& change = {},
                             const LoadOptions& options = {}) {
  onnx::ModelProto proto = parse_model(text);
  if (change) change(proto);
  return LoadedModel(proto.SerializeAsString(), options);
}

}  // namespace onnx_shapes::test
