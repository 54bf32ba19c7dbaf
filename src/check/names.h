// What the names of a model stand for, and whether two dims are equal under that.
#pragma once

#include <string>
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
};

struct Counterexample {
  std::string inputs;  // `N=2, M=3`; empty if the dims differ whatever the inputs are
  int64_t declared = 0;
  int64_t found = 0;
};

struct Comparison {
  Verdict verdict = Verdict::kUndetermined;
  std::string reason = {};  // of kUndetermined
  std::optional<Counterexample> example = {};
};

/// "N=2, M=3": the sizes of inputs among the binding.
[[nodiscard]] std::string inputs_text(const Inference& inference, const Binding& binding,
                                      const std::unordered_set<SymbolId>& universal);

/// The symbols that the caller may choose: names on inputs, and unnamed input dims.
[[nodiscard]] std::unordered_set<SymbolId> universal_symbols(const Inference& inference);

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
  /// In order of binding.
  [[nodiscard]] const std::vector<std::pair<SymbolId, Bound>>& bindings() const {
    return in_order_;
  }

  /// Whether the dims are equal in every run that comes to `region`. Refuted: they differ in all
  /// such runs, or for sizes of the inputs that the caller may choose.
  [[nodiscard]] Comparison compare(Dim declared, Dim found, uint32_t region);

 private:
  [[nodiscard]] Dim substitute(Dim dim, uint32_t region) const;
  [[nodiscard]] Comparison undetermined(Dim declared, Dim found) const;
  [[nodiscard]] std::optional<Counterexample> find_example(Dim declared, Dim found) const;

  const Inference& inference_;
  bool run_;
  Prover prover_;
  std::unordered_set<SymbolId> universal_;
  std::unordered_map<SymbolId, std::vector<Bound>> bound_;
  std::vector<std::pair<SymbolId, Bound>> in_order_;
};

}  // namespace onnx_shapes
