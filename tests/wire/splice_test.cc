// Splices against a naive encoder of the changed tree.
#include "wire/splice.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/catch.h"
#include "tests/wire/folder.h"
#include "tests/wire/wire_tree.h"
#include "wire/file.h"
#include "wire/walk.h"

namespace onnx_shapes {
namespace {

using namespace test;

/// Makes trees that look like models, with unknown fields, groups and overlong lengths among them.
class RandomModel {
 public:
  explicit RandomModel(uint32_t seed) : random_(seed) {}

  size_t below(size_t bound) {
    return std::uniform_int_distribution<size_t>(0, bound - 1)(random_);
  }

  std::vector<Tree> fields() {
    std::vector<Tree> result = some(3, [&] { return unknown(); });
    result.push_back(graph(model::kGraph, 3));
    for (size_t i = below(3); i > 0; --i) result.push_back(function());
    for (Tree& tree : some(2, [&] { return unknown(); })) result.push_back(std::move(tree));
    return result;
  }

  Tree value_info(uint32_t number) {
    return message(number, {text(value_info::kName, word()), message(value_info::kType, {}),
                            text(value_info::kDocString, std::string(below(300), 'd'))});
  }

 private:
  template <class Make>
  std::vector<Tree> some(size_t most, Make make) {
    std::vector<Tree> result;
    for (size_t i = below(most + 1); i > 0; --i) result.push_back(make());
    return result;
  }

  std::string word() { return std::string(below(8), static_cast<char>('a' + below(26))); }

  Tree unknown() {
    const auto number = static_cast<uint32_t>(100 + below(5000));
    switch (below(5)) {
      case 0:
        return integer(number, random_());
      case 1:
        return fixed32(number);
      case 2:
        return fixed64(number);
      case 3:
        return group(number, {text(1, word()), integer(2, below(9))});
      default:
        return text(number, word());
    }
  }

  Tree shuffled(uint32_t number, std::vector<Tree> children) {
    std::shuffle(children.begin(), children.end(), random_);
    Tree tree = message(number, std::move(children));
    const size_t width = 1 + below(5);
    // An overlong length; a width that is only just enough would be the shortest form.
    const size_t shortest = varint(encode(tree.children).size()).size();
    if (below(8) == 0 && width > shortest) tree.length_width = width;
    return tree;
  }

  Tree node(uint32_t number, size_t depth) {
    std::vector<Tree> children = some(2, [&] { return unknown(); });
    children.push_back(text(node::kOpType, word()));
    for (size_t i = below(3); i > 0; --i) {
      std::vector<Tree> attribute = {text(attribute::kName, word())};
      if (below(3) == 0) attribute.push_back(tensor(attribute::kTensor));
      if (depth > 0 && below(2) == 0) attribute.push_back(graph(attribute::kGraph, depth - 1));
      if (depth > 0 && below(4) == 0) attribute.push_back(graph(attribute::kGraphs, depth - 1));
      children.push_back(shuffled(node::kAttribute, std::move(attribute)));
    }
    return shuffled(number, std::move(children));
  }

  Tree tensor(uint32_t number) {
    return shuffled(number, {text(tensor::kName, word()),
                             text(tensor::kRawData, std::string(below(400), 'w'))});
  }

  Tree graph(uint32_t number, size_t depth) {
    std::vector<Tree> children = some(2, [&] { return unknown(); });
    for (size_t i = below(4); i > 0; --i) children.push_back(node(graph::kNode, depth));
    for (size_t i = below(3); i > 0; --i) children.push_back(tensor(graph::kInitializer));
    for (const uint32_t role : {graph::kInput, graph::kOutput, graph::kValueInfo}) {
      for (size_t i = below(4); i > 0; --i) children.push_back(value_info(role));
    }
    Tree tree = shuffled(number, std::move(children));
    tree.is_container = true;
    return tree;
  }

  Tree function() {
    std::vector<Tree> children = {node(function::kNode, 1), text(function::kName, word())};
    for (size_t i = below(3); i > 0; --i) children.push_back(value_info(function::kValueInfo));
    Tree tree = shuffled(model::kFunctions, std::move(children));
    tree.is_container = true;
    return tree;
  }

  std::mt19937 random_;
};

void list_containers(std::vector<Tree>& fields, std::vector<Tree*>& list) {
  for (Tree& field : fields) {
    if (field.is_container) list.push_back(&field);
    list_containers(field.children, list);
  }
}

/// Changes some annotations of a container, in the tree and as edits. `container` is the index of
/// both.
void change(RandomModel& random, Tree& tree, const WireIndex& index, size_t container,
            std::vector<Edit>& edits) {
  const ContainerSpan& spans = index.containers[container];
  size_t inputs = 0;
  size_t outputs = 0;
  size_t value_infos = 0;
  const auto span_of = [&](uint32_t number) -> const FieldSpan* {
    if (spans.kind == ContainerKind::kFunction) {
      return number == function::kValueInfo ? &spans.value_infos[value_infos++] : nullptr;
    }
    if (number == graph::kInput) return &spans.inputs[inputs++];
    if (number == graph::kOutput) return &spans.outputs[outputs++];
    return number == graph::kValueInfo ? &spans.value_infos[value_infos++] : nullptr;
  };
  std::vector<Tree> changed;
  for (Tree& child : tree.children) {
    const FieldSpan* const span = span_of(child.number);
    const size_t choice = span == nullptr ? 9 : random.below(10);
    if (choice == 0 || choice == 1) {  // insert before it
      changed.push_back(random.value_info(child.number));
      edits.push_back({spans.message, {span->whole.offset, 0}, encode(changed.back())});
    }
    if (choice == 1 || choice == 2) {  // replace it
      child = random.value_info(child.number);
      edits.push_back({spans.message, span->whole, encode(child)});
    }
    if (choice == 3) {
      edits.push_back({spans.message, span->whole, {}});
    } else {
      changed.push_back(std::move(child));
    }
  }
  for (size_t i = random.below(3); i > 0; --i) {
    changed.push_back(random.value_info(graph::kValueInfo));
    const Span& content = index.messages[spans.message].field.content;
    edits.push_back({spans.message, {content.end(), 0}, encode(changed.back())});
  }
  tree.children = std::move(changed);
}

WireIndex walk_or_fail(const MappedFile& file) {
  Expected<WireIndex> index = walk(file, {.keep_payload_below = 64});
  REQUIRE(index.ok());
  return *std::move(index);
}

std::string spliced(const Folder& folder, const MappedFile& file, const std::vector<Edit>& edits) {
  const Expected<void> result =
      splice(file, walk_or_fail(file), edits, {.path = folder / "out.onnx"});
  if (!result) FAIL(result.reason().message);
  return folder.read("out.onnx");
}

MappedFile open_or_fail(const std::string& path) {
  Expected<MappedFile> file = MappedFile::open(path);
  REQUIRE(file.ok());
  return *std::move(file);
}

}  // namespace

TEST_CASE("Splicing is encoding the changed tree") {
  const Folder folder;
  size_t changes = 0;
  for (uint32_t seed = 0; seed < 300; ++seed) {
    INFO("seed " << seed);
    RandomModel random(seed);
    std::vector<Tree> fields = random.fields();
    const std::string bytes = encode(fields);
    const MappedFile file = seed % 2 == 0 ? MappedFile::borrow(as_bytes(bytes), "in.onnx")
                                          : open_or_fail(folder.write("in.onnx", bytes));
    const WireIndex index = walk_or_fail(file);
    std::vector<Tree*> containers;
    list_containers(fields, containers);
    REQUIRE(containers.size() == index.containers.size());

    std::vector<Edit> edits;
    // Innermost first, so that the pointers to outer ones stay right.
    for (size_t i = containers.size(); i-- > 0;) {
      change(random, *containers[i], index, i, edits);
    }
    changes += edits.size();
    const std::string expected = encode(fields);
    CHECK(spliced(folder, file, edits) == expected);
    CHECK(spliced_size(index, edits) == expected.size());
  }
  CHECK(changes > 1000);
}

TEST_CASE("Without changes the bytes are the same") {
  const Folder folder;
  for (uint32_t seed = 0; seed < 50; ++seed) {
    RandomModel random(seed);
    const std::string bytes = encode(random.fields());
    CHECK(spliced(folder, MappedFile::borrow(as_bytes(bytes), "in.onnx"), {}) == bytes);
  }
}

TEST_CASE("Insertions at the same place stand in the order of the list") {
  const Folder folder;
  const std::string bytes = encode({message(model::kGraph, {}), text(model::kProducerName, "p")});
  const MappedFile file = MappedFile::borrow(as_bytes(bytes), "in.onnx");
  const Tree a = text(graph::kName, "a");
  const Tree b = text(graph::kName, "b");
  const Tree c = text(model::kProducerName, "c");
  // The end of the graph is also where its next sibling begins.
  const Span end{2, 0};
  const std::string result =
      spliced(folder, file, {{0, end, encode(c)}, {1, end, encode(a)}, {1, end, encode(b)}});
  CHECK(result == encode({message(model::kGraph, {a, b}), c, text(model::kProducerName, "p")}));
}

TEST_CASE("Lengths grow and shrink over the sizes of their prefixes") {
  const Folder folder;
  for (const size_t size : {0U, 100U, 127U, 128U, 129U, 16'380U, 16'384U, 300'000U, 2'100'000U}) {
    for (const size_t other : {0U, 125U, 128U, 16'383U, 2'097'152U}) {
      const auto fields = [](size_t length) {
        const Tree inner =
            message(attribute::kGraph, {text(graph::kDocString, std::string(length, 'd'))});
        return std::vector<Tree>{
            message(model::kGraph, {message(graph::kNode, {message(node::kAttribute, {inner})})}),
            text(model::kProducerName, std::string(300'000, 'p'))};
      };
      const std::string bytes = encode(fields(size));
      const MappedFile file = open_or_fail(folder.write("in.onnx", bytes));
      const WireIndex index = walk_or_fail(file);
      const uint32_t inner = index.containers[1].message;
      const std::vector<Edit> edits = {{inner, index.messages[inner].field.content,
                                        encode(text(graph::kDocString, std::string(other, 'd')))}};
      CHECK((spliced(folder, file, edits) == encode(fields(other))));
    }
  }
}

TEST_CASE("Changes that overlap or leave their message are refused") {
  const Folder folder;
  const std::string bytes = encode(
      {message(model::kGraph, {text(graph::kName, "name"), text(graph::kDocString, "doc")})});
  const MappedFile file = MappedFile::borrow(as_bytes(bytes), "in.onnx");
  const WireIndex index = walk_or_fail(file);
  const auto code_of = [&](const std::vector<Edit>& edits) {
    const Expected<void> result = splice(file, index, edits, {.path = folder / "out.onnx"});
    REQUIRE(!result.ok());
    return result.reason().code;
  };
  CHECK(code_of({{1, {2, 6}, {}}, {1, {4, 2}, {}}}) == Code::kInternalError);
  CHECK(code_of({{1, {2, 6}, {}}, {1, {5, 0}, "x"}}) == Code::kInternalError);
  CHECK(code_of({{1, {1, 1}, {}}}) == Code::kInternalError);
  CHECK(code_of({{1, {2, bytes.size()}, {}}}) == Code::kInternalError);
  CHECK(code_of({{1, {2, UINT64_MAX}, {}}}) == Code::kInternalError);
  CHECK(code_of({{2, {2, 1}, {}}}) == Code::kInternalError);
  // The whole graph goes, and something in it changes.
  CHECK(code_of({{0, {0, bytes.size()}, {}}, {1, {2, 6}, {}}}) == Code::kInternalError);
  CHECK(folder.names().empty());
}

}  // namespace onnx_shapes
