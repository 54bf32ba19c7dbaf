// What is written into a model given as ONNX text.
#pragma once

#include "anchors/decide.h"
#include "anchors/merge.h"
#include "anchors/names.h"
#include "model/annotate.h"
#include "tests/support/inferred.h"

namespace onnx_shapes::test {

/// ONNX text, and changes for what it cannot say.
struct Source {
  Source(std::string model_text) : text(std::move(model_text)) {}  // NOLINT(*-explicit-*)
  Source(const char* model_text) : text(model_text) {}             // NOLINT(*-explicit-*)

  std::string text;
  std::function<void(onnx::ModelProto&)> change;
};

/// The model with another text for a dim of an input, output or value_info: one that the parser
/// does not read.
inline Source with_dim(Source source, const std::string& name, int axis, const std::string& text) {
  source.change = [before = source.change, name, axis, text](onnx::ModelProto& proto) {
    if (before) before(proto);
    onnx::GraphProto& graph = *proto.mutable_graph();
    for (auto* infos :
         {graph.mutable_input(), graph.mutable_output(), graph.mutable_value_info()}) {
      for (onnx::ValueInfoProto& info : *infos) {
        if (info.name() != name) continue;
        info.mutable_type()
            ->mutable_tensor_type()
            ->mutable_shape()
            ->mutable_dim(axis)
            ->set_dim_param(text);
      }
    }
  };
  return source;
}

class AnnotatedModel {
 public:
  explicit AnnotatedModel(const Source& source, Trust trust = Trust::kAll,
                          const DecideOptions& options = {})
      : inferred(source.text, infer_options(options), source.change) {
    DecideOptions decide = options;
    decide.contradicted = merge_anchors(
        *inferred.loaded.model, inferred.inference,
        {.trust = trust, .use_value_info = !options.fresh, .drop_stale = options.drop_stale},
        inferred.loaded.findings);
    const Decision decision =
        decide_annotations(*inferred.loaded.model, inferred.inference, decide);
    changes = decision.changes;
    public_changes = decision.public_changes;
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
  /// `int64[N, 4]`, of the fact.
  [[nodiscard]] std::string type(std::string_view name) const { return inferred.fact(name); }
  /// The elements that are known of the main graph's value, `N, 4`.
  [[nodiscard]] std::string elements(std::string_view name) const {
    const std::optional<Fact>& fact = inferred.inference.facts[inferred.loaded.value(name)];
    if (!fact || !fact->elements) return "unknown";
    Namer namer(inferred.inference);
    std::vector<std::string> texts;
    for (const Scalar& element : *fact->elements)
      texts.push_back(to_text(namer(element.integer())));
    return fmt::format("{}", fmt::join(texts, ", "));
  }
  [[nodiscard]] std::string report() const { return inferred.report(); }
  /// The equalities that were recorded.
  [[nodiscard]] size_t equalities() const {
    return inferred.inference.constraints->equalities().size();
  }

  InferredModel inferred;
  AnnotationChanges changes;
  std::vector<PublicChange> public_changes;

 private:
  static InferOptions infer_options(const DecideOptions& options) {
    InferOptions result;
    result.use_value_info = !options.fresh;
    if (options.declare != nullptr) result.declare = *options.declare;
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
