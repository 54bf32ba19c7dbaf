// What can be mended in a model's annotations without asking.
#pragma once

#include <string>
#include <vector>

#include "check/check.h"
#include "model/annotate.h"

namespace onnx_shapes {

/// One annotation that is removed or written anew.
struct Fix {
  Place place;
  std::string before;  // the type as the author wrote it: `float[N, -1]`
  std::string after;   // empty: removed
};

struct Fixes {
  AnnotationChanges changes;
  std::vector<Fix> list;  // in order of annotation
};

/// Leaves sizes below 0 unnamed, and writes numbers that stand where names should as numbers, in
/// every annotation. A dim of several annotations called "8" is 8 in all of them, so they still
/// agree. Removes other value_info that `result`, of all runs, refutes.
[[nodiscard]] Fixes safe_fixes(const Model& model, const CheckResult& result);

}  // namespace onnx_shapes
