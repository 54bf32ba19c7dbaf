// Models that are large or malicious: limits hold, and nothing takes more than linear time.
#include "tests/model/faults.h"

namespace onnx_shapes::test {
namespace {

/// A model with one input `x`, filled by the caller.
LoadedModel build(const std::function<void(onnx::GraphProto&)>& fill,
                  const LoadOptions& options = {}) {
  return load_text(
      with_header("g (float[N] x) => (float[N] x) { }"),
      [&](onnx::ModelProto& model) { fill(*model.mutable_graph()); }, options);
}

onnx::NodeProto& add_node(onnx::GraphProto& graph, const std::string& op,
                          const std::vector<std::string>& inputs,
                          const std::vector<std::string>& outputs) {
  onnx::NodeProto& node = *graph.add_node();
  node.set_op_type(op);
  for (const std::string& input : inputs) node.add_input(input);
  for (const std::string& output : outputs) node.add_output(output);
  return node;
}

onnx::GraphProto& add_graph(onnx::NodeProto& node, const std::string& name) {
  onnx::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::GRAPH);
  return *attribute.mutable_g();
}

std::string number(int i) { return "v" + std::to_string(i); }

constexpr int kMany = 20'000;

TEST_CASE("a long chain in reverse order") {
  LoadedModel model = build([](onnx::GraphProto& graph) {
    for (int i = kMany; i > 0; --i) add_node(graph, "Abs", {number(i - 1)}, {number(i)});
    add_node(graph, "Abs", {"x"}, {number(0)});
  });
  CHECK(check_faults(model.findings, {"SHP007 Abs_0 Abs_1"}) == "");
  const std::vector<NodeId>& nodes = model->scope(0).nodes;
  REQUIRE(nodes.size() == kMany + 1);
  bool reversed = true;
  for (uint32_t i = 0; i <= kMany; ++i)
    reversed = reversed && model->node(nodes[i]).index == kMany - i;
  CHECK(reversed);
}

TEST_CASE("one long cycle") {
  LoadedModel model = build([](onnx::GraphProto& graph) {
    for (int i = 0; i < kMany; ++i) {
      add_node(graph, "Abs", {number(i)}, {number((i + 1) % kMany)});
    }
  });
  CHECK(check_faults(model.findings, {"SHP008 Abs_0 " + std::to_string(kMany - 5)}) == "");
  CHECK(model->scope(0).nodes.empty());
}

TEST_CASE("a node with many inputs, outputs and attributes") {
  LoadedModel model = build([](onnx::GraphProto& graph) {
    onnx::NodeProto& node = add_node(graph, "Op", {}, {});
    for (int i = 0; i < kMany; ++i) {
      node.add_input("x");
      node.add_output(number(i));
      onnx::AttributeProto& attribute = *node.add_attribute();
      attribute.set_name(number(i));
      attribute.set_i(i);
    }
  });
  CHECK(model.findings.empty());
  CHECK(model->node(0).inputs.size() == kMany);
  CHECK(model->node(0).attribute(number(kMany - 1))->int_value == kMany - 1);
  CHECK(model->place_of_node(0).node_text.size() < 1000);
}

TEST_CASE("the same fault many times") {
  LoadedModel model = build([](onnx::GraphProto& graph) {
    for (int i = 0; i < kMany; ++i) add_node(graph, "Abs", {"x"}, {"y"});
    for (int i = 0; i < kMany; ++i) add_node(graph, "Abs", {"undefined"}, {});
  });
  CHECK(model.findings.count(Severity::kNote) == 1001);  // the cap of SHP005, and one SHP006
  CHECK(model.findings.suppressed() == kMany - 1001);
}

TEST_CASE("many annotations, functions and imports") {
  LoadedModel model =
      load_text(with_header("g (float[N] x) => (float[N] x) { }"), [](onnx::ModelProto& proto) {
        for (int i = 0; i < kMany / 2; ++i) {
          proto.mutable_graph()->add_value_info()->set_name("x");
          add_node(*proto.mutable_graph(), "Op", {"x"}, {}).set_domain(number(i));
          proto.add_opset_import()->set_domain(number(i));
          onnx::FunctionProto& function = *proto.add_functions();
          function.set_domain(number(i));
          function.set_name("Op");
        }
      });
  CHECK(model.findings.empty());
  CHECK(model->annotations().size() == kMany / 2 + 2);
  CHECK(model->scope(model->function(number(7), "Op", "")).name == "Op");
}

/// Graphs inside graphs: `levels` below the main one, the innermost of which uses `used`.
void nest(onnx::GraphProto& graph, int levels, const std::string& used,
          const std::string& node_name = "") {
  onnx::GraphProto* at = &graph;
  for (int i = 0; i < levels; ++i) {
    onnx::NodeProto& node = add_node(*at, "Op", {}, {number(i)});
    node.set_name(node_name);
    at = &add_graph(node, "body");
  }
  add_node(*at, "Abs", {used}, {"inner"});
}

TEST_CASE("nesting has a limit") {
  LoadOptions options;
  options.max_nesting = 10;
  const LoadedModel allowed = build([](onnx::GraphProto& graph) { nest(graph, 10, "x"); }, options);
  CHECK(allowed.findings.empty());
  CHECK(allowed.model->scope_count() == 11);
  const LoadedModel refused = build([](onnx::GraphProto& graph) { nest(graph, 11, "x"); }, options);
  REQUIRE(refused.failure.has_value());
  CHECK(refused.failure->code == Code::kLimitNesting);
  // The default is 100; protobuf's own limit is below that.
  CHECK(build([](onnx::GraphProto& graph) { nest(graph, 100, "x"); }).model->scope_count() == 101);
}

TEST_CASE("a capture from far inside is a dependency") {
  const LoadedModel model = build([](onnx::GraphProto& graph) {
    nest(graph, 90, "late");
    add_node(graph, "Neg", {"x"}, {"late"});
  });
  CHECK(check_faults(model.findings, {"SHP007 Op_0 Neg_1"}) == "");
  CHECK(model.model->scope(0).nodes == std::vector<NodeId>{1, 0});
}

TEST_CASE("long names do not multiply") {
  const std::string name(100'000, 'n');
  const LoadedModel model = build([&](onnx::GraphProto& graph) { nest(graph, 90, "x", name); });
  REQUIRE(model.model.has_value());
  for (ScopeId id = 0; id < model.model->scope_count(); ++id) {
    REQUIRE(model.model->scope(id).path.size() < 2000);
  }
  CHECK(to_string(model.model->place_of_node(0)).size() < 3000);
}

TEST_CASE("types inside types have a limit") {
  const auto with_depth = [](int depth) {
    return build([&](onnx::GraphProto& graph) {
      onnx::TypeProto* type = graph.mutable_input(0)->mutable_type();
      for (int i = 0; i < depth; ++i) {
        type = type->mutable_sequence_type()->mutable_elem_type();
      }
      type->mutable_tensor_type()->set_elem_type(1);
    });
  };
  const LoadedModel allowed = with_depth(60);
  REQUIRE(allowed.model.has_value());
  const DeclaredType* type = &allowed.model->annotations()[0].type;
  int depth = 0;
  for (; type->element; type = type->element.get()) ++depth;
  CHECK(depth == 60);
  CHECK(with_depth(5000).failure.has_value());
}

TEST_CASE("the number of nodes has a limit") {
  LoadOptions options;
  options.max_nodes = 50;
  const auto with_nodes = [&](int count) {
    return build(
        [&](onnx::GraphProto& graph) {
          for (int i = 0; i < count; ++i) add_node(graph, "Abs", {"x"}, {});
        },
        options);
  };
  CHECK(with_nodes(40).model.has_value());
  REQUIRE(with_nodes(60).failure.has_value());
  CHECK(with_nodes(60).failure->code == Code::kLimitNodes);
  // Graphs count too.
  const LoadedModel graphs = build(
      [](onnx::GraphProto& graph) {
        onnx::AttributeProto& attribute = *add_node(graph, "Op", {}, {}).add_attribute();
        for (int i = 0; i < 60; ++i) attribute.add_graphs();
      },
      options);
  CHECK(graphs.failure.has_value());
}

TEST_CASE("a rank above the limit is taken as unknown") {
  LoadOptions options;
  options.max_rank = 4;
  const auto with_rank = [&](int rank) {
    return build(
        [&](onnx::GraphProto& graph) {
          auto& shape =
              *graph.mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape();
          while (shape.dim_size() < rank) shape.add_dim()->set_dim_value(1);
        },
        options);
  };
  CHECK(with_rank(4).findings.empty());
  const LoadedModel above = with_rank(5);
  CHECK(check_faults(above.findings, {"SHP605 input x 5 4"}) == "");
  CHECK_FALSE(above.model->annotations()[0].type.has_shape);
  CHECK(above.model->annotations()[0].type.elem == ElemType::kFloat);
}

}  // namespace
}  // namespace onnx_shapes::test
