// Base-128 numbers against the rules of the protobuf encoding.
#include "wire/varint.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tests/support/catch.h"

namespace onnx_shapes {
namespace {

using namespace std::string_view_literals;

struct Read {
  uint64_t value;
  size_t size;
  friend bool operator==(const Read&, const Read&) = default;
};

std::optional<Read> read(std::string_view bytes) {
  const auto* const begin = reinterpret_cast<const uint8_t*>(bytes.data());
  const uint8_t* at = begin;
  uint64_t value = 0;
  if (!read_varint(at, begin + bytes.size(), value)) return std::nullopt;
  return Read{value, static_cast<size_t>(at - begin)};
}

}  // namespace

TEST_CASE("Numbers are read as the encoding defines them") {
  CHECK(read("\x00"sv) == Read{0, 1});
  CHECK(read("\x7f"sv) == Read{127, 1});
  CHECK(read("\x96\x01 rest"sv) == Read{150, 2});  // the example of the encoding's page
  CHECK(read("\x80\x80\x00"sv) == Read{0, 3});     // longer than it must be
  CHECK(read("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"sv) == Read{UINT64_MAX, 10});
  CHECK(read("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x7e"sv) == Read{0, 10});  // past 64 bits
  CHECK(!read("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00"sv));
  CHECK(!read("\x80\x80"sv));
}

TEST_CASE("What is written is read back, in its own size or a wider one") {
  for (uint32_t bits = 0; bits <= 64; ++bits) {
    const uint64_t power = bits < 64 ? uint64_t{1} << bits : 0;
    for (const uint64_t value : {power - 1, power, power + 1}) {
      std::string bytes;
      append_varint(bytes, value);
      CHECK(read(bytes) == Read{value, bytes.size()});
      CHECK(varint_size(value) == bytes.size());
      for (uint32_t width = 1; width <= kMaxVarintSize; ++width) {
        std::string wide;
        append_varint(wide, value, width);
        CHECK(wide.size() == std::max<size_t>(width, bytes.size()));
        if (wide.size() == width) {
          std::string over(width, '?');
          write_varint(over.data(), value, width);
          CHECK(over == wide);
        }
        CHECK(read(wide) == Read{value, wide.size()});
      }
    }
  }
}

TEST_CASE("A tag holds the number and the wire type") {
  std::string bytes;
  append_tag(bytes, 16, WireType::kLength);
  CHECK(bytes == "\x82\x01");
}

}  // namespace onnx_shapes
