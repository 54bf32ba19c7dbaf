// What is said of files that are no models, and that nothing is said of models.
#include "wire/sniff.h"

#include <optional>
#include <string>
#include <string_view>

#include "tests/support/catch.h"
#include "tests/wire/wire_tree.h"

namespace onnx_shapes {
namespace {

using namespace test;
using namespace std::string_view_literals;

std::string kind(std::string_view bytes) {
  const std::optional<Lookalike> lookalike = sniff(as_bytes(bytes));
  return lookalike ? std::string(lookalike->what) : "";
}

}  // namespace

TEST_CASE("Files of other kinds are recognised by how they begin") {
  struct Row {
    std::string_view bytes;
    std::string_view part;  // of what is said
  };
  const Row rows[] = {
      {"\x1f\x8b\x08\0\0"sv, "gzip"},
      {"PK\x03\x04 and so on"sv, "zip"},
      {"\0\0\0\x1cTFL3 and so on"sv, "TensorFlow Lite"},
      {"\x40\0\0\0ORTM and so on"sv, "ONNX Runtime"},
      {"\x89HDF\r\n\x1a\n"sv, "HDF5"},
      {"\x20\0\0\0\0\0\0\0{\"w\":{}}"sv, "safetensors"},
      {"GGUF\x03\0\0\0"sv, "GGUF"},
      {"\x93NUMPY\x01\0"sv, "NumPy"},
      {"\x80\x04\x95\x10"sv, "pickle"},
      {"\x7f"
       "ELF\x02\x01"sv,
       "program"},
      {"version https://git-lfs.github.com/spec/v1\noid sha256:1\n"sv, "Git LFS"},
      {"<!DOCTYPE html>\n<html>"sv, "web page"},
      {"  {\"irVersion\": 9}"sv, "JSON"},
      {"ir_version: 9\ngraph {\n}\n"sv, "protobuf text"},
      {"<ir_version: 9, opset_import: [\"\" : 20]>\ng (float[N] x) => (float[N] y) {}"sv,
       "ONNX text"},
      {"hello"sv, "text"},
  };
  for (const Row& row : rows) {
    CHECK_THAT(kind(row.bytes), Catch::Matchers::ContainsSubstring(std::string(row.part)));
  }
  const std::string tar = std::string(257, 'n') + "ustar";
  CHECK_THAT(kind(tar), Catch::Matchers::ContainsSubstring("tar"));
}

TEST_CASE("A model looks like none of them") {
  for (const uint64_t ir_version : {3U, 8U, 10U, 13U}) {
    CHECK(kind(encode({integer(model::kIrVersion, ir_version),
                       text(model::kProducerName, "pytorch"), message(model::kGraph, {})}))
              .empty());
  }
}

}  // namespace onnx_shapes
