// Edit distances, known from their definition, and suggestions.
#include "support/nearest.h"

#include <algorithm>
#include <string>

#include "tests/support/catch.h"

namespace onnx_shapes {
namespace {

size_t distance(std::string_view a, std::string_view b) { return edit_distance(a, b, 100); }

/// The distance by its recursive definition.
size_t defined(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty()) return a.size() + b.size();
  const std::string_view a1 = a.substr(0, a.size() - 1);
  const std::string_view b1 = b.substr(0, b.size() - 1);
  size_t least = std::min(
      {defined(a1, b) + 1, defined(a, b1) + 1, defined(a1, b1) + (a.back() == b.back() ? 0U : 1U)});
  if (a.size() > 1 && b.size() > 1 && a.back() == b1.back() && a1.back() == b.back()) {
    least = std::min(least, defined(a1.substr(0, a1.size() - 1), b1.substr(0, b1.size() - 1)) + 1);
  }
  return least;
}

}  // namespace

TEST_CASE("The distance of words is how many letters differ") {
  CHECK(distance("", "") == 0);
  CHECK(distance("ignore", "ignore") == 0);
  CHECK(distance("ignor", "ignore") == 1);
  CHECK(distance("ingore", "ignore") == 1);
  CHECK(distance("kitten", "sitting") == 3);
  CHECK(distance("", "abc") == 3);
  // A pair that was swapped is not edited again: that makes 3 of what Damerau's own distance
  // calls 2.
  CHECK(distance("ca", "abc") == 3);
}

TEST_CASE("The distance is the defined one for all short words") {
  std::vector<std::string> words = {""};
  for (size_t i = 0; i < words.size() && words[i].size() < 4; ++i) {
    for (const char c : {'a', 'b', 'c'}) words.push_back(words[i] + c);
  }
  for (size_t i = 0; i < words.size(); i += 3) {
    for (size_t j = 0; j < words.size(); j += 2) {
      INFO(words[i] << " " << words[j]);
      CHECK(distance(words[i], words[j]) == defined(words[i], words[j]));
    }
  }
}

TEST_CASE("Beyond the limit it only says so") {
  CHECK(edit_distance("kitten", "sitting", 2) == 3);
  CHECK(edit_distance("a", "abcdef", 2) == 3);
  const std::string long_word(100'000, 'a');
  CHECK(edit_distance(long_word, long_word + "b", 5) == 6);
}

TEST_CASE("The nearest candidate is the one that was meant") {
  constexpr std::string_view kWords[] = {"select", "ignore", "fail-on", "require", "dim"};
  CHECK(nearest("ingore", kWords) == "ignore");
  CHECK(nearest("fail_on", kWords) == "fail-on");
  CHECK(nearest("dims", kWords) == "dim");
  CHECK(!nearest("colour", kWords));
  CHECK(!nearest("xyz", kWords));
  CHECK(did_you_mean("requires", kWords) == "; did you mean 'require'?");
  CHECK(did_you_mean("unlike", kWords).empty());
}

}  // namespace onnx_shapes
