// Messages as trees that a test builds, changes and encodes; independent of the code under test.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace onnx_shapes::test {

inline std::string varint(uint64_t value, size_t width = 1) {
  std::string bytes;
  do {
    const bool more = value > 0x7f || bytes.size() + 1 < width;
    bytes += static_cast<char>((value & 0x7f) | (more ? 0x80 : 0));
    value >>= 7;
  } while (value > 0 || bytes.size() < width);
  return bytes;
}

/// One field: a message with fields of its own, or bytes that stand after the tag.
struct Tree {
  uint32_t number = 0;
  uint32_t wire_type = 2;
  std::string bytes;           // without the tag, with the length prefix; unless it is a message
  std::vector<Tree> children;  // of a message
  bool is_message = false;
  size_t length_width = 1;    // of a message: bytes of the length prefix, at least
  bool is_container = false;  // a graph or function
};

inline Tree message(uint32_t number, std::vector<Tree> children) {
  return {.number = number, .bytes = {}, .children = std::move(children), .is_message = true};
}
inline Tree text(uint32_t number, std::string_view content) {
  return {.number = number, .bytes = varint(content.size()) + std::string(content), .children = {}};
}
inline Tree integer(uint32_t number, uint64_t value) {
  return {.number = number, .wire_type = 0, .bytes = varint(value), .children = {}};
}
inline Tree fixed32(uint32_t number) {
  return {.number = number, .wire_type = 5, .bytes = "\1\2\3\4", .children = {}};
}
inline Tree fixed64(uint32_t number) {
  return {.number = number, .wire_type = 1, .bytes = "\1\2\3\4\5\6\7\10", .children = {}};
}
inline std::string encode(const Tree& tree);
/// The fields one after the other.
inline std::string encode(const std::vector<Tree>& trees) {
  std::string bytes;
  for (const Tree& tree : trees) bytes += encode(tree);
  return bytes;
}
inline std::string encode(const Tree& tree) {
  std::string bytes = varint(tree.number * 8 + tree.wire_type);
  if (!tree.is_message) return bytes + tree.bytes;
  const std::string content = encode(tree.children);
  return bytes + varint(content.size(), tree.length_width) + content;
}
/// A group with these fields in it.
inline Tree group(uint32_t number, const std::vector<Tree>& fields) {
  return {.number = number,
          .wire_type = 3,
          .bytes = encode(fields) + varint(number * 8 + 4),
          .children = {}};
}

inline std::span<const uint8_t> as_bytes(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

// Fields of onnx.proto by name.
namespace model {
constexpr uint32_t kIrVersion = 1, kProducerName = 2, kGraph = 7, kOpsetImport = 8,
                   kMetadataProps = 14, kTrainingInfo = 20, kFunctions = 25;
}
namespace graph {
constexpr uint32_t kNode = 1, kName = 2, kInitializer = 5, kDocString = 10, kInput = 11,
                   kOutput = 12, kValueInfo = 13, kSparseInitializer = 15;
}
namespace function {
constexpr uint32_t kName = 1, kNode = 7, kValueInfo = 12;
}
namespace node {
constexpr uint32_t kInput = 1, kOutput = 2, kName = 3, kOpType = 4, kAttribute = 5;
}
namespace attribute {
constexpr uint32_t kName = 1, kInt = 3, kTensor = 5, kGraph = 6, kTensors = 10, kGraphs = 11,
                   kTypeProto = 14, kType = 20, kSparseTensor = 22, kSparseTensors = 23;
}
namespace tensor {
constexpr uint32_t kDims = 1, kDataType = 2, kFloatData = 4, kInt32Data = 5, kStringData = 6,
                   kInt64Data = 7, kName = 8, kRawData = 9, kDoubleData = 10, kUint64Data = 11;
}
namespace value_info {
constexpr uint32_t kName = 1, kType = 2, kDocString = 3;
}

}  // namespace onnx_shapes::test
