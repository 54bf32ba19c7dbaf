// The changes of a splice as one list of replaced byte ranges, length prefixes among them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wire/splice.h"
#include "wire/walk.h"

namespace onnx_shapes {

/// A byte range of the source and what stands there in the result. The text belongs to the edits or
/// to the plan.
struct Replacement {
  Span replaced;
  std::string_view text;
};

struct SplicePlan {
  std::vector<Replacement> replacements;  // in file order, disjoint
  uint64_t size = 0;                      // of the result
  std::vector<std::string> prefixes;      // what replacements refer to
};

/// Nothing if changes overlap, leave their message, or are those of a message that does not exist.
/// The edits must outlive the plan.
[[nodiscard]] std::optional<SplicePlan> plan_splice(const WireIndex& index,
                                                    const std::vector<Edit>& edits);

}  // namespace onnx_shapes
