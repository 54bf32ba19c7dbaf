// Where the declarations of outputs say less than what is known.
#include <fmt/format.h>

#include <algorithm>

#include "anchors/names.h"
#include "check/check.h"
#include "expr/text.h"
#include "model/annotate.h"

namespace onnx_shapes {
namespace {

class Precision {
 public:
  explicit Precision(const Inference& inference) : inference_(inference) {}

  /// What is known of the axis, if the declaration says less.
  [[nodiscard]] bool is_sharper(const DeclaredDim& declared, Dim known) const {
    if (!over_input_names(inference_, known)) return false;
    const Dim said = inference_.declarations->dim(declared);
    if (!said.known()) return true;
    const std::optional<SymbolId> name = as_symbol(said);
    return name && inference_.symbols->info(*name).kind == SymbolKind::kDeclared &&
           to_text(known) != declared.text;
  }

  /// The proved shape in the words of the author; where it is not in those, as it is declared.
  [[nodiscard]] std::string known_text(const DeclaredType& declared, const Shape& known) const {
    std::vector<std::string> dims;
    for (size_t i = 0; i < known.size(); ++i) {
      if (over_input_names(inference_, known[i])) {
        dims.push_back(to_text(known[i]));
      } else {
        dims.push_back(declared.has_shape ? dim_text(written_dim(declared.dims[i])) : "?");
      }
    }
    return fmt::format("[{}]", fmt::join(dims, ", "));
  }

  static std::string declared_text(const DeclaredType& declared) {
    if (!declared.has_shape) return "without a shape";
    std::vector<std::string> dims;
    for (const DeclaredDim& dim : declared.dims) dims.push_back(dim_text(written_dim(dim)));
    return fmt::format("[{}]", fmt::join(dims, ", "));
  }

  [[nodiscard]] bool is_sharper(const DeclaredType& declared, const Fact& known) const {
    if (!declared.has_shape) return true;
    for (size_t i = 0; i < declared.dims.size(); ++i) {
      if (is_sharper(declared.dims[i], (*known.shape)[i])) return true;
    }
    return false;
  }

 private:
  const Inference& inference_;
};

}  // namespace

void report_imprecise_outputs(const Model& model, const Inference& inference,
                              const CheckResult& result, Findings& findings) {
  const Precision precision(inference);
  for (const Judgement& judgement : result.judgements) {
    const Annotation& annotation = model.annotations()[judgement.annotation];
    if (judgement.verdict != Verdict::kProved || annotation.role != Annotation::Role::kOutput ||
        annotation.scope != model.main_graph()) {
      continue;
    }
    const std::optional<Fact>& known = inference.facts[annotation.value];
    const DeclaredType& declared = annotation.type;
    if (declared.kind != DeclaredType::Kind::kTensor || !known || !known->is_tensor() ||
        !known->shape || !precision.is_sharper(declared, *known)) {
      continue;
    }
    Place place = model.place_of_value(annotation.value);
    place.role = role_name(annotation.role);
    findings.add(make_finding(
        Code::kImpreciseOutput, std::move(place),
        fmt::format("declared {}, and {} is proved", Precision::declared_text(declared),
                    precision.known_text(declared, *known->shape)),
        "onnx-shapes infer --outputs full writes what is proved"));
  }
}

}  // namespace onnx_shapes
