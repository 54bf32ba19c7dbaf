// One pass over the protobuf wire format of a ModelProto: where its graphs, annotations and tensor
// payloads are, and a skeleton without the large payloads that the protobuf parser can read.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "diag/finding.h"
#include "wire/file.h"

namespace onnx_shapes {

/// A byte range of the file.
struct Span {
  uint64_t offset = 0;
  uint64_t size = 0;
  [[nodiscard]] uint64_t end() const { return offset + size; }
};

/// A length-delimited field: the whole field (tag, length, content) and its content.
struct FieldSpan {
  uint32_t number = 0;
  Span whole;
  Span content;
};

constexpr uint32_t kNoParent = UINT32_MAX;

/// A message whose length prefix must change when something inside it does.
struct MessageSpan {
  FieldSpan field;              // for the ModelProto itself: whole == content == the file
  uint32_t parent = kNoParent;  // index into WireIndex::messages, before this one
  uint32_t length_size = 0;     // bytes of the length prefix, which end where the content begins
};

enum class ContainerKind : uint8_t { kGraph, kFunction };

/// A GraphProto or FunctionProto, with its annotations in file order.
struct ContainerSpan {
  ContainerKind kind = ContainerKind::kGraph;
  uint32_t message = 0;                // index into WireIndex::messages
  std::vector<FieldSpan> inputs;       // ValueInfoProto: GraphProto.input (11); none for functions
  std::vector<FieldSpan> outputs;      // GraphProto.output (12); none for functions
  std::vector<FieldSpan> value_infos;  // GraphProto.value_info (13), FunctionProto.value_info (12)
};

/// A tensor payload that the skeleton leaves out. A payload in several pieces (protobuf allows it)
/// stays in the skeleton whatever its size, for protobuf's parser to put together.
struct Payload {
  uint32_t field_number = 0;  // of TensorProto: 9 raw_data, 4 float_data, 5 int32_data, 7
                              // int64_data, 10 double_data, 11 uint64_data, 6 string_data
  Span content;               // the bytes of raw_data, of the packed field, or of the one string
};

/// Where in WireIndex::plain_nodes the content of a node is.
struct NodeBytes {
  uint32_t begin = 0;
  uint32_t size = 0;
  bool in_skeleton = false;  // not plain: a message of the skeleton
};

struct WireIndex {
  std::vector<MessageSpan> messages;  // [0] is the ModelProto; only what holds a container is here
  std::vector<ContainerSpan> containers;
  std::vector<Payload> payloads;
  /// The model without plain nodes and payloads above the threshold. Each TensorProto whose payload
  /// was left out carries the index into `payloads` as an extra varint field kPayloadMarker, and
  /// each GraphProto and FunctionProto its index into `containers` as kContainerMarker. (Fields of
  /// these numbers in the file itself are not copied into the skeleton.)
  std::string skeleton;
  /// The contents of the main graph's plain nodes (wire/plain_node.h), which the skeleton leaves
  /// out: they are read without the parser. One after another.
  std::string plain_nodes;
  /// Of each node of the main graph, in the order of the file, where it is.
  std::vector<NodeBytes> main_nodes;

  static constexpr uint32_t kPayloadMarker = 500'000'001;
  static constexpr uint32_t kContainerMarker = 500'000'002;
};

struct WalkLimits {
  uint64_t keep_payload_below = 4096;  // bytes; smaller payloads stay in the skeleton
  uint32_t max_nesting = 100;          // graphs inside graphs
  /// Bytes, those of plain nodes included, with the index and a share for each message and string
  /// that a parser makes of them; values past 2^31-1 mean that.
  uint64_t max_skeleton = uint64_t{1} << 30;

  /// How deep messages and groups of any kind may nest: what a parser of the skeleton must allow. A
  /// graph inside a graph takes three levels; the rest is for types of types and unknown groups.
  [[nodiscard]] uint32_t max_depth() const { return max_nesting * 3 + 100; }
};

/// Walks the bytes once, iteratively. A truncated or malformed file (SHP002, SHP003), too deep a
/// nesting (SHP604) or too large a skeleton (SHP608) is a finding with the byte offset. So is a
/// file without a graph, and one that gives a message twice where ONNX has one: protobuf would
/// merge the two, which an edit of the bytes cannot. The bytes may belong to a file that is larger
/// than the memory: payloads are not read.
[[nodiscard]] Expected<WireIndex> walk(std::span<const uint8_t> bytes, const std::string& file,
                                       const WalkLimits& limits);
/// The same for a mapped file, whose pages are released behind the walk.
[[nodiscard]] Expected<WireIndex> walk(const MappedFile& file, const WalkLimits& limits);

}  // namespace onnx_shapes
