// Nodes that can be read straight from their bytes, as nearly all can.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace onnx_shapes {

/// What a plain node is made of, for limits.
struct PlainNode {
  uint32_t messages = 1;  // with the node itself
  uint32_t strings = 0;
};

/// Scans the content of a NodeProto. It is plain if
///   * every field is one that onnx.proto (IR version 13) knows, in the wire type that it gives,
///   and
///     given once where it is not repeated: then nothing is merged and nothing is unknown;
///   * each attribute has at most one value or reference: a number, a string, a list of them, or a
///     tensor whose payload is smaller than `keep_payload_below` and not external.
/// Nothing if it is not, or if it is malformed.
[[nodiscard]] std::optional<PlainNode> scan_plain_node(std::span<const uint8_t> content,
                                                       uint64_t keep_payload_below);

}  // namespace onnx_shapes
