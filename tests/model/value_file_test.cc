#include "model/value_file.h"

#include <onnx/onnx_pb.h>

#include "tests/support/catch.h"
#include "wire/varint.h"

namespace onnx_shapes {
namespace {

using Catch::Matchers::ContainsSubstring;
using Kind = DeclaredType::Kind;

Expected<StoredValue> read(const std::string& bytes, Kind kind = Kind::kTensor) {
  return read_value(
      MappedFile::borrow({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()},
                         "input_0.pb"),
      kind, {.integers = 16, .numbers = 4});
}

std::string complaint(const std::string& bytes, Kind kind = Kind::kTensor) {
  const Expected<StoredValue> value = read(bytes, kind);
  return value ? "" : code_id(value.reason().code) + " " + value.reason().message;
}

// SequenceProto and OptionalProto (onnx-data.proto): name = 1, elem_type = 2, tensors = 3,
// sparse tensors = 4, sequences = 5, maps = 6, optionals = 7.
std::string field(uint32_t number, const std::string& content) {
  std::string bytes;
  append_tag(bytes, number, WireType::kLength);
  append_varint(bytes, content.size());
  return bytes + content;
}
std::string tensor_field(const onnx::TensorProto& tensor) {
  return field(3, tensor.SerializeAsString());
}

onnx::TensorProto ints(const std::vector<int64_t>& dims, const std::vector<int64_t>& numbers) {
  onnx::TensorProto tensor;
  tensor.set_data_type(onnx::TensorProto::INT64);
  for (const int64_t dim : dims) tensor.add_dims(dim);
  for (const int64_t number : numbers) tensor.add_int64_data(number);
  return tensor;
}

TEST_CASE("A tensor is read, in each form of its data") {
  onnx::TensorProto tensor = ints({2}, {3, -1});
  tensor.set_name("s");
  const Expected<StoredValue> typed = read(tensor.SerializeAsString());
  REQUIRE(typed);
  CHECK(typed->name == "s");
  CHECK(typed->elem == ElemType::kInt64);
  CHECK(typed->dims == std::vector<int64_t>{2});
  CHECK(typed->integers == std::vector<int64_t>{3, -1});

  tensor.clear_int64_data();
  tensor.set_raw_data(std::string("\x03\0\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff", 16));
  CHECK(read(tensor.SerializeAsString())->integers == std::vector<int64_t>{3, -1});

  onnx::TensorProto text;
  text.set_data_type(onnx::TensorProto::STRING);
  text.add_dims(2);
  text.add_string_data("a");
  text.add_string_data("");
  CHECK(read(text.SerializeAsString())->strings == std::vector<std::string>{"a", ""});

  onnx::TensorProto scalar;
  scalar.set_data_type(onnx::TensorProto::FLOAT);
  scalar.add_float_data(1.5F);
  const Expected<StoredValue> number = read(scalar.SerializeAsString());
  CHECK(number->dims.empty());
  CHECK(number->numbers == std::vector<double>{1.5});
}

TEST_CASE("Contents of many elements are left") {
  const Expected<StoredValue> many = read(ints({17}, std::vector<int64_t>(17)).SerializeAsString());
  REQUIRE(many);
  CHECK(many->dims == std::vector<int64_t>{17});
  CHECK(!many->integers);
}

TEST_CASE("Sequences and optionals hold values") {
  const std::string sequence =
      field(1, "s") + tensor_field(ints({2}, {1, 2})) + tensor_field(ints({0}, {}));
  const Expected<StoredValue> read_sequence = read(sequence, Kind::kSequence);
  REQUIRE(read_sequence);
  CHECK(read_sequence->kind == Kind::kSequence);
  CHECK(read_sequence->name == "s");
  REQUIRE(read_sequence->elements.size() == 2);
  CHECK(read_sequence->elements[0].integers == std::vector<int64_t>{1, 2});
  CHECK(read_sequence->elements[1].dims == std::vector<int64_t>{0});

  CHECK(read(field(1, "o"), Kind::kOptional)->elements.empty());
  const Expected<StoredValue> full = read(field(5, sequence), Kind::kOptional);
  REQUIRE(full->elements.size() == 1);
  CHECK(full->elements[0].elements[0].integers == std::vector<int64_t>{1, 2});
}

TEST_CASE("A sparse tensor has its dense dims") {
  onnx::SparseTensorProto sparse;
  *sparse.mutable_values() = ints({1}, {7});
  *sparse.mutable_indices() = ints({1}, {5});
  sparse.add_dims(2);
  sparse.add_dims(3);
  const Expected<StoredValue> value = read(sparse.SerializeAsString(), Kind::kSparseTensor);
  CHECK(value->elem == ElemType::kInt64);
  CHECK(value->dims == std::vector<int64_t>{2, 3});
}

TEST_CASE("What is no value of the type is refused") {
  CHECK_THAT(complaint(""), ContainsSubstring("SHP706") && ContainsSubstring("no element type"));
  CHECK_THAT(complaint("no tensor"), ContainsSubstring("SHP706"));
  CHECK_THAT(complaint(ints({-2}, {}).SerializeAsString()), ContainsSubstring("dims of 0 or more"));
  CHECK_THAT(complaint(ints({3}, {1, 2}).SerializeAsString()),
             ContainsSubstring("needs 3 entries of int64_data, but has 2"));
  CHECK_THAT(complaint(ints({int64_t{1} << 62, 8}, {}).SerializeAsString()),
             ContainsSubstring("does not fit 64 bits"));
  CHECK_THAT(complaint(ints({100}, {}).SerializeAsString()), ContainsSubstring("no data"));
  onnx::TensorProto raw = ints({100}, {});
  raw.set_raw_data("too short");
  CHECK_THAT(complaint(raw.SerializeAsString()), ContainsSubstring("has 9 bytes of data"));
  raw.set_data_location(onnx::TensorProto::EXTERNAL);
  CHECK_THAT(complaint(raw.SerializeAsString()), ContainsSubstring("in another file"));
  CHECK_THAT(complaint(field(6, ""), Kind::kSequence), ContainsSubstring("a map"));
  const std::string one = tensor_field(ints({0}, {}));
  CHECK_THAT(complaint(one + one, Kind::kOptional), ContainsSubstring("more than one value"));
  CHECK_THAT(complaint("", Kind::kMap), ContainsSubstring("a map"));
}

TEST_CASE("A value that is cut off or changed is read or refused, never more") {
  const std::string whole = tensor_field(ints({2}, {1, 2}));
  for (size_t at = 0; at < whole.size(); ++at) {
    INFO(at);
    // Empty is an empty sequence.
    CHECK((at == 0) == complaint(whole.substr(0, at), Kind::kSequence).empty());
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 0xFF);
    const Expected<StoredValue> value = read(changed, Kind::kSequence);
    CHECK((!value || value->elements.size() <= 1));
  }
  // A sequence in a sequence, and so on.
  std::string deep;
  for (int i = 0; i < 40; ++i) deep = field(5, deep);
  CHECK_THAT(complaint(deep, Kind::kSequence), ContainsSubstring("nested too deeply"));
}

TEST_CASE("Whole contents come as raw_data has them, whatever the form") {
  const auto whole = [](const onnx::TensorProto& tensor) {
    const std::string bytes = tensor.SerializeAsString();
    const Expected<StoredValue> value = read_value(
        MappedFile::borrow({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}, "x.pb"),
        Kind::kTensor, {.whole = true});
    REQUIRE(value);
    return std::string(value->bytes.begin(), value->bytes.end());
  };
  const auto tensor_of = [](int32_t type, int64_t count) {
    onnx::TensorProto tensor;
    tensor.set_data_type(type);
    tensor.add_dims(count);
    return tensor;
  };
  onnx::TensorProto shorts = tensor_of(onnx::TensorProto::INT16, 2);
  shorts.add_int32_data(-2);
  shorts.add_int32_data(258);
  CHECK(whole(shorts) == std::string("\xfe\xff\x02\x01", 4));
  onnx::TensorProto halves = tensor_of(onnx::TensorProto::FLOAT16, 1);
  halves.add_int32_data(0x3c00);
  CHECK(whole(halves) == std::string("\0\x3c", 2));
  onnx::TensorProto flags = tensor_of(onnx::TensorProto::BOOL, 2);
  flags.add_int32_data(1);
  flags.add_int32_data(0);
  CHECK(whole(flags) == std::string("\1\0", 2));
  onnx::TensorProto pairs = tensor_of(onnx::TensorProto::COMPLEX64, 1);
  pairs.add_float_data(1);
  pairs.add_float_data(0);
  CHECK(whole(pairs) == std::string("\0\0\x80\x3f\0\0\0\0", 8));
  onnx::TensorProto nibbles = tensor_of(onnx::TensorProto::INT4, 3);
  nibbles.add_int32_data(0x21);
  nibbles.add_int32_data(0x03);
  CHECK(whole(nibbles) == std::string("\x21\x03", 2));
  // Above the size from which the loader leaves payloads in the file.
  onnx::TensorProto many = tensor_of(onnx::TensorProto::INT32, 5000);
  for (int i = 0; i < 5000; ++i) many.add_int32_data(-i);
  const std::string bytes = whole(many);
  REQUIRE(bytes.size() == 20'000);
  CHECK(bytes.substr(19'996) == std::string("\x79\xec\xff\xff", 4));  // -4999
}

TEST_CASE("Contents are set from the bytes of an engine") {
  const auto set = [](ElemType elem, const std::string& bytes) {
    StoredValue value;
    value.elem = elem;
    set_contents(value, {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
    return value;
  };
  CHECK(set(ElemType::kInt16, "\xfe\xff\x02\x01").integers == std::vector<int64_t>{-2, 258});
  CHECK(set(ElemType::kBool, std::string("\1\0", 2)).integers == std::vector<int64_t>{1, 0});
  CHECK(set(ElemType::kFloat16, std::string("\0\x3c", 2)).numbers == std::vector<double>{1});
  CHECK(set(ElemType::kUint64, std::string(8, '\xff')).integers == std::nullopt);
  CHECK(!set(ElemType::kComplex64, std::string(8, '\0')).numbers);
  CHECK(set(ElemType::kInt64, "").integers->empty());
}

}  // namespace
}  // namespace onnx_shapes
