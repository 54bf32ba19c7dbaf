// Splices in memory, for tests that compare bytes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/model.h"
#include "tests/support/catch.h"
#include "wire/splice_plan.h"

namespace onnx_shapes::test {

/// The bytes of the model's file with the edits made.
inline std::string splice_bytes(const Model& model, const std::vector<Edit>& edits) {
  const std::optional<SplicePlan> plan = plan_splice(model.wire(), edits);
  REQUIRE(plan.has_value());
  const std::span<const uint8_t> bytes = model.file().bytes();
  const std::string_view source(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  std::string result;
  uint64_t at = 0;
  for (const Replacement& replacement : plan->replacements) {
    result += source.substr(at, replacement.replaced.offset - at);
    result += replacement.text;
    at = replacement.replaced.end();
  }
  return result.append(source.substr(at));
}

}  // namespace onnx_shapes::test
