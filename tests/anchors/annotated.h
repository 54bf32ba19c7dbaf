// What is written into a model given as ONNX text.
#pragma once

#include "anchors/decide.h"
#include "anchors/merge.h"
#include "model/annotate.h"
#include "tests/support/inferred.h"

namespace onnx_shapes::test {

class AnnotatedModel {
 public:
  explicit AnnotatedModel(const std::string& text, Trust trust = Trust::kAll,
                          const DecideOptions& options = {},
                          const std::function<void(onnx::ModelProto&)>& change = {})
      : inferred(text, infer_options(options), change) {
    merge_anchors(*inferred.loaded.model, inferred.inference, trust, !options.fresh,
                  inferred.loaded.findings);
    changes = decide_annotations(*inferred.loaded.model, inferred.inference, options).changes;
  }

  /// The dims that the main graph's value is annotated with, `N, 4`; `_` for an unnamed one.
  [[nodiscard]] std::string dims(std::string_view name) const {
    const ValueId id = inferred.loaded.value(name);
    for (const TypeChange& change : changes.set) {
      if (change.value == id) return written(change.type.dims);
    }
    const Model& model = *inferred.loaded.model;
    const Value& value = model.value(id);
    for (const uint32_t annotation :
         {value.output_annotation, value.value_info, value.input_annotation}) {
      if (annotation != kNoId) return declared(model.annotations()[annotation].type.dims);
    }
    return "not annotated";
  }
  [[nodiscard]] std::string report() const { return inferred.report(); }
  /// The equalities that were recorded.
  [[nodiscard]] size_t equalities() const {
    return inferred.inference.constraints->equalities().size();
  }

  InferredModel inferred;
  AnnotationChanges changes;

 private:
  static InferOptions infer_options(const DecideOptions& options) {
    InferOptions result;
    result.use_value_info = !options.fresh;
    return result;
  }
  static std::string written(const std::vector<WrittenDim>& dims) {
    std::vector<std::string> texts;
    for (const WrittenDim& dim : dims) {
      const auto* number = std::get_if<int64_t>(&dim);
      const auto* text = std::get_if<std::string>(&dim);
      texts.push_back(number != nullptr ? std::to_string(*number) : text != nullptr ? *text : "_");
    }
    return fmt::format("{}", fmt::join(texts, ", "));
  }
  static std::string declared(const std::vector<DeclaredDim>& dims) {
    std::vector<std::string> texts;
    for (const DeclaredDim& dim : dims) {
      texts.push_back(dim.kind == DeclaredDim::Kind::kNumber ? std::to_string(dim.number)
                      : dim.kind == DeclaredDim::Kind::kText ? std::string(dim.text)
                                                             : "_");
    }
    return fmt::format("{}", fmt::join(texts, ", "));
  }
};

}  // namespace onnx_shapes::test
