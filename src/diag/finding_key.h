// What stays the same of a finding from one version of a model to the next.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "diag/finding.h"

namespace onnx_shapes {

/// Names neither the place of a node in the file nor a scope, which change when nodes are moved or
/// exported anew, nor the message, which has the numbers. Several findings of a model may have one
/// key: values of two branches may have one name.
struct FindingKey {
  Code code;
  std::string value;  // without one, the outputs of the node; may be empty
  std::optional<int64_t> axis;

  // NOLINTNEXTLINE(modernize-use-nullptr): a false alarm on <=>
  friend auto operator<=>(const FindingKey&, const FindingKey&) = default;
};

[[nodiscard]] FindingKey key_of(const Finding& finding);

/// 16 hexadecimal digits, the same on every machine.
[[nodiscard]] std::string fingerprint(const FindingKey& key);

}  // namespace onnx_shapes
