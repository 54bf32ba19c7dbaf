// What tells findings apart over the versions of a model.
#include "diag/finding_key.h"

#include <utility>

#include "tests/support/catch.h"

namespace onnx_shapes {
namespace {

Finding at(Place place, const std::string& message = "m") {
  return make_finding(Code::kDimContradiction, std::move(place), message);
}

Place of_value(const std::string& node, std::optional<int64_t> axis) {
  Place place;
  place.graph = "graph";
  place.node = node;
  place.value = "y";
  place.axis = axis;
  return place;
}

}  // namespace

TEST_CASE("A finding keeps its key when its node moves and its numbers change") {
  const FindingKey key = key_of(at(of_value("Add_1", 0), "declared 3, inferred 4"));
  CHECK(key == key_of(at(of_value("Add_7", 0), "declared 3, inferred 5")));
  CHECK(key != key_of(at(of_value("Add_1", 1))));
  CHECK(key != key_of(at(of_value("Add_1", {}))));
  CHECK(key.value == "y");
}

TEST_CASE("A node is known by its outputs") {
  Place place;
  place.node = "MatMul_3";
  place.node_text = "a, b = Split (x)";
  CHECK(key_of(at(place)).value == "a, b");
  place.node_text = "";
  CHECK(key_of(at(place)).value == "MatMul_3");
}

TEST_CASE("A fingerprint is the FNV-1a hash of the key's text") {
  // By the definition of FNV-1a: the offset basis, then xor and multiplication for each byte.
  uint64_t hash = 14695981039346656037U;
  for (const char c : std::string("SHP203|y|0")) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  }
  const std::string text = fingerprint(key_of(at(of_value("Add_1", 0))));
  CHECK(text.size() == 16);
  CHECK(std::stoull(text, nullptr, 16) == hash);
  CHECK(text != fingerprint(key_of(at(of_value("Add_1", {})))));
}

}  // namespace onnx_shapes
