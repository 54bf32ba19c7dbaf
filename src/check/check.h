// Do the annotations hold? A verdict on each.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "infer/infer.h"

namespace onnx_shapes {

enum class Verdict : uint8_t { kProved, kUndetermined, kRefuted };
/// "proved", "undetermined", "refuted"
[[nodiscard]] std::string_view verdict_name(Verdict verdict);

struct NamedSize {
  std::string name;
  int64_t number = 0;
};

/// Sizes of inputs for which an axis is not as declared.
struct Counterexample {
  std::vector<NamedSize> inputs;  // none if the dims differ whatever the inputs are
  int64_t declared = 0;
  int64_t found = 0;
  size_t axis = 0;
};

/// The verdict on one annotation, of all the times that its value is computed.
struct Judgement {
  uint32_t annotation = 0;  // index into Model::annotations()
  Verdict verdict = Verdict::kProved;
  std::string reason;                     // why it is undetermined, or how it is refuted
  std::optional<Counterexample> example;  // of an axis that is refuted
  /// What an undetermined one waits for: symbols of sizes that inference does not know.
  std::vector<SymbolId> awaits;
};

/// What a name stands for.
struct NameBinding {
  std::string name;
  std::string size;  // a number in a run, else an expression over the input dims' names
  ValueId value = kNoId;
  size_t axis = 0;
};

struct CheckResult {
  std::vector<Judgement> judgements;  // in order of annotation; none for inputs of the main graph
  std::vector<NameBinding> bindings;  // in order of binding
  size_t unreached = 0;               // annotations of values that are never computed
  [[nodiscard]] size_t count(Verdict verdict) const;
};

struct CheckOptions {
  /// Inference had the inputs of one run: inputs are checked too, and every name is bound by the
  /// first value that bears it. Else names on inputs may be any numbers.
  bool run = false;
};

/// Judges the annotations of outputs and value_info, and of the inputs of bodies, in every scope.
/// `inference` was made with InferOptions::observe and without merging annotations into it.
///
/// A name that stands on an input of the main graph may be any size; every other name is defined by
/// the first axis that bears it alone, and all its other uses must be provably equal to that. An
/// annotation that fails for some sizes of the inputs is refuted, with the smallest such sizes that
/// were found, by numbers: SHP201 (rank), SHP202 (type), SHP203 (dim). What depends on tensor data,
/// or was only declared and not inferred, is undetermined; so is what holds where a name of an
/// input stands for a compound of others, `total == past + seq` (SHP204, once for each such
/// condition). In a run, inputs that do not fit what is declared are SHP704 and SHP705.
[[nodiscard]] CheckResult check_annotations(const Model& model, const Inference& inference,
                                            const CheckOptions& options, Findings& findings);

/// Infers again with the branches given, as the inference was made that was checked.
using InferBranches = std::function<Inference(const std::map<NodeId, bool>&, Findings&)>;

/// Judges anew what is undetermined and depends on the branch that an If takes: with either branch
/// it must be proved, or refuted. `inference` is the one that `result` is of.
void check_branches(const Model& model, const Inference& inference, const CheckOptions& options,
                    const InferBranches& infer_again, CheckResult& result, Findings& findings);

/// Reports what some node needs of the sizes of inputs though no annotation says so, with the
/// smallest sizes that break it: that two are equal (SHP301) or in bounds (SHP306). Of the bounds
/// those that follow from others, or hold for all sizes from 1 on, are left out.
void report_implied(const Model& model, const Inference& inference, Findings& findings);

/// Reports outputs of the model whose declarations hold but say less than what is proved (SHP205):
/// dims that are numbers, or made of the sizes of inputs, and ranks. `result` is of all runs.
void report_imprecise_outputs(const Model& model, const Inference& inference,
                              const CheckResult& result, Findings& findings);

}  // namespace onnx_shapes
