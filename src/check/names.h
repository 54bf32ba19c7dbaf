// What the names of a model stand for, and whether two dims are equal under that.
#pragma once

#include <set>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "check/check.h"
#include "facts/prover.h"

namespace onnx_shapes {

/// An axis that defines a name.
struct Bound {
  uint32_t region = 0;  // as in Observation
  Dim dim;
  ValueId value = kNoId;
  size_t axis = 0;
  uint32_t annotation = 0;
  /// The axis has another size at another time, so it defines the name for itself alone.
  bool changes = false;
};

/// A name of an input that annotations use for a compound: `total == past + seq`. The caller may
/// choose sizes for which that holds, so the annotations are not false, but they need it.
struct Condition {
  SymbolId symbol = 0;
  Dim value;
};

struct Comparison {
  Verdict verdict = Verdict::kUndetermined;
  std::string reason = {};            // of kUndetermined
  std::vector<SymbolId> awaits = {};  // of kUndetermined: the symbols that leave it open
  std::optional<Counterexample> example = {};
  std::optional<size_t> condition = {};  // index into Names::conditions(): the dims are equal, or
                                         // refuted, where it holds
};

/// "N=2, M=3"
[[nodiscard]] std::string sizes_text(const std::vector<NamedSize>& sizes);

/// The symbols that the caller may choose: names on inputs, and unnamed input dims.
[[nodiscard]] std::unordered_set<SymbolId> universal_symbols(const Inference& inference);

/// The smallest sizes of inputs that break the claim, none of them 0 if there are such: an operator
/// may refuse empty tensors for reasons that are not known here.
[[nodiscard]] std::optional<Binding> smallest_counterexample(
    const Inference& inference, const ConstraintSet& constraints, const Claim& claim,
    const std::unordered_set<SymbolId>& universal, std::span<const Equality> also = {});

/// The sizes of inputs among the binding.
[[nodiscard]] std::vector<NamedSize> input_sizes(const Inference& inference, const Binding& binding,
                                                 const std::unordered_set<SymbolId>& universal);

class Names {
 public:
  /// In a run, names on inputs are names like all others, and nothing is universal.
  Names(const Inference& inference, bool run);

  /// Whether some axis must define the symbol.
  [[nodiscard]] bool existential(SymbolId symbol) const;
  [[nodiscard]] bool mentions_existential(Dim dim) const;
  /// Whether the dim may differ from one iteration to the next.
  [[nodiscard]] bool varies(Dim dim) const;

  /// Whether all runs that come to `region` come to `around`.
  [[nodiscard]] bool within(uint32_t region, uint32_t around) const;
  void bind(SymbolId symbol, Bound bound);
  /// The definitions that can meet in one run with a use in `region`.
  [[nodiscard]] std::vector<Bound> related(SymbolId symbol, uint32_t region) const;
  /// In order of binding, without those that change.
  [[nodiscard]] const std::vector<std::pair<SymbolId, Bound>>& bindings() const {
    return in_order_;
  }

  /// Whether the dims are equal in every run that comes to `region`. Refuted: they differ in all
  /// such runs, or for sizes of the inputs that the caller may choose. What is compared here is
  /// compared under the conditions found so far.
  [[nodiscard]] Comparison compare(Dim declared, Dim found, uint32_t region);
  /// The same for a dim that the author wrote there: where a name of an input would have to stand
  /// for a compound, that becomes a condition.
  [[nodiscard]] Comparison compare_written(Dim declared, Dim found, uint32_t region);
  [[nodiscard]] const std::vector<Condition>& conditions() const { return conditions_; }
  /// `total == past + seq`
  [[nodiscard]] std::string text_of(const Condition& condition) const;

 private:
  [[nodiscard]] Dim substitute(Dim dim, uint32_t region) const;
  [[nodiscard]] Comparison compare(Dim declared, Dim found, uint32_t region, bool written);
  [[nodiscard]] Comparison compare_under_conditions(Dim declared, Dim found, bool written);
  [[nodiscard]] std::optional<Condition> condition_of(Dim declared, Dim found) const;
  void find_broadcasts();
  [[nodiscard]] Comparison undetermined(Dim declared, Dim found) const;
  [[nodiscard]] std::optional<Counterexample> find_example(Dim declared, Dim found) const;

  const Inference& inference_;
  bool run_;
  Prover prover_;
  std::unordered_set<SymbolId> universal_;
  std::unordered_map<SymbolId, std::vector<Bound>> bound_;
  std::vector<std::pair<SymbolId, Bound>> in_order_;
  std::vector<Condition> conditions_;
  std::set<std::tuple<const Expr*, const Expr*, uint32_t>> proved_;  // declared, found, region
  std::vector<Equality> broadcasts_;  // what dims of inputs must be to broadcast
};

}  // namespace onnx_shapes
