// The examples of docs/semantics.md hold.
#include <fstream>
#include <string>
#include <string_view>

#include "expr/text.h"
#include "tests/expr/text_names.h"
#include "tests/support/catch.h"
#include "tests/support/paths.h"

namespace onnx_shapes {
namespace {

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

/// The parts around the operator; false if it does not occur.
bool split(std::string_view line, std::string_view by, std::string_view& left,
           std::string_view& right) {
  const size_t at = line.find(by);
  if (at == std::string_view::npos) return false;
  left = trimmed(line.substr(0, at));
  right = trimmed(line.substr(at + by.size()));
  return true;
}

void check_same(std::string_view left, std::string_view right, bool expected) {
  Pool pool;
  TextNames names(pool);
  const auto a = names.read(left);
  const auto b = names.read(right);
  REQUIRE(a.ok());
  REQUIRE(b.ok());
  CHECK((*a == *b) == expected);
}

void check_example(std::string_view line) {
  std::string_view left;
  std::string_view right;
  INFO("example: " << line);
  if (split(line, " == ", left, right)) return check_same(left, right, true);
  if (split(line, " != ", left, right)) return check_same(left, right, false);
  REQUIRE(split(line, " -> ", left, right));
  Pool pool;
  TextNames names(pool);
  const auto dim = names.read(left);
  if (right == "error") {
    CHECK_FALSE(dim.ok());
    return;
  }
  REQUIRE(dim.ok());
  CHECK(to_text(*dim) == right);
}

}  // namespace

TEST_CASE("Text: the examples of the documentation") {
  std::ifstream file(ONNX_SHAPES_SOURCE_DIR "/docs/semantics.md");
  REQUIRE(file.good());
  bool in_block = false;
  int examples = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("```")) {
      in_block = line == "```dims";
    } else if (in_block && !trimmed(line).empty()) {
      check_example(line);
      ++examples;
    }
  }
  CHECK(examples >= 40);
}

}  // namespace onnx_shapes
