// Judges each annotation by what was observed of its value.
#include "check/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "check/names.h"
#include "expr/text.h"
#include "model/annotate.h"

namespace onnx_shapes {
namespace {

std::string text_of(const Shape& shape) {
  std::vector<std::string> dims;
  for (const Dim dim : shape) dims.push_back(to_text(dim));
  return fmt::format("[{}]", fmt::join(dims, ", "));
}

std::string text_of(const DeclaredDim& dim) {
  switch (dim.kind) {
    case DeclaredDim::Kind::kNumber:
      return std::to_string(dim.number);
    case DeclaredDim::Kind::kText:
      return std::string(dim.text);
    case DeclaredDim::Kind::kUnnamed:
      break;
  }
  return dim.number < 0 ? std::to_string(dim.number) : "?";
}

std::string text_of(const std::vector<DeclaredDim>& dims) {
  std::vector<std::string> texts;
  for (const DeclaredDim& dim : dims) texts.push_back(text_of(dim));
  return fmt::format("[{}]", fmt::join(texts, ", "));
}

/// As the specification writes types: `seq(float)`.
std::string type_name(const Fact& fact) {
  const std::string inner = fact.element ? type_name(*fact.element) : "?";
  switch (fact.kind) {
    case FactKind::kTensor:
      return std::string(elem_type_name(fact.elem));
    case FactKind::kSparseTensor:
      return fmt::format("sparse_tensor({})", elem_type_name(fact.elem));
    case FactKind::kSequence:
      return fmt::format("seq({})", inner);
    case FactKind::kOptional:
      return fmt::format("optional({})", inner);
    case FactKind::kMap:
      return fmt::format("map({}, {})", elem_type_name(fact.elem), inner);
    case FactKind::kUnknown:
      break;
  }
  return "?";
}

bool has_type(const Fact& fact) {
  const bool tensor = fact.kind == FactKind::kTensor || fact.kind == FactKind::kSparseTensor;
  return fact.kind != FactKind::kUnknown && !(tensor && fact.elem == ElemType::kUndefined);
}

/// Whether the types differ in what both know.
bool types_differ(const Fact& a, const Fact& b) {
  if (a.kind == FactKind::kUnknown || b.kind == FactKind::kUnknown) return false;
  if (a.kind != b.kind) return true;
  if (has_type(a) && has_type(b) && a.elem != b.elem) return true;
  return a.element && b.element && types_differ(*a.element, *b.element);
}

/// "; with N=2, M=3 it is 5, not 4"
std::string shown(const std::optional<Counterexample>& example) {
  if (!example || example->inputs.empty()) return {};
  return fmt::format("; with {} it is {}, not {}", sizes_text(example->inputs), example->found,
                     example->declared);
}

class Checker {
 public:
  Checker(const Model& model, const Inference& inference, bool run, Findings& findings)
      : model_(model),
        inference_(inference),
        run_(run),
        findings_(findings),
        names_(inference, run),
        judged_(model.annotations().size()) {}

  CheckResult check();

 private:
  /// One axis of an annotation against what was observed there.
  struct Axis {
    uint32_t annotation = 0;
    size_t index = 0;
    Dim found;
    uint32_t region = 0;
  };

  /// The annotations that hold only under a condition.
  struct Conditional {
    Axis axis;  // the first
    std::optional<Counterexample> example;
    std::set<uint32_t> annotations;
  };

  void check(uint32_t annotation, const Observation& observation);
  [[nodiscard]] bool is_loop_counter(const Annotation& annotation) const;
  void check_axes(uint32_t annotation, const Observation& observation);
  void check_name(const Axis& axis, SymbolId symbol);
  void find_changing();
  void decide(const Axis& axis, const Comparison& comparison, const Bound* bound);
  void refute_axis(const Axis& axis, const Comparison& comparison, const Bound* bound);
  void refute(uint32_t annotation, Code code, std::string what, std::optional<int64_t> axis,
              uint32_t region, std::vector<Note> notes = {},
              std::optional<Counterexample> example = {});
  void judge(uint32_t annotation, Verdict verdict, std::string reason = {},
             std::optional<Counterexample> example = {}, const std::vector<SymbolId>& awaits = {});
  void note_condition(const Axis& axis, const Comparison& comparison);
  void report_conditions();
  [[nodiscard]] Place place_of(const Axis& axis) const;
  [[nodiscard]] bool is_main_input(uint32_t annotation) const;
  [[nodiscard]] std::vector<uint32_t> annotations_of(ValueId value) const;

  const Model& model_;
  const Inference& inference_;
  bool run_;
  Findings& findings_;
  Names names_;
  std::vector<std::optional<Judgement>> judged_;  // by annotation
  std::set<std::pair<uint32_t, int64_t>> refuted_;
  std::set<std::pair<uint32_t, size_t>> changing_;  // annotation and axis
  std::vector<Axis> compounds_;
  std::map<size_t, Conditional> conditional_;  // by index into Names::conditions()
};

bool Checker::is_main_input(uint32_t annotation) const {
  const Annotation& a = model_.annotations()[annotation];
  return a.role == Annotation::Role::kInput && a.scope == model_.main_graph();
}

/// Outside a run, what is declared on an input of the main graph is a promise of the caller.
std::vector<uint32_t> Checker::annotations_of(ValueId id) const {
  const Value& value = model_.value(id);
  std::vector<uint32_t> found;
  for (const uint32_t a : {value.input_annotation, value.output_annotation, value.value_info}) {
    if (a != kNoId && (run_ || !is_main_input(a))) found.push_back(a);
  }
  return found;
}

void Checker::judge(uint32_t annotation, Verdict verdict, std::string reason,
                    std::optional<Counterexample> example, const std::vector<SymbolId>& awaits) {
  std::optional<Judgement>& judgement = judged_[annotation];
  if (!judgement || verdict > judgement->verdict) {
    judgement = Judgement{annotation, verdict, std::move(reason), std::move(example), {}};
  }
  judgement->awaits.insert(judgement->awaits.end(), awaits.begin(), awaits.end());
}

void Checker::refute(uint32_t index, Code code, std::string what, std::optional<int64_t> axis,
                     uint32_t region, std::vector<Note> notes,
                     std::optional<Counterexample> example) {
  if (run_ && region != 0) {
    judge(index, Verdict::kUndetermined, what + ", if the body that computes it runs");
    return;
  }
  judge(index, Verdict::kRefuted, what, std::move(example));
  if (!refuted_.emplace(index, axis.value_or(-1)).second) return;
  const Annotation& annotation = model_.annotations()[index];
  const NodeId producer = model_.value(annotation.value).producer;
  Place place = model_.place_of_value(annotation.value, axis);
  place.role = role_name(annotation.role);
  std::string source;
  if (producer != kNoId) {
    place.node_text = model_.place_of_node(producer).node_text;
    source =
        fmt::format(" from {} '{}'", model_.node(producer).op_type, model_.node_label(producer));
  }
  if (is_main_input(index)) {
    code = code == Code::kTypeContradiction ? Code::kGivenType : Code::kGivenShape;
  }
  Finding finding =
      make_finding(code, std::move(place), std::move(what),
                   is_main_input(index) ? "give an input that fits, or correct what is declared"
                                        : "correct the declaration, or the node");
  finding.notes = std::move(notes);
  findings_.add(std::move(finding));
}

/// Whether it is of the iteration number or the condition that a Loop gives its body. ONNX Runtime
/// gives them the rank that the body declares, and so does inference; the specification says that
/// they are scalars, and the reference evaluator gives these.
bool Checker::is_loop_counter(const Annotation& annotation) const {
  const Scope& scope = model_.scope(annotation.scope);
  if (annotation.role != Annotation::Role::kInput || scope.owner == kNoId) return false;
  const Node& node = model_.node(scope.owner);
  const auto begin = scope.inputs.begin();
  const auto end = begin + std::min<ptrdiff_t>(2, std::ssize(scope.inputs));
  return node.op_type == "Loop" && node.domain.empty() &&
         std::find(begin, end, annotation.value) != end;
}

void Checker::check(uint32_t index, const Observation& observation) {
  const Annotation& annotation = model_.annotations()[index];
  const DeclaredType& type = annotation.type;
  if (type.kind == DeclaredType::Kind::kNone || type.kind == DeclaredType::Kind::kOpaque) return;
  const Fact declared = inference_.declarations->fact(type);
  const Fact& found = observation.fact;
  judge(index, Verdict::kProved);
  // What is handed to an optional need not be one.
  const bool handed = annotation.role == Annotation::Role::kInput &&
                      declared.kind == FactKind::kOptional && found.kind != FactKind::kOptional;
  if (types_differ(handed && declared.element ? *declared.element : declared, found)) {
    refute(index, Code::kTypeContradiction,
           fmt::format("declared {}, inferred {}", type_name(declared), type_name(found)), {},
           observation.region);
    return;
  }
  if (type.has_shape && !type.dims.empty() && is_loop_counter(annotation)) {
    refute(
        index, Code::kRankContradiction,
        fmt::format("declared {} (rank {}), but the {} of a Loop is a scalar", text_of(type.dims),
                    type.dims.size(), annotation.index == 0 ? "iteration number" : "condition"),
        {}, observation.region);
    return;
  }
  if (inference_.adopted.contains(observation.value)) {
    judge(index, Verdict::kUndetermined, "inference knows of it only what is declared");
  } else if (has_type(declared) && !has_type(found)) {
    judge(index, Verdict::kUndetermined, "its type is not known");
  }
  if (!declared.is_tensor() || !type.has_shape) return;
  if (!found.shape) {
    judge(index, Verdict::kUndetermined, "its rank is not known");
    return;
  }
  if (found.shape->size() != type.dims.size()) {
    refute(index, Code::kRankContradiction,
           fmt::format("declared {} (rank {}), inferred {} (rank {})", text_of(type.dims),
                       type.dims.size(), text_of(*found.shape), found.shape->size()),
           {}, observation.region);
    return;
  }
  check_axes(index, observation);
}

void Checker::check_axes(uint32_t index, const Observation& observation) {
  const std::vector<DeclaredDim>& dims = model_.annotations()[index].type.dims;
  for (size_t i = 0; i < dims.size(); ++i) {
    const Axis axis{index, i, (*observation.fact.shape)[i], observation.region};
    if (dims[i].kind == DeclaredDim::Kind::kUnnamed) {
      // No size is below 0, whatever the value turns out to be.
      if (dims[i].number < 0) refute_axis(axis, {.verdict = Verdict::kRefuted}, nullptr);
      continue;
    }
    const Dim declared = inference_.declarations->dim(dims[i]);
    const std::optional<SymbolId> symbol = as_symbol(declared);
    if (symbol && names_.existential(*symbol)) {
      check_name(axis, *symbol);
    } else if (names_.mentions_existential(declared)) {
      compounds_.push_back(axis);
    } else {
      decide(axis, names_.compare_written(declared, axis.found, axis.region), nullptr);
    }
  }
}

void Checker::check_name(const Axis& axis, SymbolId symbol) {
  const ValueId value = model_.annotations()[axis.annotation].value;
  const Dim name = inference_.pool->symbol(symbol);
  if (axis.found == name) return;  // what depends on a declaration that stands in
  if (!axis.found.known() || names_.varies(axis.found)) {
    decide(axis, {.reason = "its size may differ from one time to the next"}, nullptr);
    return;
  }
  // A copy: binding adds to the list.
  const std::vector<Bound> others = names_.related(symbol, axis.region);
  bool visible = false;
  for (const Bound& bound : others) {
    const bool same_axis = bound.annotation == axis.annotation && bound.axis == axis.index;
    if (bound.changes && !same_axis) continue;
    const bool around = names_.within(axis.region, bound.region);
    visible = visible || around;
    // The two meet where both are computed.
    Axis meeting = axis;
    if (!around) meeting.region = bound.region;
    decide(meeting, names_.compare(bound.dim, axis.found, meeting.region), &bound);
  }
  if (visible) return;
  names_.bind(symbol, {.region = axis.region,
                       .dim = axis.found,
                       .value = value,
                       .axis = axis.index,
                       .annotation = axis.annotation,
                       .changes = changing_.contains({axis.annotation, axis.index})});
}

/// Notes the axes that bear a name and have one size at one time and another at another time: in
/// iterations of a loop, or calls of a function. They are at fault themselves; what bears the name
/// elsewhere is not held against them.
void Checker::find_changing() {
  struct Size {
    Dim dim;
    uint32_t region = 0;
  };
  std::map<std::pair<uint32_t, size_t>, Size> first;
  for (const Observation& observation : inference_.observations) {
    if (!observation.fact.shape) continue;
    for (const uint32_t a : annotations_of(observation.value)) {
      const std::vector<DeclaredDim>& dims = model_.annotations()[a].type.dims;
      if (dims.size() != observation.fact.shape->size()) continue;
      for (size_t i = 0; i < dims.size(); ++i) {
        const Dim found = (*observation.fact.shape)[i];
        if (dims[i].kind != DeclaredDim::Kind::kText || !found.known()) continue;
        const uint32_t region = observation.region;
        const Size before = first.try_emplace({a, i}, Size{found, region}).first->second;
        if (before.dim == found || changing_.contains({a, i})) continue;
        // Two branches of which one runs do not meet.
        if (!names_.within(region, before.region) && !names_.within(before.region, region))
          continue;
        const Comparison comparison = names_.compare(before.dim, found, region);
        if (comparison.verdict == Verdict::kRefuted) changing_.emplace(a, i);
      }
    }
  }
}

void Checker::decide(const Axis& axis, const Comparison& comparison, const Bound* bound) {
  switch (comparison.verdict) {
    case Verdict::kProved:
      return;
    case Verdict::kUndetermined:
      judge(axis.annotation, Verdict::kUndetermined,
            fmt::format("axis {}: {}", axis.index, comparison.reason), {}, comparison.awaits);
      if (comparison.condition) note_condition(axis, comparison);
      return;
    case Verdict::kRefuted:
      refute_axis(axis, comparison, bound);
  }
}

void Checker::refute_axis(const Axis& axis, const Comparison& comparison, const Bound* bound) {
  const DeclaredDim& declared = model_.annotations()[axis.annotation].type.dims[axis.index];
  std::string what = fmt::format("declared {}", text_of(declared));
  std::vector<Note> notes;
  if (bound != nullptr) {
    const std::string size = to_text(bound->dim);
    what += fmt::format(", which is {} on '{}'", size, model_.value(bound->value).name);
    notes.push_back({fmt::format("'{}' is {} here", text_of(declared), size),
                     model_.place_of_value(bound->value, static_cast<int64_t>(bound->axis))});
  }
  what += fmt::format(", inferred {}", to_text(axis.found));
  what += shown(comparison.example);
  if (comparison.condition) {
    const Conditional& other = conditional_.at(*comparison.condition);
    notes.push_back(
        {fmt::format("this needs {}", names_.text_of(names_.conditions()[*comparison.condition])),
         place_of(other.axis)});
  }
  std::optional<Counterexample> example = comparison.example;
  if (example) example->axis = axis.index;
  refute(axis.annotation, Code::kDimContradiction, std::move(what),
         static_cast<int64_t>(axis.index), axis.region, std::move(notes), std::move(example));
}

Place Checker::place_of(const Axis& axis) const {
  const Annotation& annotation = model_.annotations()[axis.annotation];
  Place place = model_.place_of_value(annotation.value, static_cast<int64_t>(axis.index));
  place.role = role_name(annotation.role);
  return place;
}

void Checker::note_condition(const Axis& axis, const Comparison& comparison) {
  Conditional& conditional = conditional_[*comparison.condition];
  if (conditional.annotations.empty()) {
    conditional.axis = axis;
    conditional.example = comparison.example;
  }
  conditional.annotations.insert(axis.annotation);
}

void Checker::report_conditions() {
  for (const auto& [index, conditional] : conditional_) {
    const Condition& condition = names_.conditions()[index];
    const Axis& axis = conditional.axis;
    const DeclaredDim& declared = model_.annotations()[axis.annotation].type.dims[axis.index];
    std::string what =
        fmt::format("declared {}, inferred {}: it holds only where {}, which the inputs do not say",
                    text_of(declared), to_text(axis.found), names_.text_of(condition)) +
        shown(conditional.example);
    const size_t others = conditional.annotations.size() - 1;
    if (others > 0) {
      what += fmt::format("; {} other annotation{} the same", others,
                          others == 1 ? " needs" : "s need");
    }
    Finding finding = make_finding(
        Code::kConditionalDim, place_of(axis), std::move(what),
        fmt::format("write the size as {}, here or on the input", to_text(condition.value)));
    const Origin& origin = inference_.symbols->info(condition.symbol).origin;
    if (origin.kind == Origin::Kind::kAnchor) {
      finding.notes.push_back(
          {fmt::format("'{}' is a size of this input", inference_.symbols->name(condition.symbol)),
           model_.place_of_value(origin.value)});
    }
    findings_.add(std::move(finding));
  }
}

CheckResult Checker::check() {
  find_changing();
  for (const Observation& observation : inference_.observations) {
    for (const uint32_t a : annotations_of(observation.value)) check(a, observation);
  }
  // By now each name is bound that any axis can bind.
  for (const Axis& axis : compounds_) {
    const Dim declared =
        inference_.declarations->dim(model_.annotations()[axis.annotation].type.dims[axis.index]);
    decide(axis, names_.compare_written(declared, axis.found, axis.region), nullptr);
  }
  report_conditions();
  CheckResult result;
  for (uint32_t a = 0; a < judged_.size(); ++a) {
    if (judged_[a]) {
      result.judgements.push_back(std::move(*judged_[a]));
    } else if (model_.annotations()[a].value != kNoId && (run_ || !is_main_input(a))) {
      ++result.unreached;
    }
  }
  for (const auto& [symbol, bound] : names_.bindings()) {
    result.bindings.push_back(
        {inference_.symbols->name(symbol), to_text(bound.dim), bound.value, bound.axis});
  }
  return result;
}

}  // namespace

std::string_view verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::kProved:
      return "proved";
    case Verdict::kRefuted:
      return "refuted";
    case Verdict::kUndetermined:
      break;
  }
  return "undetermined";
}

size_t CheckResult::count(Verdict verdict) const {
  return static_cast<size_t>(std::count_if(judgements.begin(), judgements.end(),
                                           [&](auto& j) { return j.verdict == verdict; }));
}

CheckResult check_annotations(const Model& model, const Inference& inference,
                              const CheckOptions& options, Findings& findings) {
  return Checker(model, inference, options.run, findings).check();
}

}  // namespace onnx_shapes
