// What names stand for, and what is wrong with them. Which of these models run is what the onnx
// checker (1.23) and ONNX Runtime say of them.
#include "tests/model/faults.h"

namespace onnx_shapes::test {
namespace {

/// The labels of a scope's nodes, in the order in which they are to be computed.
std::string node_order(const Model& model, ScopeId scope) {
  std::string text;
  for (const NodeId node : model.scope(scope).nodes) text += model.node_label(node) + " ";
  return text;
}

// An If whose branches have the given nodes; `y` is a value of the main graph.
std::string if_model(const std::string& before, const std::string& then_nodes,
                     const std::string& after = "", const std::string& then_output = "w") {
  return "g (bool c, float[N] x) => (float[M] z) {" + before +
         " z = If (c) <then_branch = a () => (float[M] " + then_output + ") {" + then_nodes +
         "}, else_branch = b () => (float[M] v) { v = Neg (x) }> " + after + "}";
}

TEST_CASE("models without faults have no findings") {
  run_fault_cases({
      {"chain", "g (float[N] x) => (float[N] y) { a = Abs (x) y = Neg (a) }", {}},
      {"the same value twice as output",
       "g (float[N] x) => (float[N] y, float[N] y) { y = Abs (x) }",
       {}},
      {"input as output", "g (float[N] x) => (float[N] x) { }", {}},
      {"initializer as output", "g () => (float[2] w) <float[2] w = {1, 2}> { }", {}},
      {"an input's default",
       "g (float[2] w) => (float[2] y) <float[2] w = {1, 2}> { y = Abs (w) }",
       {}},
      {"value_info of a value that is gone",
       "g (float[N] x) => (float[N] y) <float[7] old> { y = Abs (x) }",
       {}},
      {"left out input", "g (float[N] x) => (float[N] y) { y = Clip (x, , x) }", {}},
      {"the same name in both branches", if_model("", "w = Abs (x)"), {}},
      {"capture", if_model("y = Neg (x)", "w = Abs (y)"), {}},
      {"a branch's value has the name of a later one outside",
       if_model("", "y = Abs (x) w = Abs (y)", "y = Neg (x)"),
       {}},
      {"a branch's value has the name of the If's own output",
       if_model("", "z = Abs (x)", "", "z"),
       {}},
  });
}

TEST_CASE("names that are defined twice") {
  run_fault_cases({
      {"two nodes",
       "g (float[N] x) => (float[N] y) { y = Abs (x) y = Neg (x) }",
       {"SHP005 Neg_1 'y' twice Abs_0"}},
      {"two outputs of a node",
       "g (float[N] x) => (float[N] y) { y, y = TopK (x, x) }",
       {"SHP005 TopK_0 'y' twice"}},
      {"node and input",
       "g (float[N] x) => (float[N] y) { x = Neg (y) y = Abs (x) }",
       {"SHP005 Neg_0 'x' input", "SHP007 Neg_0 Abs_1"}},
      {"node and initializer",
       "g (float[2] x) => (float[2] y) <float[2] w = {1, 2}> { w = Abs (x) y = Neg (w) }",
       {"SHP005 Abs_0 'w' initializer"}},
      {"input listed twice",
       "g (float[N] x, float[N] x) => (float[N] y) { y = Abs (x) }",
       {"SHP005 input 'x' twice"}},
      {"initializer given twice",
       "g () => (float[2] y) <float[2] w = {1, 2}, float[2] w = {3, 4}> { y = Abs (w) }",
       {"SHP005 initializer 'w' twice"}},
      {"a branch's node and an outer value",
       if_model("y = Neg (x)", "y = Abs (x)", "", "y"),
       {"SHP005 If_1.then_branch 'y' twice"}},
      {"a branch's node and an outer input",
       if_model("", "x = Abs (c)", "", "x"),
       {"SHP005 If_0.then_branch 'x' twice"}},
  });
}

TEST_CASE("inputs and initializers of a body may have an outer name") {
  LoadedModel model = load_text(with_header(
      "g (float[3] x) => (float[3] z) <int64 n = {2}, bool c = {1}> {"
      " z = Loop (n, c, x) <body = b (int64 i, bool k, float[3] x) => (bool k2, float[3] o)"
      " <float[3] n = {1, 2, 3}> { k2 = Identity (k) o = Add (x, n) }> }"));
  CHECK(check_faults(model.findings, {}) == "");
  const std::string body = "graph/Loop_0.body";
  const NodeId add = model->value(model.value("o", body)).producer;
  CHECK(model->node(add).inputs[0] == model.value("x", body));
  CHECK(model->node(add).inputs[1] == model.value("n", body));
}

TEST_CASE("the first of two nodes and the last of two initializers count") {
  LoadedModel nodes =
      load_text(with_header("g (float[N] x) => (float[N] z)"
                            "{ y = Abs (x) y = Neg (x) z = Exp (y) }"));
  const NodeId exp = nodes->value(nodes.value("z")).producer;
  const ValueId used = nodes->node(exp).inputs[0];
  CHECK(nodes->node(nodes->value(used).producer).op_type == "Abs");
  // The second one is a value of its own.
  const ValueId other = nodes->node(nodes->scope(0).nodes[1]).outputs[0];
  CHECK(other != used);
  CHECK(nodes->value(other).name == "y");

  // ONNX Runtime 1.2x takes the last initializer.
  LoadedModel initializers =
      load_text(with_header("g () => (float[2] y) <int64[1] w = {5}, int64[2] w = {6, 7}>"
                            "{ y = Abs (w) }"));
  Findings findings;
  const TensorId tensor = initializers->value(initializers.value("w")).initializer;
  CHECK(initializers->int_elements(tensor, 8, findings) == std::vector<int64_t>{6, 7});
  CHECK(initializers->scope(0).initializers.size() == 1);
}

TEST_CASE("names that nothing defines") {
  run_fault_cases({
      {"node input",
       "g (float[N] x) => (float[N] y) { y = Add (x, q) }",
       {"SHP006 Add_0:input 'q'"}},
      {"used twice, reported once",
       "g (float[N] x) => (float[N] y) { a = Add (x, q) y = Add (a, q) }",
       {"SHP006 'q' Add_0"}},
      {"output",
       "g (float[N] x) => (float[N] y, float[N] q) { y = Abs (x) }",
       {"SHP010 output 'q'"}},
      {"output that is used too",
       "g (float[N] x) => (float[N] q) { y = Add (x, q) }",
       {"SHP006 'q'", "SHP010 'q'"}},
      {"output that is a value outside",
       if_model("y = Neg (x)", "", "", "y"),
       {"SHP010 If_1.then_branch 'y' Runtime"}},
      {"in a branch", if_model("", "w = Abs (q)"), {"SHP006 If_0.then_branch Abs_0 'q'"}},
      {"a branch's value outside of it",
       if_model("", "w = Abs (x)", "u = Neg (w)"),
       {"SHP006 Neg_1 'w'"}},
      {"output without a name",
       "g (float[N] x) => (float[N] y) { y = Abs (x) }",
       {"SHP010 name"},
       [](onnx::ModelProto& model) { model.mutable_graph()->add_output(); }},
      {"input without a name",
       "g (float[N] x) => (float[N] y) { y = Abs (x) }",
       {"SHP014 input"},
       [](onnx::ModelProto& model) { model.mutable_graph()->add_input(); }},
      {"initializer without a name",
       "g (float[N] x) => (float[N] y) <float[1] w = {1}> { y = Abs (x) }",
       {"SHP014 initializer"},
       [](onnx::ModelProto& model) {
         model.mutable_graph()->mutable_initializer(0)->clear_name();
       }},
  });
}

TEST_CASE("an undefined input does not look left out") {
  LoadedModel model =
      load_text(with_header("g (float[N] x) => (float[N] y) { y = Clip (x, , q) }"));
  const Node& clip = model->node(0);
  REQUIRE(clip.inputs.size() == 3);
  CHECK(clip.inputs[1] == kNoId);
  REQUIRE(clip.inputs[2] != kNoId);
  const Value& undefined = model->value(clip.inputs[2]);
  CHECK(undefined.producer == kNoId);
  CHECK(undefined.initializer == kNoId);
  CHECK_FALSE(undefined.scope_input);
}

TEST_CASE("nodes out of order are put in order") {
  LoadedModel model = load_text(
      with_header("g (float[N] x) => (float[N] y) { y = Neg (b) b = Exp (a) a = Abs (x) }"));
  CHECK(node_order(*model, 0) == "Abs_2 Exp_1 Neg_0 ");
  CHECK(check_faults(model.findings, {"SHP007 Neg_0 Exp_1"}) == "");
}

TEST_CASE("a graph inside a node waits for what it captures") {
  const std::string text = if_model("", "w = Abs (y)", "y = Neg (x)");
  LoadedModel model = load_text(with_header(text));
  CHECK(node_order(*model, 0) == "Neg_1 If_0 ");
  CHECK(check_faults(model.findings, {"SHP007 If_0 Neg_1"}) == "");
  // Two levels down, and as the output of a branch.
  LoadedModel deep = load_text(
      with_header(if_model("",
                           "w = If (c) <then_branch = d () => (float[M] e) { e = Exp (y) },"
                           " else_branch = f () => (float[M] y) { }>",
                           "y = Neg (x)")));
  CHECK(node_order(*deep, 0) == "Neg_1 If_0 ");
}

TEST_CASE("cycles") {
  LoadedModel model =
      load_text(with_header("g (float[N] x) => (float[N] z)"
                            "{ a = Add (x, b) b = Neg (a) y = Exp (b) z = Abs (x) }"));
  CHECK(check_faults(model.findings, {"SHP008 Add_0 Neg_1"}) == "");
  CHECK(node_order(*model, 0) == "Exp_2 Abs_3 ");

  LoadedModel self = load_text(with_header("g (float[N] x) => (float[N] y) { y = Add (x, y) }"));
  CHECK(check_faults(self.findings, {"SHP008 Add_0"}) == "");
  CHECK(node_order(*self, 0).empty());

  // A branch that reads what its own If gives.
  LoadedModel inner = load_text(with_header(if_model("", "w = Abs (z)")));
  CHECK(check_faults(inner.findings, {"SHP008 If_0"}) == "");
}

}  // namespace
}  // namespace onnx_shapes::test
