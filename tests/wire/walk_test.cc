// What a walk finds in well-formed models, and what it says of malformed ones.
#include "wire/walk.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "tests/wire/wire_tree.h"

namespace onnx_shapes {
namespace {

using namespace test;

constexpr uint64_t kKeepBelow = 16;

Expected<WireIndex> walk_text(const std::string& bytes, WalkLimits limits = {}) {
  limits.keep_payload_below = kKeepBelow;
  return walk(as_bytes(bytes), "m.onnx", limits);
}

std::string slice(const std::string& bytes, Span span) {
  return bytes.substr(span.offset, span.size);
}

/// The code and the byte offset of the finding that a walk ends in.
struct Fault {
  Code code;
  uint64_t offset;
  friend bool operator==(const Fault&, const Fault&) = default;
};
Fault fault(const std::string& bytes, const WalkLimits& limits = {}) {
  const Expected<WireIndex> index = walk_text(bytes, limits);
  REQUIRE(!index.ok());
  return {index.reason().code, index.reason().place.offset.value_or(UINT64_MAX)};
}

/// The skeleton's fields without length prefixes that are longer than they must be.
std::string canonical(std::string_view bytes, const std::vector<uint32_t>& path = {}) {
  static const std::vector<std::vector<uint32_t>> paths = {
      {7},     {7, 1},     {7, 1, 5},  {7, 1, 5, 5}, {7, 5}, {7, 1, 5, 6},
      {7, 15}, {7, 15, 1}, {7, 15, 2}, {25},         {25, 7}};
  const auto number = [&bytes] {
    uint64_t value = 0;
    for (unsigned shift = 0; !bytes.empty(); shift += 7) {
      const auto byte = static_cast<uint8_t>(bytes.front());
      bytes.remove_prefix(1);
      value |= static_cast<uint64_t>(byte & 0x7fU) << shift;
      if (byte < 0x80) break;
    }
    return value;
  };
  std::string result;
  while (!bytes.empty()) {
    const uint64_t tag = number();
    result += varint(tag);
    if (tag % 8 == 0) {
      result += varint(number());
    } else if (tag % 8 == 2) {
      const uint64_t size = number();
      std::string content{bytes.substr(0, size)};
      bytes.remove_prefix(size);
      std::vector<uint32_t> inner = path;
      inner.push_back(static_cast<uint32_t>(tag / 8));
      if (std::find(paths.begin(), paths.end(), inner) != paths.end()) {
        content = canonical(content, inner);
      }
      result += varint(content.size()) + content;
    } else {
      const size_t size = tag % 8 == 5 ? 4 : 8;
      result += bytes.substr(0, size);
      bytes.remove_prefix(size);
    }
  }
  return result;
}

const std::string kLarge(100, 'w');
const Tree kContainer0 = integer(WireIndex::kContainerMarker, 0);

}  // namespace

TEST_CASE("Containers and their annotations are indexed") {
  const Tree x = message(graph::kInput, {text(value_info::kName, "x")});
  const Tree y = message(graph::kOutput, {text(value_info::kName, "y")});
  const Tree v = message(graph::kValueInfo, {text(value_info::kName, "v")});
  const Tree inner_v = message(graph::kValueInfo, {text(value_info::kName, "inner")});
  const Tree inner = message(attribute::kGraph, {inner_v});
  const Tree branch = message(graph::kNode, {message(node::kAttribute, {inner})});
  const Tree f_v = message(function::kValueInfo, {text(value_info::kName, "f_v")});
  const Tree f = message(model::kFunctions, {text(function::kName, "F"), f_v});
  const Tree g = message(model::kGraph, {x, branch, v, y, x});
  const std::string bytes = encode({integer(model::kIrVersion, 9), g, f});

  const Expected<WireIndex> walked = walk_text(bytes);
  REQUIRE(walked.ok());
  const WireIndex& index = *walked;
  REQUIRE(index.containers.size() == 3);

  const ContainerSpan& main = index.containers[0];
  CHECK(main.kind == ContainerKind::kGraph);
  REQUIRE(main.inputs.size() == 2);
  CHECK(slice(bytes, main.inputs[0].whole) == encode(x));
  CHECK(slice(bytes, main.inputs[0].content) == encode(x.children));
  REQUIRE(main.outputs.size() == 1);
  CHECK(slice(bytes, main.outputs[0].whole) == encode(y));
  REQUIRE(main.value_infos.size() == 1);
  CHECK(slice(bytes, main.value_infos[0].whole) == encode(v));

  const ContainerSpan& body = index.containers[1];
  CHECK(body.kind == ContainerKind::kGraph);
  REQUIRE(body.value_infos.size() == 1);
  CHECK(slice(bytes, body.value_infos[0].whole) == encode(inner_v));
  const MessageSpan& body_message = index.messages[body.message];
  CHECK(slice(bytes, body_message.field.whole) == encode(inner));
  const MessageSpan& attribute = index.messages[body_message.parent];
  CHECK(slice(bytes, attribute.field.content) == encode(inner));
  CHECK(slice(bytes, index.messages[attribute.parent].field.whole) == encode(branch));
  CHECK(index.messages[attribute.parent].parent == main.message);
  CHECK(index.messages[main.message].parent == 0);
  CHECK(index.messages[0].parent == kNoParent);

  const ContainerSpan& functions = index.containers[2];
  CHECK(functions.kind == ContainerKind::kFunction);
  REQUIRE(functions.value_infos.size() == 1);
  CHECK(slice(bytes, functions.value_infos[0].whole) == encode(f_v));
}

TEST_CASE("A large payload is left out of the skeleton, and only that") {
  const Tree kept = text(tensor::kRawData, std::string(kKeepBelow - 1, 's'));
  const auto number =
      GENERATE(tensor::kFloatData, tensor::kInt32Data, tensor::kStringData, tensor::kInt64Data,
               tensor::kRawData, tensor::kDoubleData, tensor::kUint64Data);
  const Tree name = text(tensor::kName, "W");
  const Tree large = text(number, kLarge);
  const auto tensors = [&](const std::vector<Tree>& fields, const Tree& small) {
    return std::vector<Tree>{message(graph::kInitializer, fields),
                             message(graph::kInitializer, {small})};
  };
  const std::string bytes =
      encode({message(model::kGraph, tensors({integer(tensor::kDims, 25), large, name}, kept))});
  const Expected<WireIndex> index = walk_text(bytes);
  REQUIRE(index.ok());
  REQUIRE(index->payloads.size() == 1);
  CHECK(index->payloads[0].field_number == number);
  CHECK(slice(bytes, index->payloads[0].content) == kLarge);

  std::vector<Tree> fields =
      tensors({integer(tensor::kDims, 25), name, integer(WireIndex::kPayloadMarker, 0)}, kept);
  fields.insert(fields.begin(), kContainer0);
  CHECK(canonical(index->skeleton) == encode({message(model::kGraph, fields)}));
}

TEST_CASE("Plain nodes of the main graph are left out of the skeleton, in order") {
  const std::vector<Tree> plain_0 = {text(node::kOpType, "Add"), text(node::kInput, "a")};
  const std::vector<Tree> other = {text(node::kOpType, "If"), integer(100, 1)};
  const std::vector<Tree> plain_2 = {text(node::kOpType, "Mul")};
  const Tree name = text(graph::kName, "g");
  const Tree function = message(model::kFunctions, {message(function::kNode, plain_0)});
  const std::string bytes =
      encode({message(model::kGraph, {message(graph::kNode, plain_0), message(graph::kNode, other),
                                      name, message(graph::kNode, plain_2)}),
              function});
  const Expected<WireIndex> index = walk_text(bytes);
  REQUIRE(index.ok());
  REQUIRE(index->main_nodes.size() == 3);
  const auto content = [&index](const NodeBytes& node) {
    return index->plain_nodes.substr(node.begin, node.size);
  };
  CHECK_FALSE(index->main_nodes[0].in_skeleton);
  CHECK(content(index->main_nodes[0]) == encode(plain_0));
  CHECK(index->main_nodes[1].in_skeleton);
  CHECK_FALSE(index->main_nodes[2].in_skeleton);
  CHECK(content(index->main_nodes[2]) == encode(plain_2));
  CHECK(canonical(index->skeleton, {}) ==
        encode({message(model::kGraph, {kContainer0, message(graph::kNode, other), name}),
                message(model::kFunctions, {integer(WireIndex::kContainerMarker, 1),
                                            message(function::kNode, plain_0)})}));
}

TEST_CASE("Payloads are found wherever a tensor can be") {
  const std::vector<Tree> fields = {text(tensor::kRawData, kLarge)};
  const std::vector<Tree> sparse = {message(1, fields), message(2, fields)};
  const Tree in_attribute = message(
      graph::kNode, {message(node::kAttribute, {message(attribute::kTensor, fields)}),
                     message(node::kAttribute, {message(attribute::kTensors, fields),
                                                message(attribute::kTensors, fields)}),
                     message(node::kAttribute, {message(attribute::kSparseTensor, sparse)}),
                     message(node::kAttribute, {message(attribute::kSparseTensors, sparse)})});
  const std::vector<Tree> graph_fields = {in_attribute, message(graph::kSparseInitializer, sparse)};
  const Tree function =
      message(model::kFunctions, {message(function::kNode, in_attribute.children),
                                  message(11, {message(attribute::kTensor, fields)})});
  const Tree training = message(model::kTrainingInfo, {message(1, graph_fields)});
  const std::string bytes = encode({message(model::kGraph, graph_fields), function, training});
  const Expected<WireIndex> index = walk_text(bytes);
  REQUIRE(index.ok());
  // 7 in the node; 2 in the sparse initializer; the graph twice, and the function with a default.
  CHECK(index->payloads.size() == 9 + 8 + 9);
  for (const Payload& payload : index->payloads) CHECK(slice(bytes, payload.content) == kLarge);
  CHECK(index->skeleton.find("ww") == std::string::npos);
}

TEST_CASE("A payload in pieces stays in the skeleton as it was") {
  const Tree large = text(tensor::kFloatData, kLarge);
  const auto pieces = GENERATE_COPY(
      std::vector<Tree>{large, large}, std::vector<Tree>{large, fixed32(tensor::kFloatData)},
      std::vector<Tree>{fixed32(tensor::kFloatData), large},
      std::vector<Tree>{large, text(tensor::kRawData, "")},
      std::vector<Tree>{large, integer(tensor::kDims, 3), text(tensor::kStringData, ""), large});
  const Tree tensor = message(graph::kInitializer, pieces);
  const Expected<WireIndex> index = walk_text(encode({message(model::kGraph, {tensor})}));
  REQUIRE(index.ok());
  CHECK(index->payloads.empty());
  CHECK(canonical(index->skeleton) == encode({message(model::kGraph, {kContainer0, tensor})}));
}

TEST_CASE("An empty packed field is no piece of a payload") {
  const Expected<WireIndex> index = walk_text(encode({message(
      model::kGraph,
      {message(graph::kInitializer, {text(tensor::kFloatData, ""), text(tensor::kRawData, kLarge),
                                     text(tensor::kInt32Data, "")})})}));
  REQUIRE(index.ok());
  CHECK(index->payloads.size() == 1);
}

TEST_CASE("Markers of the file itself, and groups, are not in the skeleton") {
  const Tree forged = integer(WireIndex::kPayloadMarker, 7);
  const Tree forged_text = text(WireIndex::kContainerMarker, "forged");
  const Tree unknown = group(200, {text(1, "a"), group(3, {fixed64(9)}), fixed32(2)});
  const Tree kept = fixed64(300);
  const Tree name = text(graph::kName, "g");
  const Tree g = message(model::kGraph, {forged, name, unknown, kept, forged_text});
  const Expected<WireIndex> index = walk_text(encode({unknown, g, forged}));
  REQUIRE(index.ok());
  CHECK(canonical(index->skeleton) == encode({message(model::kGraph, {kContainer0, name, kept})}));
}

TEST_CASE("A field of another wire type than ONNX gives it is skipped, as protobuf skips it") {
  const Tree odd = integer(graph::kInitializer, 5);
  const Expected<WireIndex> index = walk_text(encode({message(model::kGraph, {odd})}));
  REQUIRE(index.ok());
  CHECK(canonical(index->skeleton) == encode({message(model::kGraph, {kContainer0, odd})}));
}

TEST_CASE("Every cut of a model is a finding unless whole fields are left") {
  const Tree v = message(graph::kValueInfo, {text(value_info::kName, "v")});
  const Tree n = message(graph::kNode, {text(node::kInput, "x"), text(node::kOpType, "Relu")});
  const std::vector<Tree> fields = {
      integer(model::kIrVersion, 300), group(99, {text(1, "in a group")}), fixed32(77),
      message(model::kGraph,
              {n, message(graph::kInitializer, {text(tensor::kRawData, kLarge)}), v}),
      message(model::kOpsetImport, {integer(2, 20)})};
  const std::string bytes = encode(fields);
  std::vector<size_t> ends;
  size_t graph_end = 0;
  for (size_t end = 0; const Tree& field : fields) {
    end += encode(field).size();
    ends.push_back(end);
    if (field.number == model::kGraph) graph_end = end;
  }
  for (size_t size = 0; size <= bytes.size(); ++size) {
    INFO("cut at byte " << size);
    const bool whole = std::find(ends.begin(), ends.end(), size) != ends.end();
    const Expected<WireIndex> index = walk_text(bytes.substr(0, size));
    CHECK(index.ok() == (whole && size >= graph_end));
    if (!index.ok()) {
      CHECK(index.reason().code == (whole || size == 0 ? Code::kNotAModel : Code::kTruncated));
    }
  }
}

TEST_CASE("Malformed bytes are findings with their offset") {
  const std::string start = encode({integer(model::kIrVersion, 9)});
  const std::string end = encode({message(model::kGraph, {})});
  const auto bad = [&](const std::string& bytes) { return fault(start + bytes + end); };
  const Fault expected{Code::kNotAModel, 2};
  CHECK(bad(std::string(1, '\0')) == expected);    // field number 0
  CHECK(bad("\x0e") == expected);                  // wire type 6
  CHECK(bad("\x0f") == expected);                  // wire type 7
  CHECK(bad("\x0c") == expected);                  // the end of a group
  CHECK(bad("\xff\xff\xff\xff\x7f") == expected);  // a tag of more than 32 bits
  CHECK(bad("\x88\x80\x80\x80\x80" + std::string(1, '\0')) == expected);  // a tag of six bytes
  CHECK(bad("\x08" + std::string(10, '\x80') + "\1") == expected);  // a number of eleven bytes
  CHECK(bad("\x0b\x14") == Fault{Code::kNotAModel, 3});             // group 1 ends as group 2
  CHECK(bad("\x0b\x07") == Fault{Code::kNotAModel, 3});             // wire type 7 in a group
  // A length near 2^64 must not wrap around.
  CHECK(bad("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01").code == Code::kTruncated);
  // The node claims more than its graph holds.
  const std::string node = "\x3a\x02\x0a\x05";
  CHECK(bad(node) == Fault{Code::kNotAModel, 4});
}

TEST_CASE("A message that ONNX has once but the file twice is refused") {
  const Tree t = message(attribute::kTensor, {});
  const Tree g = message(attribute::kGraph, {});
  const auto in_node = [](const std::vector<Tree>& fields) {
    return message(model::kGraph, {message(graph::kNode, {message(node::kAttribute, fields)})});
  };
  CHECK(walk_text(encode({in_node({t, g})})).ok());
  CHECK(fault(encode({in_node({t, t})})).code == Code::kNotAModel);
  CHECK(fault(encode({in_node({g, t, g})})).code == Code::kNotAModel);
  const Tree empty = message(model::kGraph, {});
  CHECK(fault(encode({empty, empty})) == Fault{Code::kNotAModel, 2});
}

TEST_CASE("Nesting is limited") {
  const auto nested_graphs = [](size_t depth) {
    Tree g = message(attribute::kGraph, {});
    for (size_t i = 1; i < depth; ++i) {
      g = message(attribute::kGraph, {message(graph::kNode, {message(node::kAttribute, {g})})});
    }
    return encode(
        {message(model::kGraph, {message(graph::kNode, {message(node::kAttribute, {g})})})});
  };
  WalkLimits limits;
  limits.max_nesting = 5;
  CHECK(walk_text(nested_graphs(5), limits).ok());
  CHECK(fault(nested_graphs(6), limits).code == Code::kLimitNesting);
  CHECK(walk_text(nested_graphs(100)).ok());
  CHECK(fault(nested_graphs(101)).code == Code::kLimitNesting);

  // Each of these is 20,000 deep, from the inside out.
  const auto wrapped = [](const std::vector<uint32_t>& numbers) {
    std::string bytes;
    for (size_t i = 0; i < 20'000 / numbers.size() * numbers.size(); ++i) {
      bytes = encode(text(numbers[i % numbers.size()], bytes));
    }
    return bytes;
  };
  const std::string graphs = wrapped({attribute::kGraph, node::kAttribute, graph::kNode});
  CHECK(fault(encode({text(model::kGraph, graphs)})).code == Code::kLimitNesting);
  const std::string sequences = wrapped({1, 4});  // elem_type in sequence_type
  const Tree input = message(graph::kInput, {text(value_info::kType, sequences)});
  CHECK(fault(encode({message(model::kGraph, {input})})).code == Code::kLimitNesting);
  CHECK(fault(std::string(20'000, '\x0b')).code == Code::kLimitNesting);
}

TEST_CASE("The skeleton and the index are limited in size") {
  const std::string bytes = encode({message(
      model::kGraph,
      {text(graph::kDocString, std::string(10'000, 'd')),
       message(graph::kInitializer, {text(tensor::kRawData, std::string(20'000, 'w'))})})});
  WalkLimits limits;
  limits.max_skeleton = 12'000;
  CHECK(walk_text(bytes, limits).ok());
  limits.max_skeleton = 9'000;
  CHECK(fault(bytes, limits).code == Code::kLimitSize);
}

TEST_CASE("Empty messages and strings count towards the limit") {
  WalkLimits limits;
  limits.max_skeleton = 100'000;
  const auto with_nodes = [](size_t count, const std::string& content) {
    std::string nodes;
    for (size_t i = 0; i < count; ++i) nodes += encode({text(graph::kNode, content)});
    return encode({text(model::kGraph, nodes)});
  };
  CHECK(walk_text(with_nodes(100, ""), limits).ok());
  CHECK(fault(with_nodes(5'000, ""), limits).code == Code::kLimitSize);
  std::string inputs;
  for (int i = 0; i < 5'000; ++i) inputs += encode({text(1, "")});
  CHECK(fault(with_nodes(1, inputs), limits).code == Code::kLimitSize);
}

TEST_CASE("Files of other kinds are named") {
  const auto message_of = [](const std::string& bytes) {
    const Expected<WireIndex> index = walk_text(bytes);
    REQUIRE(!index.ok());
    CHECK(index.reason().code == Code::kNotAModel);
    return index.reason().message;
  };
  CHECK_THAT(message_of(""), Catch::Matchers::ContainsSubstring("empty"));
  CHECK_THAT(message_of("{\"graph\": {}}\n"), Catch::Matchers::ContainsSubstring("JSON"));
  CHECK_THAT(message_of("PK\3\4 and more"), Catch::Matchers::ContainsSubstring("zip"));
  CHECK_THAT(message_of(std::string(64, '\0')), Catch::Matchers::ContainsSubstring("zero bytes"));
  CHECK_THAT(message_of(encode({integer(model::kIrVersion, 9)})),
             Catch::Matchers::ContainsSubstring("no graph"));
}

}  // namespace onnx_shapes
