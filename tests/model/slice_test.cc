#include "model/slice.h"

#include <fmt/format.h>

#include "tests/support/text_model.h"
#include "tests/wire/folder.h"

namespace onnx_shapes {
namespace {

using namespace test;
using Catch::Matchers::ContainsSubstring;

/// All inputs of the main graph are given, and nothing is known.
SliceOptions all_given(LoadedModel& model) {
  return {.given = [&model](ValueId id) { return model->value(id).scope_input; }, .known = {}};
}

struct Cut {
  onnx::ModelProto proto;
  ModelSlice slice;
};

Cut cut(LoadedModel& model, const std::vector<ValueId>& values, const SliceOptions& options) {
  Result<ModelSlice, std::string> slice = cut_slice(*model, values, options);
  INFO((slice ? "" : slice.reason()));
  REQUIRE(slice);
  Cut result;
  REQUIRE(result.proto.ParseFromString(slice->bytes));
  result.slice = std::move(*slice);
  return result;
}

/// "x, y -> Add Mul -> z; w": inputs, operators, outputs; initializers.
std::string text_of(const onnx::ModelProto& model) {
  const auto names = [](const auto& list, const auto& name) {
    std::vector<std::string> texts;
    for (const auto& one : list) texts.push_back(name(one));
    return fmt::format("{}", fmt::join(texts, ", "));
  };
  const auto name = [](const auto& one) { return one.name(); };
  const onnx::GraphProto& graph = model.graph();
  std::string text =
      fmt::format("{} -> {} -> {}", names(graph.input(), name),
                  names(graph.node(), [](const onnx::NodeProto& node) { return node.op_type(); }),
                  names(graph.output(), name));
  if (graph.initializer_size() > 0) text += "; " + names(graph.initializer(), name);
  return text;
}

std::string sliced(const std::string& graph, const std::string& value,
                   const std::string& path = "graph") {
  LoadedModel model = load_text(with_header(graph));
  return text_of(cut(model, {model.value(value, path)}, all_given(model)).proto);
}

}  // namespace

TEST_CASE("A slice has what a value is computed from, and nothing else") {
  const std::string graph =
      "g (float[N] x, float[N] y) => (float[N] a, float[K] b)\n"
      "<float[3] w = {1, 2, 3}, float[1] unused = {0}> {\n"
      "  h = Abs(x)\n  a = Add(h, y)\n  i = Mul(h, w)\n  j = Exp(y)\n  b = Neg(i)\n}";
  CHECK(sliced(graph, "b") == "x -> Abs, Mul, Neg -> b; w");
  CHECK(sliced(graph, "h") == "x -> Abs -> h");
  CHECK(sliced(graph, "a") == "x, y -> Abs, Add -> a");
}

TEST_CASE("A slice has the imports of the model, in the form that all engines read") {
  LoadedModel model = load_text(
      "<ir_version: 13, opset_import: [\"\" : 17, \"com.microsoft\" : 1]>\n"
      "g (float[N] x) => (float[N] y) { y = Abs(x) }");
  const onnx::ModelProto proto = cut(model, {model.value("y")}, all_given(model)).proto;
  CHECK(proto.ir_version() == 10);
  REQUIRE(proto.opset_import_size() == 2);
  CHECK(proto.opset_import(0).version() == 17);
  CHECK(proto.opset_import(1).domain() == "com.microsoft");
  // The type is needed; the shape may be wrong.
  CHECK(proto.graph().input(0).type().tensor_type().elem_type() == onnx::TensorProto::FLOAT);
  CHECK(!proto.graph().input(0).type().tensor_type().has_shape());
}

TEST_CASE("What bodies read of the graph around them comes along") {
  const std::string graph = R"(g (bool c, float[N] x, float[N] y, int64 m) => (float[K] z)
  { h = Abs(x)
    unused = Exp(x)
    z = If(c) <then_branch = t () => (float[A] p) { q = Neg(h) p = Add(q, y) },
               else_branch = e () => (float[B] r)
               { r = Loop(m, c, y) <body = b (int64 i, bool g, float[C] s) => (bool go, float[C] u)
                 { go = Identity(g)
                   u = Mul(s, h)
                 }>
               }>
  })";
  CHECK(sliced(graph, "z") == "c, x, y, m -> Abs, If -> z");
}

TEST_CASE("A branch that runs becomes part of the slice") {
  const std::string graph = R"(g (bool c, float[N] x) => (float[K] z)
  { h = Abs(x)
    z = If(c) <then_branch = t () => (float[A] p) { q = Neg(h) p = Exp(q) },
               else_branch = e () => (float[B] r) { r = Identity(x) }>
  })";
  CHECK(sliced(graph, "q", "graph/If_1.then_branch") == "x -> Abs, Neg -> q");
}

TEST_CASE("The functions that a slice calls come along, also those that they call") {
  LoadedModel model = load_text(R"(<ir_version: 10, opset_import: ["" : 21, "f" : 1]>
    g (float[N] x) => (float[N] y, float[N] z) { y = f.outer(x) z = f.other(x) }
    <domain: "f", opset_import: ["" : 21, "f" : 1]> outer (a) => (b) { b = f.inner(a) }
    <domain: "f", opset_import: ["" : 21]> inner (a) => (b) { b = Abs(a) }
    <domain: "f", opset_import: ["" : 21]> other (a) => (b) { b = Exp(a) })");
  const onnx::ModelProto proto = cut(model, {model.value("y")}, all_given(model)).proto;
  CHECK(text_of(proto) == "x -> outer -> y");
  REQUIRE(proto.functions_size() == 2);
  CHECK(proto.functions(0).name() == "outer");
  CHECK(proto.functions(1).name() == "inner");
}

TEST_CASE("What is known already is not computed") {
  LoadedModel model = load_text(
      with_header("g (float[N, 4] x, int64[1] k) => (float[A, B] y) {\n"
                  "  deep = Exp(x)\n  s = Shape(deep)\n  t = Add(s, k)\n  y = Reshape(x, t)\n}"));
  SliceOptions options = all_given(model);
  const ValueId shape = model.value("s");
  options.known = [&](ValueId id) -> std::optional<KnownContents> {
    if (id != shape) return std::nullopt;
    return KnownContents{.elem = ElemType::kInt64, .dims = {2}, .integers = {7, 4}};
  };
  const onnx::ModelProto proto = cut(model, {model.value("t")}, options).proto;
  CHECK(text_of(proto) == "k -> Add -> t; s");
  CHECK(proto.graph().initializer(0).int64_data(0) == 7);
  CHECK(proto.graph().initializer(0).dims(0) == 2);
}

TEST_CASE("Initializers that the caller replaces are inputs of the slice, others are not") {
  const std::string text = with_header(
      "g (float[N] x, float[2] w) => (float[N] y) <float[2] w = {1, 2}> { y = Add(x, w) }");
  LoadedModel model = load_text(text);
  const ValueId x = model.value("x");
  CHECK(text_of(cut(model, {model.value("y")}, all_given(model)).proto) == "x, w -> Add -> y");
  const SliceOptions only_x = {.given = [&](ValueId id) { return id == x; }, .known = {}};
  CHECK(text_of(cut(model, {model.value("y")}, only_x).proto) == "x -> Add -> y; w");
  const SliceOptions nothing = {.given = [](ValueId) { return false; }, .known = {}};
  const auto slice = cut_slice(*model, std::vector{model.value("y")}, nothing);
  REQUIRE(!slice);
  CHECK_THAT(slice.reason(), ContainsSubstring("'x'"));
}

TEST_CASE("Large weights are not copied into the slice") {
  const std::string raw(80'000, 'w');
  LoadedModel model = load_text(with_header("g (float[N] x) => (float[N] y) { y = Add(x, w) }"),
                                [&](onnx::ModelProto& proto) {
                                  onnx::TensorProto& tensor =
                                      *proto.mutable_graph()->add_initializer();
                                  tensor.set_name("w");
                                  tensor.set_data_type(onnx::TensorProto::FLOAT);
                                  tensor.add_dims(20'000);
                                  tensor.set_raw_data(raw);
                                });
  const Cut result = cut(model, {model.value("y")}, all_given(model));
  CHECK(result.slice.bytes.size() < 1000);
  REQUIRE(result.slice.weights.size() == 1);
  const ModelSlice::Weights& weights = result.slice.weights[0];
  CHECK(std::string(weights.bytes.begin(), weights.bytes.end()) == raw);
  // They are those of the model's bytes.
  const auto* const begin = reinterpret_cast<const char*>(weights.bytes.data());
  CHECK(begin >= model.bytes.data());
  CHECK(begin + raw.size() <= model.bytes.data() + model.bytes.size());
  CHECK(weights.name == "w");
  CHECK(weights.dims == std::vector<int64_t>{20'000});
  CHECK(weights.elem == ElemType::kFloat);
  CHECK(text_of(result.proto) == "x, w -> Add -> y");
  const onnx::TypeProto::Tensor& type = result.proto.graph().input(1).type().tensor_type();
  CHECK(type.elem_type() == onnx::TensorProto::FLOAT);
  CHECK(type.shape().dim(0).dim_value() == 20'000);
}

TEST_CASE(
    "Data that the loader leaves in the file is in the slice where it cannot be referred to") {
  const auto fill = [](onnx::TensorProto& tensor, int form) {
    tensor.set_data_type(onnx::TensorProto::INT64);
    tensor.add_dims(3000);
    std::string raw;
    for (int64_t i = 0; i < 3000; ++i) {
      if (form == 0) tensor.add_int64_data(i * 7);
      const int64_t number = i * 7;
      raw.append(reinterpret_cast<const char*>(&number), sizeof number);
    }
    if (form == 1) tensor.set_raw_data(raw);
    return raw;
  };
  for (const int form : {0, 1}) {
    INFO(form);
    std::string expected;
    LoadedModel model = load_text(
        with_header("g (int64[N] x) => (int64[N] y) { c = Constant<value = int64[1] {0}>() "
                    "y = Add(x, c) }"),
        [&](onnx::ModelProto& proto) {
          onnx::TensorProto& tensor =
              *proto.mutable_graph()->mutable_node(0)->mutable_attribute(0)->mutable_t();
          tensor.Clear();
          expected = fill(tensor, form);
        });
    const onnx::ModelProto proto = cut(model, {model.value("y")}, all_given(model)).proto;
    const onnx::TensorProto& tensor = proto.graph().node(0).attribute(0).t();
    CHECK(tensor.raw_data() == expected);
    CHECK(tensor.int64_data_size() == 0);
    CHECK(tensor.dims(0) == 3000);
  }
}

TEST_CASE("External data is read from the model's folder") {
  const Folder folder;
  folder.write("w.bin", std::string(8, '\0') + std::string("\0\0\x80\x3f", 4));  // 1 as a float
  onnx::ModelProto proto =
      parse_model(with_header("g (float[N] x) => (float[N] y) { y = Add(x, w) }"));
  onnx::TensorProto& tensor = *proto.mutable_graph()->add_initializer();
  tensor.set_name("w");
  tensor.set_data_type(onnx::TensorProto::FLOAT);
  tensor.add_dims(1);
  tensor.set_data_location(onnx::TensorProto::EXTERNAL);
  for (const auto& [key, text] :
       {std::pair("location", "w.bin"), {"offset", "8"}, {"length", "4"}}) {
    auto& entry = *tensor.add_external_data();
    entry.set_key(key);
    entry.set_value(text);
  }
  LoadedModel model(proto.SerializeAsString(), {}, folder.path() + "/model.onnx");
  const onnx::ModelProto cut_out = cut(model, {model.value("y")}, all_given(model)).proto;
  CHECK(cut_out.graph().initializer(0).raw_data() == std::string("\0\0\x80\x3f", 4));
  CHECK(cut_out.graph().initializer(0).data_location() == onnx::TensorProto::DEFAULT);
  std::filesystem::remove(folder.path() + "/w.bin");
  LoadedModel gone(proto.SerializeAsString(), {}, folder.path() + "/model.onnx");
  const auto slice = cut_slice(*gone, std::vector{gone.value("y")}, all_given(gone));
  REQUIRE(!slice);
  CHECK_THAT(slice.reason(), ContainsSubstring("w.bin"));
}

TEST_CASE("Sparse initializers come along") {
  LoadedModel model = load_text(
      with_header("g (float[N] x) => (float[N] y) { y = Add(x, w) }"), [](onnx::ModelProto& proto) {
        onnx::SparseTensorProto& sparse = *proto.mutable_graph()->add_sparse_initializer();
        sparse.add_dims(5);
        onnx::TensorProto& values = *sparse.mutable_values();
        values.set_name("w");
        values.set_data_type(onnx::TensorProto::FLOAT);
        values.add_dims(1);
        values.add_float_data(2);
        onnx::TensorProto& indices = *sparse.mutable_indices();
        indices.set_data_type(onnx::TensorProto::INT64);
        indices.add_dims(1);
        indices.add_int64_data(3);
      });
  const onnx::ModelProto proto = cut(model, {model.value("y")}, all_given(model)).proto;
  REQUIRE(proto.graph().sparse_initializer_size() == 1);
  CHECK(proto.graph().sparse_initializer(0).values().name() == "w");
  CHECK(proto.graph().sparse_initializer(0).dims(0) == 5);
  CHECK(proto.graph().sparse_initializer(0).indices().int64_data(0) == 3);
}

TEST_CASE("What is declared of inner values stays behind, since it may be wrong") {
  LoadedModel model =
      load_text(with_header(R"(g (int64 m, bool c, float[N] x) => (float[7, 9] y) <float[5] h> {
        h = Abs(x)
        y, z = Loop(m, c, h) <body = b (int64[1] i, bool[1] g, float[3] s) => (bool[1] go, float[4] u, float[2] v)
          <float[6] w> {
          go = Identity(g)
          w = Neg(s)
          u = Abs(w)
          v = Identity(w)
        }>
      })"));
  const onnx::ModelProto proto = cut(model, {model.value("z")}, all_given(model)).proto;
  CHECK(proto.graph().value_info_size() == 0);
  CHECK(!proto.graph().output(0).has_type());
  const onnx::GraphProto& body = proto.graph().node(1).attribute(0).g();
  CHECK(body.value_info_size() == 0);
  // A Loop gives the iteration number and the condition the rank that is declared here.
  CHECK(body.input(0).type().tensor_type().shape().dim_size() == 1);
  CHECK(body.input(1).type().tensor_type().shape().dim_size() == 1);
  CHECK(!body.input(2).type().tensor_type().has_shape());
  CHECK(body.input(2).type().tensor_type().elem_type() == onnx::TensorProto::FLOAT);
  CHECK(!body.output(1).type().tensor_type().has_shape());
}

TEST_CASE("A slice of a Loop gives the dims of values in each iteration, and its condition") {
  LoadedModel model = load_text(with_header(R"(g (int64 m, bool c, float[N] x) => (float[A] y)
      { h = Abs(x)
        y = Loop(m, c, h) <body = b (int64 i, bool g, float[B] s) => (bool go, float[C] u, float[D] v)
        { w = NonZero(s)
          go = Identity(g)
          u = Abs(s)
          v = Identity(u)
        }>
      })"));
  const Result<ModelSlice, std::string> slice =
      cut_loop_slice(*model, model->scope(model->main_graph()).nodes[1],
                     std::vector{model.value("w", "graph/Loop_1.body")}, all_given(model));
  REQUIRE(slice);
  CHECK(slice->condition == 1);
  CHECK(slice->output_names.size() == 2);
  onnx::ModelProto proto;
  REQUIRE(proto.ParseFromString(slice->bytes));
  CHECK(text_of(proto) ==
        "m, c, x -> Abs, Loop -> " + slice->output_names[0] + ", " + slice->output_names[1]);
  const onnx::NodeProto& loop = proto.graph().node(1);
  // The final state, two outputs that were there, of which the node leaves out one, and the new
  // ones.
  REQUIRE(loop.output_size() == 4);
  CHECK(loop.output(0) == "y");
  CHECK(loop.output(2) == slice->output_names[0]);
  const onnx::GraphProto& body = loop.attribute(0).g();
  REQUIRE(body.output_size() == 5);
  REQUIRE(body.node_size() == 6);
  CHECK(body.node(4).op_type() == "Shape");
  CHECK(body.node(4).input(0) == "w");
  CHECK(body.node(5).input(0) == "go");
}

TEST_CASE("A slice of a Scan scans what is added along axis 0") {
  LoadedModel model = load_text(with_header(R"(g (float[T, N] x) => (float[A, B] y)
      { y = Scan <num_scan_inputs = 1, scan_output_axes = [1], body = b (float[N] s) => (float[N] u)
        { w = NonZero(s)
          u = Abs(s)
        }> (x)
      })"));
  const Result<ModelSlice, std::string> slice =
      cut_loop_slice(*model, model->scope(model->main_graph()).nodes[0],
                     std::vector{model.value("w", "graph/Scan_0.body")}, all_given(model));
  REQUIRE(slice);
  CHECK(!slice->condition);
  onnx::ModelProto proto;
  REQUIRE(proto.ParseFromString(slice->bytes));
  const onnx::NodeProto& scan = proto.graph().node(0);
  REQUIRE(scan.output_size() == 2);
  for (const onnx::AttributeProto& attribute : scan.attribute()) {
    if (attribute.name() != "scan_output_axes") continue;
    REQUIRE(attribute.ints_size() == 2);
    CHECK(attribute.ints(0) == 1);
    CHECK(attribute.ints(1) == 0);
  }
}

TEST_CASE("There is no slice of a recursive function or of a cycle") {
  LoadedModel recursive = load_text(R"(<ir_version: 10, opset_import: ["" : 21, "f" : 1]>
    g (float[N] x) => (float[N] y) { y = f.f(x) }
    <domain: "f", opset_import: ["" : 21, "f" : 1]> f (a) => (b) { b = f.f(a) })");
  const auto first = cut_slice(*recursive, std::vector{recursive.value("y")}, all_given(recursive));
  REQUIRE(!first);
  CHECK_THAT(first.reason(), ContainsSubstring("calls itself"));
  LoadedModel cycle = load_text(
      with_header("g (float[N] x) => (float[N] y) { a = Add(x, b) b = Abs(a) y = Neg(b) }"));
  const auto second = cut_slice(*cycle, std::vector{cycle.value("y")}, all_given(cycle));
  REQUIRE(!second);
  CHECK_THAT(second.reason(), ContainsSubstring("cycle"));
}

}  // namespace onnx_shapes
