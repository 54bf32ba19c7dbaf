// What inference found out about names and sizes, for the reports.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "anchors/bounds.h"
#include "infer/infer.h"

namespace onnx_shapes {

/// A name that occurs in a dim, or that has the same size as one that does.
struct NameSummary {
  SymbolId symbol = 0;
  Interval range;
  DimBounds bounds;                  // of a size that is not the caller's choice
  std::vector<std::string> aliases;  // other names of the same size
  std::vector<Dim> equals;           // compounds that are this size
  std::vector<ValueId> data;    // a size known in the run only: values whose contents decide it
  std::vector<ValueId> inputs;  // inputs of the main graph from which those are computed
};

/// A dim without a name or number; or a rank that is not known.
struct NamelessSummary {
  ValueId value = kNoId;
  std::optional<uint32_t> axis;  // nothing: the rank
  /// The body or function whose iterations or calls may differ in it; kNoId if it is another
  /// reason.
  ScopeId varies_in = kNoId;
  std::vector<ValueId> data;  // of a rank: values whose contents decide it
  std::vector<ValueId> inputs;
};

struct Summary {
  std::vector<NameSummary> names;         // in order of symbol
  std::vector<uint32_t> equalities;       // those that were used, as indices; `needs` and `trusted`
                                          // are among them
  std::vector<uint32_t> needs;            // those that restrict what the caller may choose
  std::vector<uint32_t> trusted;          // those that only an annotation says
  std::vector<ValueId> declared;          // values of which nothing but the declaration is known
  std::vector<NamelessSummary> nameless;  // in order of value
};

/// Of an inference after merge_anchors, with every dim as it is written.
[[nodiscard]] Summary summarise(const Model& model, const Inference& inference);

/// The body or function in which the value's nameless dims may differ from one iteration or call to
/// the next; kNoId if it is not in one, nor made by one.
[[nodiscard]] ScopeId varying_scope(const Model& model, ValueId value);

}  // namespace onnx_shapes
