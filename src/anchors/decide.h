// Decides what is written into a model after inference: which annotations, and each dim's text.
#pragma once

#include <string>

#include "anchors/public_changes.h"
#include "infer/infer.h"
#include "model/annotate.h"

namespace onnx_shapes {

/// What becomes of the declared outputs of the main graph.
enum class Outputs : uint8_t {
  kFill,  // what the author wrote stays, what is missing or unnamed is filled in
  kKeep,  // they stay as they are
  kFull,  // what is known over numbers and the author's input names replaces what is written
};

struct DecideOptions {
  bool fresh = false;       // the author's value_info is replaced or removed
  bool name_inputs = true;  // unnamed input dims that others depend on get a name, on the input too
  Outputs outputs = Outputs::kFill;
  bool bare_names = false;          // compounds are left unnamed, for readers that take names only
  bool override_conflicts = false;  // the inferred type replaces a declared one that contradicts it
  bool bounds = false;              // what bounds dims that are not exact is written as metadata
  /// The value_info among `contradicted`, indices into Model::annotations(), and that of no value,
  /// is replaced or removed.
  bool drop_stale = false;
  std::vector<uint32_t> contradicted = {};
  const DeclareOptions* declare =
      nullptr;  // the numbers of --dim and names of --rename; may be null
};

/// What came out, for the summary.
struct Tally {
  size_t values = 0;        // of known type, in all scopes
  size_t unknown_rank = 0;  // of them without a rank
  size_t numbers = 0;       // dims that are numbers
  size_t author = 0;        // dims over the author's symbols alone
  size_t internal = 0;      // dims that mention a symbol made by inference
  size_t unknown = 0;       // dims left unnamed
  size_t changes = 0;       // annotations that are added, changed or removed
};

struct Decision {
  AnnotationChanges changes;
  std::vector<PublicChange> public_changes;
  Tally tally;
};

/// The author's text stays where there is one; what is missing, unnamed, or has a name that an
/// earlier tool made up (`unk__7`) is filled in, and a compound is spelled as everywhere else.
/// Nothing is written into functions of a model whose IR version (below 10) has no place for it.
[[nodiscard]] Decision decide_annotations(const Model& model, const Inference& inference,
                                          const DecideOptions& options);

/// Removes all value_info, and the bounds of other annotations.
[[nodiscard]] AnnotationChanges strip_annotations(const Model& model);

}  // namespace onnx_shapes
