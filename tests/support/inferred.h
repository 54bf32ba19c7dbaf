// What inference says of a model given as ONNX text, as text.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "expr/text.h"
#include "infer/infer.h"
#include "infer/schema_fallback.h"
#include "rules/rules.h"
#include "tests/support/text_model.h"

namespace onnx_shapes::test {

/// `float[N, 3]`, `float?` (of unknown rank), `seq(float[N]; 2)`, `?` where nothing is known.
inline std::string text_of(const Fact& fact) {
  const auto dim_text = [](Dim dim) { return dim.known() ? to_text(dim) : std::string("?"); };
  const auto inner = [&] { return fact.element ? text_of(*fact.element) : std::string("?"); };
  switch (fact.kind) {
    case FactKind::kUnknown:
      return "?";
    case FactKind::kSequence:
      return fact.length.known() ? fmt::format("seq({}; {})", inner(), dim_text(fact.length))
                                 : fmt::format("seq({})", inner());
    case FactKind::kOptional:
      return fmt::format("optional({})", inner());
    case FactKind::kMap:
      return fmt::format("map({})", inner());
    case FactKind::kTensor:
    case FactKind::kSparseTensor:
      break;
  }
  const std::string elem =
      fact.elem == ElemType::kUndefined ? "undefined" : std::string(elem_type_name(fact.elem));
  if (!fact.shape) return elem + "?";
  std::vector<std::string> dims;
  for (const Dim dim : *fact.shape) dims.push_back(dim_text(dim));
  return fmt::format("{}[{}]", elem, fmt::join(dims, ", "));
}

/// A model from ONNX text (with_header() stands before a text that does not bring its own),
/// inferred with all rules and the schema fallback.
class InferredModel {
 public:
  explicit InferredModel(const std::string& text, const InferOptions& options = {},
                         const std::function<void(onnx::ModelProto&)>& change = {})
      : loaded(load_text(text.starts_with('<') ? text : with_header(text), change)) {
    REQUIRE(loaded.model.has_value());
    const std::unique_ptr<Fallback> fallback = make_schema_fallback(*loaded.model);
    inference = infer(*loaded.model, default_rules(), fallback.get(), options, loaded.findings);
  }

  /// What holds of a value each time it is computed.
  [[nodiscard]] std::string fact(std::string_view name, std::string_view path = "graph") const {
    return text_of(inference.facts[loaded.value(name, path)].value_or(Fact::unknown()));
  }
  /// The facts of the graph's outputs, in order, separated by `; `.
  [[nodiscard]] std::string outputs() const {
    std::vector<std::string> texts;
    for (const ValueId id : loaded.model->scope(loaded.model->main_graph()).outputs) {
      texts.push_back(text_of(inference.facts[id].value_or(Fact::unknown())));
    }
    return fmt::format("{}", fmt::join(texts, "; "));
  }
  /// The findings, one line each (see LoadedModel::report()).
  [[nodiscard]] std::string report() const { return loaded.report(); }

  LoadedModel loaded;
  Inference inference;
};

/// The facts of the outputs of a model in which nothing is wrong.
inline std::string inferred(const std::string& text, const InferOptions& options = {}) {
  const InferredModel model(text, options);
  INFO(text);
  CHECK(model.report() == "");
  return model.outputs();
}

/// What inference reports of the model.
inline std::string reported(const std::string& text, const InferOptions& options = {}) {
  return InferredModel(text, options).report();
}

}  // namespace onnx_shapes::test
