#include "check/inputs.h"

#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>

#include "tests/support/text_model.h"

namespace onnx_shapes {
namespace {

using namespace test;
using Catch::Matchers::ContainsSubstring;

std::string little_endian(uint64_t number, size_t width) {
  std::string bytes;
  for (size_t i = 0; i < width; ++i) {
    bytes += static_cast<char>(i < sizeof(number) ? number >> (8 * i) : 0);
  }
  return bytes;
}

/// A .npy file of version 1.0.
std::string npy(const std::string& type, const std::string& shape, const std::string& data,
                bool fortran = false) {
  std::string header = fmt::format("{{'descr': {}, 'fortran_order': {}, 'shape': {}, }}", type,
                                   fortran ? "True" : "False", shape);
  header.resize((header.size() + 10 + 64) / 64 * 64 - 10, ' ');
  header.back() = '\n';
  return "\x93NUMPY" + std::string("\x01\x00", 2) + little_endian(header.size(), 2) + header + data;
}

std::string deflated(const std::string& data) {
  std::string out(data.size() + 1000, '\0');
  z_stream stream = {};
  REQUIRE(deflateInit2(&stream, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string source = data;
  stream.next_in = reinterpret_cast<Bytef*>(source.data());
  stream.avail_in = static_cast<uInt>(source.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

struct Entry {
  std::string name, data;
  bool deflate = false;
  bool zip64 = false;
};

/// A zip archive by APPNOTE 6.3; check sums are left 0, since nobody reads them.
std::string archive(const std::vector<Entry>& entries) {
  std::string out, directory;
  for (const Entry& entry : entries) {
    const std::string data = entry.deflate ? deflated(entry.data) : entry.data;
    const size_t offset = out.size();
    const std::string method = little_endian(entry.deflate ? 8 : 0, 2);
    const std::string extra = entry.zip64
                                  ? little_endian(1, 2) + little_endian(24, 2) +
                                        little_endian(entry.data.size(), 8) +
                                        little_endian(data.size(), 8) + little_endian(offset, 8)
                                  : "";
    const auto in_64 = [&](uint64_t number) {
      return little_endian(entry.zip64 ? 0xFFFFFFFF : number, 4);
    };
    out += "PK\x03\x04" + little_endian(20, 2) + little_endian(0, 2) + method +
           little_endian(0, 8) + little_endian(data.size(), 4) +
           little_endian(entry.data.size(), 4) + little_endian(entry.name.size(), 2) +
           little_endian(0, 2) + entry.name + data;
    directory += "PK\x01\x02" + little_endian(20, 2) + little_endian(20, 2) + little_endian(0, 2) +
                 method + little_endian(0, 8) + in_64(data.size()) + in_64(entry.data.size()) +
                 little_endian(entry.name.size(), 2) + little_endian(extra.size(), 2) +
                 little_endian(0, 10) + in_64(offset) + entry.name + extra;
  }
  return out + directory + "PK\x05\x06" + little_endian(0, 4) + little_endian(entries.size(), 2) +
         little_endian(entries.size(), 2) + little_endian(directory.size(), 4) +
         little_endian(out.size(), 4) + little_endian(0, 2);
}

struct Read {
  std::vector<GivenArray> arrays;
  std::string codes;  // of the findings
};

Read read(const std::string& bytes, const std::string& name = "run.npz") {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / (std::to_string(getpid()) + name);
  std::ofstream(path, std::ios::binary) << bytes;
  Findings findings;
  Read result;
  result.arrays = read_arrays(path.string(), findings);
  for (const Finding& finding : findings.all()) result.codes += code_id(finding.code) + " ";
  std::filesystem::remove(path);
  return result;
}

const std::string kTwoInts = little_endian(3, 8) + little_endian(UINT64_MAX, 8);

TEST_CASE("Stored, deflated and zip64 arrays are read") {
  for (const bool deflate : {false, true}) {
    for (const bool zip64 : {false, true}) {
      INFO(deflate << zip64);
      const Read result =
          read(archive({{"s.npy", npy("'<i8'", "(2,)", kTwoInts), deflate, zip64},
                        {"x.npy", npy("'<f4'", "(2, 3)", std::string(24, '\0')), deflate, zip64}}));
      CHECK(result.codes == "");
      REQUIRE(result.arrays.size() == 2);
      CHECK(result.arrays[0].name == "s");
      CHECK(result.arrays[0].integers == std::vector<int64_t>{3, -1});
      CHECK(result.arrays[1].shape == std::vector<int64_t>{2, 3});
      CHECK(result.arrays[1].numbers == std::vector<double>(6, 0.0));
    }
  }
}

TEST_CASE("Each width of integers and floats is read") {
  const auto integer = [](const std::string& type, const std::string& data) {
    const Read result = read(npy(type, "()", data), "one.npy");
    REQUIRE(result.arrays.size() == 1);
    return result.arrays[0].integers.value_or(std::vector<int64_t>{})[0];
  };
  CHECK(integer("'|i1'", "\xFE") == -2);
  CHECK(integer("'|u1'", "\xFE") == 254);
  CHECK(integer("'<i2'", "\xFE\xFF") == -2);
  CHECK(integer("'<u4'", little_endian(0xFFFFFFFE, 4)) == 0xFFFFFFFE);
  CHECK(integer("'|b1'", "\x01") == 1);
  // 1.5 in half precision is 0x3E00, in single 0x3FC00000 (IEEE 754).
  CHECK(read(npy("'<f2'", "()", little_endian(0x3E00, 2)), "one.npy").arrays[0].numbers ==
        std::vector<double>{1.5});
  CHECK(read(npy("'<f4'", "()", little_endian(0x3FC00000, 4)), "one.npy").arrays[0].numbers ==
        std::vector<double>{1.5});
}

TEST_CASE("Contents that are large or in another form are not read") {
  CHECK(!read(npy("'<i8'", "(4097,)", std::string(4097 * 8, '\0')), "one.npy").arrays[0].integers);
  CHECK(!read(npy("'>i8'", "(2,)", kTwoInts), "one.npy").arrays[0].integers);
  CHECK(!read(npy("'<i8'", "(1, 2)", kTwoInts, true), "one.npy").arrays[0].integers);
  CHECK(read(npy("'|O'", "(2,)", "pickled"), "one.npy").arrays[0].shape == std::vector<int64_t>{2});
}

TEST_CASE("A damaged array is one finding, and the others are read") {
  const Entry good{"x.npy", npy("'<f4'", "(2, 3)", std::string(24, '\0')), true, false};
  for (const std::string& bad :
       {npy("'<i8'", "(3,)", kTwoInts), npy("[('a', '<i8')]", "(2,)", kTwoInts),
        npy("'<i8'", "(-2,)", kTwoInts), npy("'<i8'", "(9223372036854775807, 8)", kTwoInts),
        std::string("no array"), std::string()}) {
    const Read result = read(archive({{"s.npy", bad, false, false}, good}));
    CHECK(result.codes == "SHP706 ");
    CHECK(result.arrays.size() == 1);
  }
}

TEST_CASE("An archive that is cut off is a finding at every length") {
  const std::string whole = archive({{"s.npy", npy("'<i8'", "(2,)", kTwoInts), true, true}});
  for (size_t size = 0; size < whole.size(); ++size) {
    INFO(size);
    CHECK(read(whole.substr(0, size)).codes == "SHP701 ");
  }
}

TEST_CASE("Whatever byte is wrong, reading ends") {
  const std::string whole = archive({{"s.npy", npy("'<i8'", "(2,)", kTwoInts), true, true}});
  for (size_t at = 0; at < whole.size(); ++at) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 0xFF);
    CHECK(read(changed).arrays.size() <= 1);
  }
}

TEST_CASE("Shapes on the command line") {
  CHECK(read_shape_text("x=2,3")->shape == std::vector<int64_t>{2, 3});
  CHECK(read_shape_text("a=b=7")->name == "a=b");
  CHECK(read_shape_text("x=")->shape.empty());
  for (const char* text : {"x", "=2", "x=-1", "x=2,,3", "x=2x", "x=99999999999999999999"}) {
    CHECK(!read_shape_text(text));
  }
}

TEST_CASE("Arrays are matched with the model's inputs") {
  LoadedModel loaded(
      parse_model(with_header("g (float[N] x, int64[2] s) => (y) { y = Reshape(x, s) }"))
          .SerializeAsString());
  GivenArray x;
  x.name = "x";
  x.type = "<f4";
  x.shape = {6};
  GivenArray other = x;
  other.name = "z";
  auto given = match_inputs(*loaded, {x, other}, "run.npz", loaded.findings);
  complete_inputs(*loaded, {}, false, "run.npz", given, loaded.findings);
  CHECK_THAT(loaded.report(), ContainsSubstring("SHP703"));
  // The shape of s is declared by a number.
  CHECK_THAT(loaded.report(), ContainsSubstring("run.npz has no array for input 's'"));
  CHECK(given.at(loaded.value("s")).shape == std::vector<int64_t>{2});
  CHECK(loaded.findings.count(Severity::kError) == 0);
  // Nothing says how long x is.
  given.clear();
  complete_inputs(*loaded, {}, true, "", given, loaded.findings);
  CHECK_THAT(loaded.report(), ContainsSubstring("no shape is given for input 'x'"));
  CHECK(loaded.findings.count(Severity::kError) == 1);
  complete_inputs(*loaded, {{"N", 6}}, true, "", given, loaded.findings);
  CHECK(given.at(loaded.value("x")).shape == std::vector<int64_t>{6});
}

}  // namespace
}  // namespace onnx_shapes
