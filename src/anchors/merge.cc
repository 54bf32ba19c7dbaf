#include "anchors/merge.h"

#include <fmt/format.h>

#include "expr/text.h"
#include "model/annotate.h"

namespace onnx_shapes {
namespace {

std::string text_of(const Shape& shape) {
  std::vector<std::string> dims;
  for (const Dim dim : shape) dims.push_back(to_text(dim));
  return fmt::format("[{}]", fmt::join(dims, ", "));
}

class Merger {
 public:
  Merger(const Model& model, Inference& inference, const MergeOptions& options, Findings& findings)
      : model_(model),
        inference_(inference),
        options_(options),
        findings_(findings),
        prover_(*inference.pool, inference.constraints.get()) {}

  /// False if the annotation contradicts.
  bool merge(const Annotation& annotation);

 private:
  void merge_types(const Fact& declared, const Fact& inferred);
  void merge_axis(Dim declared, Dim inferred, size_t axis);
  [[nodiscard]] bool defines_a_symbol(Dim a, Dim b) const;
  [[nodiscard]] bool trusted() const;
  void conflict(Code code, const std::string& declared, const std::string& inferred,
                std::optional<int64_t> axis, Dim declared_dim = Dim());
  void add_sources(Finding& finding, Dim declared) const;

  const Model& model_;
  Inference& inference_;
  const MergeOptions& options_;
  Findings& findings_;
  Prover prover_;
  const Annotation* annotation_ = nullptr;
  bool contradicts_ = false;
};

bool Merger::trusted() const {
  return options_.trust == Trust::kAll ||
         (options_.trust == Trust::kOutputs && annotation_->role == Annotation::Role::kOutput);
}

void Merger::conflict(Code code, const std::string& declared, const std::string& inferred,
                      std::optional<int64_t> axis, Dim declared_dim) {
  contradicts_ = true;
  const ValueId id = annotation_->value;
  const NodeId producer = model_.value(id).producer;
  Place place = model_.place_of_value(id, axis);
  place.role = role_name(annotation_->role);
  if (producer != kNoId) place.node_text = model_.place_of_node(producer).node_text;
  const bool dropped = options_.drop_stale && annotation_->role == Annotation::Role::kValueInfo;
  Finding finding = make_finding(
      code, std::move(place),
      fmt::format("declared {} on {} '{}', inferred {}{}", declared, role_name(annotation_->role),
                  model_.value(id).name, inferred,
                  producer == kNoId ? std::string()
                                    : fmt::format(" from {} '{}'", model_.node(producer).op_type,
                                                  model_.node_label(producer))),
      dropped ? "it is dropped" : "correct the declaration, or the node that gives another shape");
  if (dropped) finding.severity = Severity::kWarning;
  if (declared_dim.known()) add_sources(finding, declared_dim);
  findings_.add(std::move(finding));
}

/// Notes where a name in the declared dim got the meaning that does not fit.
void Merger::add_sources(Finding& finding, Dim declared) const {
  const ConstraintSet& constraints = *inference_.constraints;
  if (constraints.resolve(declared) == declared) return;
  for (const Solution& solution : constraints.solutions()) {
    if (!mentions(declared, solution.symbol)) continue;
    for (const uint32_t index : solution.from) {
      const Equality& equality = constraints.equalities()[index];
      std::optional<Place> place;
      if (equality.origin.kind == Origin::Kind::kNode) {
        place = model_.place_of_node(equality.origin.node);
      } else if (equality.origin.value != kNoId) {
        place = model_.place_of_value(equality.origin.value, equality.origin.axis);
      }
      finding.notes.push_back(
          {.message = fmt::format("{} is {} here", to_text(equality.a), to_text(equality.b)),
           .place = std::move(place)});
    }
  }
}

void Merger::merge_types(const Fact& declared, const Fact& inferred) {
  if (declared.kind == FactKind::kUnknown || inferred.kind == FactKind::kUnknown) return;
  const bool typed = declared.elem != ElemType::kUndefined && inferred.elem != ElemType::kUndefined;
  if (declared.kind != inferred.kind || (typed && declared.elem != inferred.elem)) {
    const auto name = [](const Fact& fact) -> std::string {
      switch (fact.kind) {
        case FactKind::kTensor:
          return std::string(elem_type_name(fact.elem));
        case FactKind::kSparseTensor:
          return "a sparse tensor";
        case FactKind::kSequence:
          return "a sequence";
        case FactKind::kOptional:
          return "an optional";
        case FactKind::kMap:
          return "a map";
        case FactKind::kUnknown:
          break;
      }
      return "an unknown type";
    };
    conflict(Code::kTypeContradiction, name(declared), name(inferred), {});
    return;
  }
  if (!declared.shape || !inferred.shape) return;
  if (declared.shape->size() != inferred.shape->size()) {
    conflict(Code::kRankContradiction,
             fmt::format("{} (rank {})", text_of(*declared.shape), declared.shape->size()),
             fmt::format("{} (rank {})", text_of(*inferred.shape), inferred.shape->size()), {});
    return;
  }
  for (size_t axis = 0; axis < declared.shape->size(); ++axis) {
    merge_axis((*declared.shape)[axis], (*inferred.shape)[axis], axis);
  }
}

/// Whether the equality says what a symbol stands for: one that inference made or that only
/// annotations name, or an input symbol that names a compound of others.
bool Merger::defines_a_symbol(Dim a, Dim b) const {
  bool defines = false;
  for (const Dim side : {a, b}) {
    for_each_symbol(side, [&](SymbolId id) {
      defines = defines || inference_.symbols->info(id).kind != SymbolKind::kInput;
    });
  }
  if (defines) return true;
  const auto names = [](Dim name, Dim compound) {
    const std::optional<SymbolId> symbol = as_symbol(name);
    return symbol && !compound.number() && !as_symbol(compound) && !mentions(compound, *symbol);
  };
  return names(a, b) || names(b, a);
}

void Merger::merge_axis(Dim declared, Dim inferred, size_t axis) {
  if (!declared.known() || !inferred.known()) return;
  const Dim stated = inference_.constraints->resolve(declared);
  const Dim found = inference_.constraints->resolve(inferred);
  switch (prover_.equal(stated, found)) {
    case Truth::kTrue:
      return;
    case Truth::kFalse:
      break;
    case Truth::kUnknown:
      if (!trusted() || !defines_a_symbol(stated, found)) return;
      if (!inference_.constraints->add_equal(stated, found,
                                             {.kind = Origin::Kind::kAnchor,
                                              .value = annotation_->value,
                                              .axis = static_cast<int32_t>(axis)},
                                             Holds::kUnderAnchor)) {
        return;
      }
  }
  conflict(Code::kDimContradiction, to_text(declared), to_text(inferred),
           static_cast<int64_t>(axis), declared);
}

bool Merger::merge(const Annotation& annotation) {
  annotation_ = &annotation;
  contradicts_ = false;
  const std::optional<Fact>& inferred = inference_.facts[annotation.value];
  if (!inferred) return true;
  const uint64_t before = inference_.constraints->mark();
  merge_types(inference_.declarations->fact(annotation.type), *inferred);
  if (contradicts_) inference_.constraints->roll_back(before);
  return !contradicts_;
}

/// Solved symbols are replaced in every fact.
void resolve_facts(Inference& inference) {
  const auto resolve = [&](Dim& dim) {
    if (dim.known()) dim = inference.constraints->resolve(dim);
  };
  for (std::optional<Fact>& fact : inference.facts) {
    if (!fact) continue;
    for (Fact* level = &*fact; level != nullptr;) {
      if (level->shape) {
        for (Dim& dim : *level->shape) resolve(dim);
      }
      resolve(level->length);
      if (!level->element) break;
      auto inner = std::make_shared<Fact>(*level->element);
      level->element = inner;
      level = inner.get();
    }
  }
}

}  // namespace

std::vector<uint32_t> merge_anchors(const Model& model, Inference& inference,
                                    const MergeOptions& options, Findings& findings) {
  const uint64_t before = inference.constraints->generation();
  Merger merger(model, inference, options, findings);
  std::vector<uint32_t> contradicted;
  for (uint32_t i = 0; i < model.annotations().size(); ++i) {
    const Annotation& annotation = model.annotations()[i];
    if (annotation.role == Annotation::Role::kInput || annotation.value == kNoId) continue;
    if (annotation.role == Annotation::Role::kValueInfo && !options.use_value_info) continue;
    if (!merger.merge(annotation)) contradicted.push_back(i);
  }
  if (inference.constraints->generation() != before) resolve_facts(inference);
  return contradicted;
}

}  // namespace onnx_shapes
