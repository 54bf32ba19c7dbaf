// Which nodes are plain: the fields and wire types are those of onnx.proto.
#include "wire/plain_node.h"

#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "tests/wire/wire_tree.h"
#include "wire/walk.h"

namespace onnx_shapes {
namespace {

using namespace test;

constexpr uint64_t kKeepBelow = 16;
constexpr uint32_t kDocString = 6, kDomain = 7, kOverload = 8, kMetadataProps = 9, kDevices = 10;
constexpr uint32_t kFloat = 2, kString = 4, kFloats = 7, kInts = 8, kStrings = 9, kReference = 21;

std::optional<PlainNode> scan(const std::vector<Tree>& fields) {
  return scan_plain_node(as_bytes(encode(fields)), kKeepBelow);
}

Tree with(const Tree& field) { return message(node::kAttribute, {field}); }
Tree tensor_with(const std::vector<Tree>& fields) {
  return with(message(attribute::kTensor, fields));
}
Tree packed(uint32_t number, const std::string& content) { return text(number, content); }

}  // namespace

TEST_CASE("Plain nodes") {
  struct Row {
    std::vector<Tree> fields;
    uint32_t messages = 1;
    uint32_t strings = 0;
  };
  const std::string minus_one = varint(~uint64_t{0});
  const Row rows[] = {
      {{}},
      {{text(node::kInput, "a"), text(node::kInput, ""), text(node::kOutput, "y"),
        text(node::kName, "n"), text(node::kOpType, "Add"), text(kDomain, "d"),
        text(kOverload, "o"), text(kDocString, "doc"), text(node::kInput, "b")},
       1,
       9},
      {{message(kMetadataProps, {text(1, "k"), text(2, "v")}), message(kMetadataProps, {})}, 3, 2},
      {{message(node::kAttribute, {text(attribute::kName, "a"), integer(attribute::kInt, 7),
                                   integer(attribute::kType, 2), text(13, "doc")})},
       2,
       2},
      {{with(fixed32(kFloat)), with(text(kString, "s")), with(text(kReference, "r"))}, 4, 2},
      {{with(fixed32(kFloats)), with(packed(kFloats, "12345678")), with(packed(kFloats, ""))}, 4},
      {{with(integer(kInts, 3)), with(packed(kInts, "\1\2" + minus_one + "\3"))}, 3},
      {{message(node::kAttribute, {text(kStrings, "a"), text(kStrings, "b")})}, 2, 2},
      {{tensor_with({integer(tensor::kDims, 2), packed(tensor::kDims, "\1\2"),
                     integer(tensor::kDataType, 7), text(tensor::kRawData, "0123456789"),
                     text(tensor::kName, "t"), text(12, "doc")})},
       3,
       3},
      {{tensor_with({fixed32(tensor::kFloatData), packed(tensor::kFloatData, "1234"),
                     integer(tensor::kInt32Data, 1), packed(tensor::kInt64Data, "\1"),
                     text(tensor::kStringData, "a"), text(tensor::kStringData, "b"),
                     fixed64(tensor::kDoubleData), packed(tensor::kDoubleData, "12345678"),
                     integer(tensor::kUint64Data, 1)})},
       3,
       2},
  };
  for (const Row& row : rows) {
    CAPTURE(&row - rows);
    const std::optional<PlainNode> plain = scan(row.fields);
    REQUIRE(plain.has_value());
    CHECK(plain->messages == row.messages);
    CHECK(plain->strings == row.strings);
  }
}

TEST_CASE("Nodes that are not plain") {
  const std::string endless(10, '\x80');
  const std::vector<Tree> rows[] = {
      // What the reader of plain nodes does not look for.
      {message(kDevices, {})},
      {text(100, "unknown")},
      {integer(11, 1)},
      {with(integer(12, 1))},
      {with(message(attribute::kGraph, {}))},
      {with(message(attribute::kGraphs, {}))},
      {with(message(attribute::kTensors, {}))},
      {with(message(attribute::kTypeProto, {}))},
      {with(message(attribute::kSparseTensor, {}))},
      {with(integer(attribute::kType, 0))},
      {with(integer(attribute::kType, 5))},   // GRAPH
      {with(integer(attribute::kType, 11))},  // SPARSE_TENSOR
      {with(integer(attribute::kType, 1000))},
      {tensor_with({message(3, {})})},   // segment
      {tensor_with({message(13, {})})},  // external_data
      {tensor_with({integer(14, 1)})},   // data_location
      {tensor_with({message(16, {})})},  // metadata_props
      {tensor_with({text(tensor::kRawData, std::string(kKeepBelow, 'x'))})},
      {tensor_with({packed(tensor::kInt64Data, std::string(kKeepBelow, '\1'))})},
      {tensor_with({integer(WireIndex::kPayloadMarker, 0)})},
      {message(kMetadataProps, {text(3, "?")})},
      {group(node::kInput, {})},
      // Another wire type than the field has: protobuf takes it for an unknown field.
      {integer(node::kInput, 1)},
      {integer(node::kAttribute, 1)},
      {with(integer(attribute::kName, 1))},
      {with(text(attribute::kInt, "1"))},
      {with(integer(kFloat, 1))},
      {with(fixed64(kInts))},
      {with(fixed64(kFloats))},
      {with(text(attribute::kType, "1"))},
      {with(integer(attribute::kTensor, 1))},
      {tensor_with({fixed32(tensor::kDoubleData)})},
      {tensor_with({integer(tensor::kRawData, 1)})},
      // Given twice: protobuf takes the last string, and merges messages.
      {text(node::kOpType, "Add"), text(node::kOpType, "Mul")},
      {message(node::kAttribute, {integer(attribute::kInt, 1), integer(attribute::kInt, 2)})},
      {message(node::kAttribute,
               {message(attribute::kTensor, {}), message(attribute::kTensor, {})})},
      {message(kMetadataProps, {text(1, "k"), text(1, "k")})},
      // More than one value.
      {message(node::kAttribute, {integer(attribute::kInt, 1), fixed32(kFloat)})},
      {message(node::kAttribute, {integer(attribute::kInt, 1), text(kReference, "r")})},
      {message(node::kAttribute, {text(kInts, ""), text(kStrings, "s")})},
      // Malformed.
      {with(packed(kFloats, "123"))},
      {with(packed(kInts, "\x80"))},
      {with(packed(kInts, endless))},
      {tensor_with({packed(tensor::kDoubleData, "1234")})},
  };
  for (const std::vector<Tree>& fields : rows) {
    CAPTURE(&fields - rows);
    CHECK_FALSE(scan(fields).has_value());
  }
  for (const std::string& bytes : {
           std::string("\x0a"),                              // ends before the length
           std::string("\x0a\x02x"),                         // and before the end of the string
           std::string("\x2a\x03\x0a\x05x", 5),              // past the end of the attribute
           std::string("\x0a\x81\x80\x80\x80\x80\x00x", 7),  // a length of six bytes
           std::string("\x02x"),                             // field 0
           std::string("\x0f"),                              // a wire type that there is not
           std::string("\x8a\x80\x80\x80\x80\x00\x00", 7),   // a tag of six bytes
       }) {
    CAPTURE(bytes);
    CHECK_FALSE(scan_plain_node(as_bytes(bytes), kKeepBelow).has_value());
  }
}

}  // namespace onnx_shapes
