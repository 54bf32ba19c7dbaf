// A few bindings of symbols, to see at once which questions have no answer.
#pragma once

#include "facts/knowledge.h"

namespace onnx_shapes {

/// How the numbers of two dims compare in the bindings tried. What was seen in one run is not false
/// in every run.
struct Seen {
  bool less = false;
  bool equal = false;
  bool greater = false;
};

/// Compares the dims in a few bindings, if nothing but their symbols' ranges is known, so that
/// every binding within the ranges can be a run. `knowledge` may be null.
[[nodiscard]] Seen compare_samples(Pool& pool, Knowledge* knowledge, Dim a, Dim b);

}  // namespace onnx_shapes
