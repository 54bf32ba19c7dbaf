// What a run changes in the interface of a model.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/annotate.h"

namespace onnx_shapes {

/// A dim of an input or output of the main graph that is written anew.
struct PublicChange {
  ValueId value = kNoId;
  Annotation::Role role = Annotation::Role::kOutput;
  std::optional<uint32_t> axis;  // nothing: the type as a whole
  std::string before, after;     // `?` for an unnamed dim
};

/// In order of declaration, inputs first.
[[nodiscard]] std::vector<PublicChange> public_changes(const Model& model,
                                                       const AnnotationChanges& changes);

}  // namespace onnx_shapes
