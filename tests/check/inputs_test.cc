#include "check/inputs.h"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>
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

/// A zip archive by APPNOTE 6.3.
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
    const std::string sum =
        little_endian(crc32(0, reinterpret_cast<const Bytef*>(entry.data.data()),
                            static_cast<uInt>(entry.data.size())),
                      4);
    out += "PK\x03\x04" + little_endian(20, 2) + little_endian(0, 2) + method +
           little_endian(0, 4) + sum + little_endian(data.size(), 4) +
           little_endian(entry.data.size(), 4) + little_endian(entry.name.size(), 2) +
           little_endian(0, 2) + entry.name + data;
    directory += "PK\x01\x02" + little_endian(20, 2) + little_endian(20, 2) + little_endian(0, 2) +
                 method + little_endian(0, 4) + sum + in_64(data.size()) +
                 in_64(entry.data.size()) + little_endian(entry.name.size(), 2) +
                 little_endian(extra.size(), 2) + little_endian(0, 10) + in_64(offset) +
                 entry.name + extra;
  }
  return out + directory + "PK\x05\x06" + little_endian(0, 4) + little_endian(entries.size(), 2) +
         little_endian(entries.size(), 2) + little_endian(directory.size(), 4) +
         little_endian(out.size(), 4) + little_endian(0, 2);
}

/// A folder of its own for one test.
class Folder {
 public:
  Folder()
      : path_(std::filesystem::temp_directory_path() /
              fmt::format("onnx-shapes-inputs-{}", getpid())) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directory(path_);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path_); }

  [[nodiscard]] std::string path(const std::string& name = "") const {
    return name.empty() ? path_.string() : (path_ / name).string();
  }
  void write(const std::string& name, const std::string& bytes) const {
    std::ofstream(path_ / name, std::ios::binary) << bytes;
  }

 private:
  std::filesystem::path path_;
};

constexpr const char* kModel = "g (float[N, 3] x, int64[2] s) => (y) { y = Reshape(x, s) }";

/// A run of a model with the files of a folder, or one of them.
struct Read {
  std::vector<GivenArray> arrays;
  std::map<ValueId, GivenInput> given;
  std::string codes;   // of the findings of reading
  std::string report;  // the findings of reading and matching
  [[nodiscard]] const GivenInput& input(ValueId id) const { return given.at(id); }
};

Read read_from(const Folder& folder, const std::string& name, LoadedModel& model) {
  Read result;
  result.arrays = read_arrays(folder.path(name), *model, model.findings);
  for (const Finding& finding : model.findings.all()) result.codes += code_id(finding.code) + " ";
  result.given = match_inputs(*model, result.arrays, "run", model.findings);
  complete_inputs(*model, {}, false, "run", result.given, model.findings);
  for (const Finding& finding : model.findings.all()) {
    result.report += fmt::format("{} {}: {}; {}\n", code_id(finding.code), to_string(finding.place),
                                 finding.message, finding.help);
  }
  return result;
}

Read read(const std::string& bytes, const std::string& name = "run.npz",
          const std::string& text = kModel) {
  const Folder folder;
  folder.write(name, bytes);
  LoadedModel model(parse_model(with_header(text)).SerializeAsString());
  return read_from(folder, name, model);
}

size_t count(const std::string& text, const std::string& part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
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

TEST_CASE("Strings are read") {
  const auto strings = [](const std::string& type, const std::string& data) {
    return read(npy(type, "(2,)", data), "one.npy").arrays.at(0).strings;
  };
  // Code points of 4 bytes: "a", then U+20AC and U+1F600.
  const std::string points =
      little_endian('a', 8) + little_endian(0x20AC, 4) + little_endian(0x1F600, 4);
  CHECK(strings("'<U2'", points) == std::vector<std::string>{"a", "\u20AC\U0001F600"});
  CHECK(strings("'|S2'", "ab" + std::string("c\0", 2)) == std::vector<std::string>{"ab", "c"});
  CHECK(!strings("'<U1'", little_endian('a', 4) + little_endian(0xD800, 4)));
}

TEST_CASE("Contents in column-major order are turned") {
  // numpy.asfortranarray([[1, 2, 3], [4, 5, 6]]) is stored as 1 4 2 5 3 6.
  std::string data;
  for (const uint64_t number : {1U, 4U, 2U, 5U, 3U, 6U}) data += little_endian(number, 8);
  const Read result = read(npy("'<i8'", "(2, 3)", data, true), "one.npy");
  CHECK(result.arrays.at(0).shape == std::vector<int64_t>{2, 3});
  CHECK(result.arrays.at(0).integers == std::vector<int64_t>{1, 2, 3, 4, 5, 6});
}

TEST_CASE("Contents that are large or in another form are not read") {
  CHECK(!read(npy("'<i8'", "(4097,)", std::string(4097 * 8, '\0')), "one.npy").arrays[0].integers);
  CHECK(!read(npy("'>i8'", "(2,)", kTwoInts), "one.npy").arrays[0].integers);
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
    REQUIRE(result.arrays.size() == 2);
    CHECK(result.arrays[0].kind == FactKind::kUnknown);
    CHECK(result.arrays[1].shape == std::vector<int64_t>{2, 3});
    // It is not missing as well.
    CHECK(count(result.report, "SHP") == 1);
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

TEST_CASE("Data that does not have its check sum is not believed") {
  for (const bool deflate : {false, true}) {
    std::string bytes = archive({{"s.npy", npy("'<i8'", "(2,)", kTwoInts), deflate, false}});
    const size_t sum = bytes.find("PK\x01\x02") + 16;
    bytes[sum] = static_cast<char>(bytes[sum] ^ 1);
    CHECK_THAT(read(bytes).report, ContainsSubstring("check sum"));
  }
}

TEST_CASE("Sizes that cannot be are not believed") {
  // The directory says 4 GiB, the compressed data could hold some kilobytes.
  std::string bytes = archive({{"x.npy", npy("'<f4'", "(1073741824, 1)", ""), true, true}});
  const size_t extra = bytes.find("x.npy", bytes.find("PK\x01\x02")) + 5 + 4;
  bytes.replace(extra, 8, little_endian((uint64_t{4} << 30U) + 128, 8));
  CHECK_THAT(read(bytes).report, ContainsSubstring("SHP706") &&
                                     ContainsSubstring("cannot be as long as the archive's"));
  CHECK_THAT(read(npy("'<f4'", "(1073741824, 1)", "data"), "x.npy").report,
             ContainsSubstring("it is shorter than its shape and type say"));
}

TEST_CASE("Of an archive past 4 GiB the headers are read") {
  const Folder folder;
  const uint64_t size = (uint64_t{1} << 30U) * 3 * 4;
  const std::string head = npy("'<f4'", "(1073741824, 3)", "");
  std::string bytes = archive({{"x.npy", head, false, true}});
  const size_t directory = bytes.find("PK\x01\x02");
  const std::string tail = bytes.substr(directory);
  // The sizes stand in the zip64 field of the directory; where the directory is, in its own record.
  const size_t extra = tail.find("x.npy") + 5 + 4;
  std::string moved = tail.substr(0, extra) + little_endian(head.size() + size, 8) +
                      little_endian(head.size() + size, 8) + tail.substr(extra + 16);
  const size_t end = moved.find("PK\x05\x06");
  const uint64_t at = directory + size;
  const std::string record = "PK\x06\x06" + little_endian(44, 8) + little_endian(0, 12) +
                             little_endian(1, 8) + little_endian(1, 8) + little_endian(end, 8) +
                             little_endian(at, 8);
  const std::string locator =
      "PK\x06\x07" + little_endian(0, 4) + little_endian(at + end, 8) + little_endian(1, 4);
  std::string last = moved.substr(end);
  last.replace(16, 4, little_endian(0xFFFFFFFF, 4));
  {
    std::ofstream file(folder.path("run.npz"), std::ios::binary);
    file << bytes.substr(0, directory);
    file.seekp(static_cast<std::streamoff>(at));  // a hole, which takes no room on the disk
    file << moved.substr(0, end) << record << locator << last;
  }
  LoadedModel model(parse_model(with_header(kModel)).SerializeAsString());
  const Read result = read_from(folder, "run.npz", model);
  CHECK(result.codes == "");
  CHECK(result.input(model.value("x")).shape == std::vector<int64_t>{1073741824, 3});
}

TEST_CASE("Each way in which an input is wrong is one finding") {
  struct Row {
    const char* type;
    const char* said;
  };
  for (const Row& row : {Row{"'>f4'", "SHP704 <test>:graph:input x: 'x' is big-endian (>f4)"},
                         Row{"'|O'", "SHP706 <test>:graph:input x: 'x' is an array of Python"},
                         Row{"'<f16'", "'x' has the type <f16, which is no type of ONNX"},
                         Row{"'<M8[ns]'", "'x' has the type <M8[ns], which is no type of ONNX"},
                         Row{"'|V2'", "'x' has the type |V2, whose elements are no float of 4"}}) {
    const std::string data(96, '\0');
    const Read result = read(archive({{"s.npy", npy("'<i8'", "(2,)", kTwoInts), true, false},
                                      {"x.npy", npy(row.type, "(2, 3)", data), true, false}}));
    CHECK_THAT(result.report, ContainsSubstring(row.said));
    CHECK(count(result.report, "SHP") == 1);
  }
  // NumPy has no bfloat16.
  CHECK(read(npy("'|V2'", "(2,)", "abcd"), "x.npy", "g (bfloat16[N] x) => (y) { y = Neg(x) }")
            .report == "");
}

TEST_CASE("The input that is meant is named") {
  const std::string model = "g (float[N] input_ids, float[M] mask) => (y) { y = Neg(input_ids) }";
  const std::string array = npy("'<f4'", "(1,)", "abcd");
  const Read result =
      read(archive({{"input_id.npy", array, false, false}, {"other.npy", array, false, false}}),
           "run.npz", model);
  CHECK_THAT(result.report, ContainsSubstring("no input 'input_id'; is it input 'input_ids'") &&
                                ContainsSubstring("its inputs are 'input_ids', 'mask'"));
  // One that is given is not meant.
  CHECK_THAT(
      read(archive({{"input_ids.npy", array, false, false}, {"input_id.npy", array, false, false}}),
           "run.npz", model)
          .report,
      ContainsSubstring("its inputs are"));
  CHECK_THAT(
      read(archive({{"mask.npy", array, false, false}, {"mask.npy", array, false, false}}),
           "run.npz", model)
          .report,
      ContainsSubstring("SHP706") && ContainsSubstring("run has two arrays for input 'mask'"));
}

TEST_CASE("A folder of test data is read") {
  const std::string text =
      "g (float[N, 3] x, seq(int64[K]) q, optional(float[M]) o) => (y) { y = Neg(x) }";
  LoadedModel model(parse_model(with_header(text)).SerializeAsString());
  const Folder folder;
  onnx::TensorProto x;
  x.set_data_type(onnx::TensorProto::FLOAT);
  x.add_dims(2);
  x.add_dims(3);
  x.set_raw_data(std::string(24, '\0'));
  folder.write("input_0.pb", x.SerializeAsString());
  folder.write("output_0.pb", "not looked at");
  onnx::TensorProto element;
  element.set_data_type(onnx::TensorProto::INT64);
  element.add_dims(1);
  element.add_int64_data(5);
  // A SequenceProto: name = 1, tensor_values = 3.
  const std::string tensor = element.SerializeAsString();
  folder.write("input_1.pb",
               std::string("\x0a\x05other\x1a") + static_cast<char>(tensor.size()) + tensor);
  folder.write("input_2.npy", npy("'<f4'", "(1,)", "abcd"));
  const Read result = read_from(folder, "", model);
  CHECK(result.report == "");
  CHECK(result.input(model.value("x")).shape == std::vector<int64_t>{2, 3});
  CHECK(result.input(model.value("q")).kind == FactKind::kSequence);
  CHECK(result.input(model.value("q")).elements.at(0).integers == std::vector<int64_t>{5});
  // An array for an optional is what that holds.
  CHECK(result.input(model.value("o")).kind == FactKind::kOptional);
  CHECK(result.input(model.value("o")).elements.at(0).elem == ElemType::kFloat);
}

TEST_CASE("A message that names an input is that input") {
  LoadedModel model(parse_model(with_header(kModel)).SerializeAsString());
  const Folder folder;
  onnx::TensorProto s;
  s.set_name("s");
  s.set_data_type(onnx::TensorProto::INT64);
  s.add_dims(2);
  s.add_int64_data(3);
  s.add_int64_data(2);
  folder.write("input_0.pb", s.SerializeAsString());
  const Read result = read_from(folder, "input_0.pb", model);
  CHECK(result.input(model.value("s")).integers == std::vector<int64_t>{3, 2});
}

TEST_CASE("A folder without inputs says what it has") {
  LoadedModel model(parse_model(with_header(kModel)).SerializeAsString());
  const Folder folder;
  std::filesystem::create_directory(folder.path("test_data_set_0"));
  folder.write("output_0.pb", "");
  const Read result = read_from(folder, "", model);
  CHECK(result.codes == "SHP701 ");
  CHECK_THAT(result.report, ContainsSubstring("is it test_data_set_0 that you mean?"));
}

TEST_CASE("Whole contents are read of the arrays that are wanted, and of no other") {
  const Folder folder;
  std::string large;
  for (uint64_t i = 0; i < 9000; ++i) large += little_endian(i, 4);
  folder.write(
      "run.npz",
      archive({{"x.npy", npy("'<f4'", "(3000, 3)", large), true},
               {"s.npy", "this is no array"},
               {"t.npy", npy("'<i4'", "(2, 2)", large.substr(0, 16), true)},
               {"u.npy", npy("'<U2'", "(1,)", little_endian('a', 4) + little_endian(0, 4))},
               {"v.npy", npy("'|V2'", "(2,)", "abcd")}}));
  LoadedModel model(
      parse_model(with_header("g (float[N, 3] x, int64[2] s, int32[2, 2] t, string[1] u, "
                              "bfloat16[2] v) => (y) { y = Neg(x) }"))
          .SerializeAsString());
  const auto contents =
      read_contents(folder.path("run.npz"), *model, {"x", "t", "u", "v"}, model.findings);
  CHECK(model.report() == "");
  REQUIRE(contents.size() == 4);
  const RunInput& x = contents.at("x");
  CHECK(std::string(x.bytes.begin(), x.bytes.end()) == large);
  CHECK(x.dims == std::vector<int64_t>{3000, 3});
  CHECK(x.elem == ElemType::kFloat);
  // From column-major to row-major.
  CHECK(contents.at("t").bytes == std::vector<uint8_t>{0, 0, 0, 0, 2, 0, 0, 0,  //
                                                       1, 0, 0, 0, 3, 0, 0, 0});
  CHECK(contents.at("u").strings == std::vector<std::string>{"a"});
  CHECK(contents.at("v").elem == ElemType::kBfloat16);
  CHECK(contents.at("v").bytes == std::vector<uint8_t>{'a', 'b', 'c', 'd'});
  CHECK(read_contents(folder.path("run.npz"), *model, {"s"}, model.findings).empty());
  CHECK_THAT(model.report(), ContainsSubstring("SHP706"));
}

TEST_CASE("Whole contents are read of messages") {
  const Folder folder;
  onnx::TensorProto tensor;
  tensor.set_data_type(onnx::TensorProto::FLOAT);
  tensor.add_dims(5000);
  for (int i = 0; i < 5000; ++i) tensor.add_float_data(1);
  folder.write("input_0.pb", tensor.SerializeAsString());
  folder.write("input_1.pb", "this is no tensor");
  LoadedModel model(parse_model(with_header(kModel)).SerializeAsString());
  const auto contents = read_contents(folder.path(), *model, {"x"}, model.findings);
  REQUIRE(contents.size() == 1);
  CHECK(contents.at("x").bytes.size() == 20'000);
  CHECK(contents.at("x").bytes[3] == 0x3f);
}

TEST_CASE("Arrays are matched with the model's inputs") {
  LoadedModel loaded(
      parse_model(with_header("g (float[N] x, int64[2] s) => (y) { y = Reshape(x, s) }"))
          .SerializeAsString());
  GivenArray x;
  x.name = "x";
  x.type = "<f4";
  x.elem = ElemType::kFloat;
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
