// Tensors: whether their data fits their dims, and reading their elements. The expected elements
// follow from the layout that onnx.proto states for each type.
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "tests/model/faults.h"

namespace onnx_shapes::test {
namespace {

using Proto = onnx::TensorProto;

/// A model with one initializer.
LoadedModel with_tensor(const std::function<void(Proto&)>& set) {
  return load_text(with_header("g () => (float y) <float w = {0}> { y = Cast <to = 1> (w) }"),
                   [&](onnx::ModelProto& model) {
                     Proto& tensor = *model.mutable_graph()->mutable_initializer(0);
                     tensor.Clear();
                     tensor.set_name("w");
                     set(tensor);
                   });
}

Proto tensor_of(Proto::DataType type, const std::vector<int64_t>& dims) {
  Proto tensor;
  tensor.set_name("w");
  tensor.set_data_type(type);
  for (const int64_t dim : dims) tensor.add_dims(dim);
  return tensor;
}

Proto raw_tensor(Proto::DataType type, const std::vector<int64_t>& dims, std::string bytes) {
  Proto tensor = tensor_of(type, dims);
  tensor.set_raw_data(std::move(bytes));
  return tensor;
}

Proto int32_tensor(Proto::DataType type, const std::vector<int64_t>& dims,
                   const std::vector<int32_t>& data) {
  Proto tensor = tensor_of(type, dims);
  for (const int32_t value : data) tensor.add_int32_data(value);
  return tensor;
}

using Ints = std::optional<std::vector<int64_t>>;
using List = std::vector<int64_t>;
using FloatList = std::vector<double>;

Ints ints_of(const Proto& proto, size_t max_count = 64) {
  const LoadedModel model = with_tensor([&](Proto& tensor) { tensor = proto; });
  CHECK(model.findings.empty());
  Findings findings;
  const Ints ints = model.model->int_elements(0, max_count, findings);
  CHECK(findings.empty());
  return ints;
}

std::optional<std::vector<double>> floats_of(const Proto& proto) {
  const LoadedModel model = with_tensor([&](Proto& tensor) { tensor = proto; });
  CHECK(model.findings.empty());
  Findings findings;
  return model.model->float_elements(0, 64, findings);
}

template <class T>
std::string bytes_of(const std::vector<T>& values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

TEST_CASE("integers in raw_data") {
  CHECK(ints_of(raw_tensor(Proto::INT64, {2}, bytes_of<int64_t>({-1, INT64_MAX}))) ==
        List{-1, INT64_MAX});
  CHECK(ints_of(raw_tensor(Proto::INT32, {2}, bytes_of<int32_t>({INT32_MIN, 7}))) ==
        List{INT32_MIN, 7});
  CHECK(ints_of(raw_tensor(Proto::INT16, {1, 2}, bytes_of<int16_t>({-300, 300}))) ==
        List{-300, 300});
  CHECK(ints_of(raw_tensor(Proto::INT8, {2}, bytes_of<int8_t>({-128, 127}))) == List{-128, 127});
  CHECK(ints_of(raw_tensor(Proto::UINT8, {2}, "\x01\xff")) == List{1, 255});
  CHECK(ints_of(raw_tensor(Proto::UINT16, {1}, bytes_of<uint16_t>({65535}))) == List{65535});
  CHECK(ints_of(raw_tensor(Proto::UINT32, {1}, bytes_of<uint32_t>({UINT32_MAX}))) ==
        List{UINT32_MAX});
  CHECK(ints_of(raw_tensor(Proto::UINT64, {1}, bytes_of<uint64_t>({5}))) == List{5});
  CHECK(ints_of(raw_tensor(Proto::UINT64, {1}, bytes_of<uint64_t>({UINT64_MAX}))) == std::nullopt);
  CHECK(ints_of(raw_tensor(Proto::BOOL, {3}, std::string("\x00\x01\x02", 3))) == List{0, 1, 1});
  // The first of two lies in the lower half of the byte; 0xe is -2 in four bits.
  CHECK(ints_of(raw_tensor(Proto::INT4, {3}, "\xe1\x03")) == List{1, -2, 3});
  CHECK(ints_of(raw_tensor(Proto::UINT4, {3}, "\xe1\x03")) == List{1, 14, 3});
  // 0b11'10'01'00, lowest first: 0 1 2 3, of which 2 and 3 are -2 and -1 in two bits.
  CHECK(ints_of(raw_tensor(Proto::UINT2, {5}, "\xe4\x02")) == List{0, 1, 2, 3, 2});
  CHECK(ints_of(raw_tensor(Proto::INT2, {4}, "\xe4")) == List{0, 1, -2, -1});
}

TEST_CASE("integers in typed fields") {
  Proto int64 = tensor_of(Proto::INT64, {2});
  int64.add_int64_data(INT64_MIN);
  int64.add_int64_data(3);
  CHECK(ints_of(int64) == List{INT64_MIN, 3});
  Proto uint32 = tensor_of(Proto::UINT32, {1});
  uint32.add_uint64_data(UINT32_MAX);
  CHECK(ints_of(uint32) == List{UINT32_MAX});
  CHECK(ints_of(int32_tensor(Proto::INT32, {2}, {-5, 6})) == List{-5, 6});
  CHECK(ints_of(int32_tensor(Proto::UINT8, {2}, {0, 255})) == List{0, 255});
  CHECK(ints_of(int32_tensor(Proto::INT8, {1}, {-1})) == List{-1});
  CHECK(ints_of(int32_tensor(Proto::BOOL, {2}, {0, 1})) == List{0, 1});
  // onnx.helper.make_tensor packs [1, -2, 3] as 225 and 3; ONNX Runtime reads them back.
  CHECK(ints_of(int32_tensor(Proto::INT4, {3}, {225, 3})) == List{1, -2, 3});
}

TEST_CASE("which integers are read") {
  const Proto proto = int32_tensor(Proto::INT32, {2, 2}, {1, 2, 3, 4});
  CHECK(ints_of(proto, 4) == List{1, 2, 3, 4});
  CHECK(ints_of(proto, 3) == std::nullopt);
  CHECK(ints_of(int32_tensor(Proto::INT32, {}, {9})) == List{9});
  CHECK(ints_of(tensor_of(Proto::INT64, {0})) == List{});
  CHECK(ints_of(tensor_of(Proto::INT64, {INT64_MAX, INT64_MAX, 0})) == List{});
  CHECK(ints_of(raw_tensor(Proto::FLOAT, {1}, "1234")) == std::nullopt);
}

TEST_CASE("floats") {
  Proto typed = tensor_of(Proto::FLOAT, {2});
  typed.add_float_data(0.5F);
  typed.add_float_data(-3.0F);
  CHECK(floats_of(typed) == FloatList{0.5, -3.0});
  CHECK(floats_of(raw_tensor(Proto::FLOAT, {1}, bytes_of<float>({1.25F}))) == FloatList{1.25});
  CHECK(floats_of(raw_tensor(Proto::DOUBLE, {1}, bytes_of<double>({0.1}))) == FloatList{0.1});
  // IEEE 754 binary16: 1, -2, the largest, the smallest subnormal, infinity.
  const std::vector<uint16_t> halves = {0x3c00, 0xc000, 0x7bff, 0x0001, 0x7c00};
  const FloatList expected{1.0, -2.0, 65504.0, 0x1p-24, std::numeric_limits<double>::infinity()};
  CHECK(floats_of(raw_tensor(Proto::FLOAT16, {5}, bytes_of(halves))) == expected);
  CHECK(floats_of(int32_tensor(Proto::FLOAT16, {5},
                               std::vector<int32_t>(halves.begin(), halves.end()))) == expected);
  CHECK(std::isnan(floats_of(int32_tensor(Proto::FLOAT16, {}, {0x7e00}))->at(0)));
  CHECK(floats_of(int32_tensor(Proto::BFLOAT16, {2}, {0x3f80, 0xc040})) == FloatList{1.0, -3.0});
  CHECK(floats_of(int32_tensor(Proto::INT32, {}, {1})) == std::nullopt);
  CHECK(floats_of(int32_tensor(Proto::FLOAT8E5M2, {}, {1})) == std::nullopt);
}

TEST_CASE("strings") {
  const LoadedModel model = with_tensor([](Proto& tensor) {
    tensor = tensor_of(Proto::STRING, {2});
    tensor.add_string_data("a");
    tensor.add_string_data("");
  });
  Findings findings;
  CHECK(model.model->string_elements(0, 2, findings) == std::vector<std::string>{"a", ""});
  CHECK(model.model->string_elements(0, 1, findings) == std::nullopt);
  CHECK(model.model->int_elements(0, 2, findings) == std::nullopt);
}

// Payloads from this size on are left out of what protobuf parses.
constexpr size_t kLarge = 5000;

TEST_CASE("large payloads are read from the file") {
  std::vector<int64_t> numbers(kLarge);
  for (size_t i = 0; i < kLarge; ++i) {
    numbers[i] = (i % 2 == 0 ? 1 : -1) * static_cast<int64_t>(i * i * i);
  }
  const auto dim = static_cast<int64_t>(kLarge);
  CHECK(ints_of(raw_tensor(Proto::INT64, {dim}, bytes_of(numbers)), kLarge) == numbers);
  Proto packed = tensor_of(Proto::INT64, {dim});
  packed.mutable_int64_data()->Add(numbers.begin(), numbers.end());
  CHECK(ints_of(packed, kLarge) == numbers);

  std::vector<int64_t> bytes(kLarge);
  for (size_t i = 0; i < kLarge; ++i) bytes[i] = static_cast<int64_t>(i % 256);
  CHECK(ints_of(int32_tensor(Proto::UINT8, {dim}, {bytes.begin(), bytes.end()}), kLarge) == bytes);

  Proto floats = tensor_of(Proto::FLOAT, {dim});
  for (size_t i = 0; i < kLarge; ++i) floats.add_float_data(static_cast<float>(i));
  const LoadedModel model = with_tensor([&](Proto& tensor) { tensor = floats; });
  Findings findings;
  const auto read = model.model->float_elements(0, kLarge, findings);
  REQUIRE(read.has_value());
  CHECK(read->back() == static_cast<double>(kLarge - 1));
}

TEST_CASE("a tensor whose data does not match its dims") {
  struct Row {
    std::string name;
    Proto tensor;
    std::string expectation;
  };
  Proto few = tensor_of(Proto::INT64, {3});
  few.add_int64_data(1);
  Proto strings = raw_tensor(Proto::STRING, {1}, "a");
  Proto large = tensor_of(Proto::INT64, {3});
  for (size_t i = 0; i < kLarge; ++i) large.add_int64_data(1);
  const std::vector<Row> rows = {
      {"too few entries", few, "SHP011 initializer w 3 1"},
      {"no data", tensor_of(Proto::FLOAT, {2}), "SHP011 w 2 0"},
      {"raw too short", raw_tensor(Proto::FLOAT, {3}, "12345678901"), "SHP011 w 12 11"},
      {"raw too long", raw_tensor(Proto::FLOAT, {2}, "123456789"), "SHP011 w 8 9"},
      {"data in an empty tensor", raw_tensor(Proto::FLOAT, {0}, "1"), "SHP011 w 0 1"},
      {"nibbles", raw_tensor(Proto::INT4, {3}, "1"), "SHP011 w 2 1"},
      {"another type's field", int32_tensor(Proto::INT64, {1}, {1}), "SHP011 w int64_data"},
      {"strings in raw_data", strings, "SHP011 w strings"},
      {"dim below 0", raw_tensor(Proto::FLOAT, {2, -1}, ""), "SHP011 w[axis 1] -1"},
      {"product past 64 bits", tensor_of(Proto::FLOAT, {INT64_MAX, 3}), "SHP011 w 64"},
      {"bytes past 64 bits", tensor_of(Proto::FLOAT, {INT64_MAX}), "SHP011 w"},
      {"no such type", raw_tensor(static_cast<Proto::DataType>(0), {1}, "1234"), "SHP013 w 0"},
      {"large, packed", large, "SHP011 w int64_data"},
      {"large, raw", raw_tensor(Proto::FLOAT, {3}, std::string(kLarge, 'a')), "SHP011 w 12 5000"},
      {"rank", raw_tensor(Proto::FLOAT, std::vector<int64_t>(257, 1), "1234"), "SHP605 w 257"},
  };
  for (const Row& row : rows) {
    INFO(row.name);
    const LoadedModel model = with_tensor([&](Proto& tensor) { tensor = row.tensor; });
    REQUIRE(model.model.has_value());
    CHECK(check_faults(model.findings, {row.expectation}) == "");
    if (model.model->scope(0).initializers.empty()) continue;
    Findings findings;
    CHECK(model.model->int_elements(0, SIZE_MAX, findings) == std::nullopt);
    CHECK(model.model->float_elements(0, SIZE_MAX, findings) == std::nullopt);
    CHECK(model.model->string_elements(0, SIZE_MAX, findings) == std::nullopt);
  }
}

TEST_CASE("a tensor with impossible dims is no fact") {
  const LoadedModel model =
      with_tensor([](Proto& tensor) { tensor = raw_tensor(Proto::FLOAT, {-1}, "1234"); });
  CHECK(model.model->value(model.value("w")).initializer == kNoId);
  CHECK(model.model->scope(0).initializers.empty());
  // It is still defined: using it is not a second fault.
  CHECK(model.findings.all().size() == 1);
}

TEST_CASE("packed entries that end early are a finding when they are read") {
  // As many bytes as five thousand entries can have, but with fewer entries.
  const LoadedModel model = with_tensor([](Proto& tensor) {
    tensor = tensor_of(Proto::INT64, {static_cast<int64_t>(kLarge)});
    for (size_t i = 0; i < kLarge - 100; ++i) tensor.add_int64_data(INT64_C(1) << 40);
  });
  CHECK(model.findings.empty());
  Findings findings;
  CHECK(model.model->int_elements(0, kLarge, findings) == std::nullopt);
  CHECK(check_faults(findings, {"SHP011 w 5000"}) == "");
}

/// A model with one sparse initializer, of int64.
LoadedModel with_sparse(const std::vector<int64_t>& dims, const std::vector<int64_t>& values,
                        const std::vector<int64_t>& index_dims,
                        const std::vector<int64_t>& indices) {
  return load_text(
      with_header("g () => (int64 y) { y = Identity (s) }"), [&](onnx::ModelProto& model) {
        auto& sparse = *model.mutable_graph()->add_sparse_initializer();
        for (const int64_t dim : dims) sparse.add_dims(dim);
        *sparse.mutable_values() =
            raw_tensor(Proto::INT64, {static_cast<int64_t>(values.size())}, bytes_of(values));
        sparse.mutable_values()->set_name("s");
        *sparse.mutable_indices() = raw_tensor(Proto::INT64, index_dims, bytes_of(indices));
      });
}

TEST_CASE("a sparse initializer is the dense tensor it stands for") {
  Findings findings;
  const LoadedModel linear = with_sparse({2, 3}, {7, 8}, {2}, {1, 5});
  CHECK(linear.findings.empty());
  const TensorId id = linear.model->value(linear.value("s")).initializer;
  CHECK(linear.model->tensor(id).dims == std::vector<int64_t>{2, 3});
  CHECK(linear.model->tensor(id).elem == ElemType::kInt64);
  CHECK(linear.model->int_elements(id, 64, findings) == std::vector<int64_t>{0, 7, 0, 0, 0, 8});
  const LoadedModel tuples = with_sparse({2, 3}, {7, 8}, {2, 2}, {0, 1, 1, 2});
  CHECK(tuples.model->int_elements(id, 64, findings) == std::vector<int64_t>{0, 7, 0, 0, 0, 8});
  const LoadedModel empty = with_sparse({2}, {}, {0}, {});
  CHECK(empty.model->int_elements(id, 64, findings) == std::vector<int64_t>{0, 0});
  CHECK(findings.empty());
}

TEST_CASE("sparse initializers that are at fault") {
  CHECK(check_faults(with_sparse({4}, {7, 8}, {3}, {0, 1, 2}).findings, {"SHP011 s indices"}) ==
        "");
  CHECK(check_faults(with_sparse({4}, {7, 8}, {2, 2}, {0, 1, 2, 3}).findings,
                     {"SHP011 s indices"}) == "");
  CHECK(check_faults(with_sparse({-4}, {7}, {1}, {0}).findings, {"SHP011 s[axis 0] -4"}) == "");
  for (const int64_t index : {INT64_C(4), INT64_C(-1), INT64_MAX}) {
    const LoadedModel outside = with_sparse({4}, {7}, {1}, {index});
    CHECK(outside.findings.empty());
    Findings findings;
    CHECK(outside.model->int_elements(0, 64, findings) == std::nullopt);
    CHECK(check_faults(findings, {"SHP011 s outside"}) == "");
  }
}

TEST_CASE("a sparse attribute has its values, indices and dims") {
  LoadedModel model =
      load_text(with_header("g () => (float y) { y = Constant () }"), [](onnx::ModelProto& proto) {
        onnx::AttributeProto& attribute = *proto.mutable_graph()->mutable_node(0)->add_attribute();
        attribute.set_name("sparse_value");
        attribute.set_type(onnx::AttributeProto::SPARSE_TENSOR);
        auto& sparse = *attribute.mutable_sparse_tensor();
        sparse.add_dims(4);
        *sparse.mutable_values() = raw_tensor(Proto::INT64, {1}, bytes_of<int64_t>({7}));
        *sparse.mutable_indices() = raw_tensor(Proto::INT64, {1}, bytes_of<int64_t>({2}));
      });
  REQUIRE(model.findings.empty());
  const Attribute& sparse = *model->node(0).attribute("sparse_value");
  CHECK(sparse.kind == AttributeKind::kSparseTensor);
  CHECK(sparse.sparse_dims == std::vector<int64_t>{4});
  Findings findings;
  CHECK(model->int_elements(sparse.tensor, 8, findings) == std::vector<int64_t>{7});
  CHECK(model->int_elements(sparse.indices, 8, findings) == std::vector<int64_t>{2});
}

TEST_CASE("a fault of an attribute's tensor names the node") {
  run_fault_cases({{"constant",
                    "g () => (float[3] y) { y = Constant <value = float[3] {1, 2}> () }",
                    {"SHP011 Constant_0:attribute value 3 2"}}});
}

}  // namespace
}  // namespace onnx_shapes::test
