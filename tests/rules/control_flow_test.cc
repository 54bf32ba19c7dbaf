#include "tests/support/inferred.h"

namespace onnx_shapes {
namespace {

using namespace test;
using Catch::Matchers::ContainsSubstring;

bool at_most(const InferredModel& model, const std::string& a, const std::string& b) {
  const auto dim = [&](const std::string& text) {
    const auto parsed = parse_dim(*model.inference.pool, text, [&](std::string_view name) {
      return model.inference.symbols->find(name);
    });
    return parsed ? *parsed : Dim();
  };
  REQUIRE((dim(a).known() && dim(b).known()));
  Prover prover(*model.inference.pool, model.inference.constraints.get());
  return prover.at_most(dim(a), dim(b)) == Truth::kTrue;
}

/// y = If(c) of two branches that see c: bool, x: float[N, 4], z: float[M].
std::string if_of(const std::string& yes, const std::string& no) {
  return "g (bool c, float[N, 4] x, float[M] z) => (y) { y = If(c) <then_branch = t () => (a) { " +
         yes + " }, else_branch = e () => (b) { " + no + " }> }";
}

TEST_CASE("If joins what its branches give") {
  CHECK(inferred(if_of("a = Neg(x)", "b = Abs(x)")) == "float[N, 4]");
  CHECK(inferred(if_of("a = Neg(x)", "b = Concat<axis = 1>(x, x)")) == "float[N, If_y_d1]");
  CHECK(inferred(if_of("a = Neg(x)", "b = Neg(z)")) == "float?");
  // Both give the same contents, so what they size is known.
  CHECK(inferred("g (bool c, float[N, 4] x) => (y) {"
                 " s = If(c) <then_branch = t () => (a) { a = Shape(x) },"
                 "            else_branch = e () => (b) { b = Shape(x) }>"
                 " y = ConstantOfShape(s) }") == "float[N, 4]");
  // Contents that differ are not known.
  CHECK(inferred("g (bool c, float[N, 4] x) => (y) {"
                 " s = If(c) <then_branch = t () => (a) { a = Constant<value_ints = [2, 3]>() },"
                 "            else_branch = e () => (b) { b = Constant<value_ints = [2, 5]>() }>"
                 " y = ConstantOfShape(s) }")
            .starts_with("float[2, "));
}

TEST_CASE("A joined dim lies between those of the branches") {
  const InferredModel model(if_of("a = Neg(x)", "b = Concat<axis = 1>(x, x)"));
  CHECK(at_most(model, "If_y_d1", "8"));
  CHECK(at_most(model, "4", "If_y_d1"));
  CHECK(!at_most(model, "If_y_d1", "7"));
  CHECK(!at_most(model, "5", "If_y_d1"));
}

TEST_CASE("If with a known condition is the branch that it picks") {
  const auto decided = [](const std::string& condition) {
    return inferred("g (float[N, 4] x, float[M] z) => (y) { " + condition +
                    " y = If(c) <then_branch = t () => (a) { a = Neg(x) },"
                    " else_branch = e () => (b) { b = Neg(z) }> }");
  };
  CHECK(decided("c = Constant<value = bool {1}>()") == "float[N, 4]");
  CHECK(decided("c = Constant<value = bool {0}>()") == "float[M]");
  // The number of dims of x is 2 whatever N is.
  const std::string rank = "s = Shape(x) r = Size(s) k = Constant<value_int = ";
  CHECK(decided(rank + "2>() c = Equal(r, k)") == "float[N, 4]");
  CHECK(decided(rank + "3>() c = Equal(r, k)") == "float[M]");
}

TEST_CASE("A branch that is never taken asserts and reports nothing") {
  CHECK(inferred("g (float[2, 3] x, float[4, 5] z) => (y) { c = Constant<value = bool {1}>()"
                 " y = If(c) <then_branch = t () => (a) { a = Neg(x) },"
                 " else_branch = e () => (b) { b = MatMul(x, z) }> }") == "float[2, 3]");
}

TEST_CASE("What a branch needs to succeed is not assumed after it") {
  CHECK(inferred("g (bool c, float[N, K] x, float[M, P] w) => (y, a2, b2) {"
                 " y = If(c) <then_branch = t () => (a) { a = MatMul(x, w) },"
                 " else_branch = e () => (b) { b = Neg(x) }>"
                 " a2 = Identity(x) b2 = Identity(w) }") ==
        "float[N, If_y_d1]; float[N, K]; float[M, P]");
}

TEST_CASE("A dim that one branch needs to be the other's is the same in both") {
  const auto of_branches = [](const std::string& yes, const std::string& no) {
    return inferred(
        "g (bool c, float[N, 4] x, float[5, 4] k, float[M, 4] w) => (y) {"
        " y = If(c) <then_branch = t () => (a) { " +
        yes + " }, else_branch = e () => (b) { " + no + " }> }");
  };
  const std::string same = " = Concat<axis = 1>(x, x)";
  const std::string five = " = Concat<axis = 1>(x, k)";
  const std::string other = " = Concat<axis = 1>(x, w)";
  CHECK(of_branches("a" + five, "b" + same) == "float[N, 8]");
  CHECK(of_branches("a" + same, "b" + five) == "float[N, 8]");
  CHECK(of_branches("a" + other, "b" + same) == "float[N, 8]");
  // Each branch needs N to be another number.
  CHECK(of_branches("a" + five, "b = Concat<axis = 1>(w, w)") == "float[If_y_d0, 8]");
}

TEST_CASE("Ifs inside an If") {
  const std::string inner =
      "a = If(d) <then_branch = t2 () => (p) { p = Neg(x) },"
      " else_branch = e2 () => (q) { q = Concat<axis = 0>(x, x) }>";
  CHECK(inferred("g (bool c, bool d, float[N, 4] x) => (y) { y = If(c) <then_branch = t () => (a) "
                 "{ " +
                 inner + " }, else_branch = e () => (b) { b = Abs(x) }> }") == "float[If_y_d0, 4]");
}

TEST_CASE("Ifs that do not fit together") {
  CHECK_THAT(reported(if_of("a = Neg(x)", "b = Shape(x)")),
             ContainsSubstring("SHP501") && ContainsSubstring("[C3]"));
  CHECK_THAT(reported("g (bool c, float[N] x) => (y) { y = If(c) <then_branch = t () => (a) "
                      "{ a = Neg(x) }> }"),
             ContainsSubstring("SHP106") && ContainsSubstring("[C2]"));
  CHECK_THAT(reported("g (bool c, float[N] x) => (y) { y = If(c) <then_branch = t () => (a, a2) "
                      "{ a = Neg(x) a2 = Abs(x) }, else_branch = e () => (b) { b = Neg(x) }> }"),
             ContainsSubstring("SHP501") && ContainsSubstring("[C2]"));
  CHECK_THAT(reported("g (float c, float[N] x) => (y) { y = If(c) <then_branch = t () => (a) "
                      "{ a = Neg(x) }, else_branch = e () => (b) { b = Neg(x) }> }"),
             ContainsSubstring("SHP102") && ContainsSubstring("[C1]"));
}

/// y, steps = Loop(arguments) of a body that sees x: float[N, 3], start: float[M, 3],
/// trips: int64, go: bool, and whose carried value is `before`.
std::string loop_of(const std::string& arguments, const std::string& body,
                    const std::string& before_it = "") {
  return "g (float[N, 3] x, float[M, 3] start, int64 trips, bool go) => (y, steps) { " + before_it +
         " y, steps = Loop(" + arguments +
         ") <body = body (int64 i, bool c, before) => (c_out, after, step) { " + body + " }> }";
}

constexpr char kFive[] = "five = Constant<value_int = 5>()";
constexpr char kZero[] = "zero = Constant<value_int = 0>()";
constexpr char kRows[] = "s = Shape(x) k = Constant<value_int = 0>() rows = Gather(s, k)";

TEST_CASE("Loop keeps what an iteration keeps") {
  const std::string keeps = "c_out = Identity(c) after = Neg(before) step = Identity(x)";
  CHECK(inferred(loop_of("five, , start", keeps, kFive)) == "float[M, 3]; float[5, N, 3]");
  CHECK(inferred(loop_of("rows, , start", keeps, kRows)) == "float[M, 3]; float[N, N, 3]");
  const std::string grows =
      "c_out = Identity(c) after = Concat<axis = 0>(before, x)"
      " step = Identity(x)";
  CHECK(inferred(loop_of("five, , start", grows, kFive)) == "float[Loop_y_d0, 3]; float[5, N, 3]");
  const std::string rank =
      "c_out = Identity(c) z = Constant<value_ints = [0]>()"
      " after = Unsqueeze(before, z) step = Identity(x)";
  CHECK(inferred(loop_of("five, , start", rank, kFive)) == "float?; float[5, N, 3]");
}

TEST_CASE("A dim that the body needs to be a number stays the carried one") {
  // The body needs N to be 5, but may run never.
  CHECK(
      inferred("g (int64 trip, float[N, 4] x, float[5, 4] k) => (y) {"
               " y = Loop(trip, , x) <body = b (int64 i, bool go, float s) => (on, after) {"
               " on = Identity(go) wide = Concat<axis = 1>(s, k)"
               " start = Constant<value_ints = [0]>() end = Constant<value_ints = [4]>()"
               " axis = Constant<value_ints = [1]>() after = Slice(wide, start, end, axis) }> }") ==
      "float[N, 4]");
}

TEST_CASE("Loop may run never, and its carried value may be the initial one") {
  const std::string replaces = "c_out = Identity(c) after = Identity(x) step = Identity(x)";
  // It runs: the result is that of an iteration.
  CHECK(inferred(loop_of("five, , start", replaces, kFive)) == "float[N, 3]; float[5, N, 3]");
  // N may be 0: then the result is `start`.
  CHECK(inferred(loop_of("rows, , start", replaces, kRows)) ==
        "float[Loop_y_d0, 3]; float[N, N, 3]");
  CHECK(inferred(loop_of("zero, , start", replaces, kZero)) == "float[M, 3]; float[0, N, 3]");
  CHECK(inferred(loop_of("five, no, start", replaces,
                         std::string(kFive) + " no = Constant<value = bool {0}>()")) ==
        "float[M, 3]; float[0, N, 3]");
  CHECK(inferred(loop_of("five, go, start", replaces, kFive)) ==
        "float[Loop_y_d0, 3]; float[Loop_steps_trip, N, 3]");
}

TEST_CASE("A body that never runs asserts and reports nothing") {
  // x is [N, 3] and the other operand [1, 4].
  const std::string wrong = "c_out = Identity(c) after = Neg(before) step = Add(x, four)";
  const std::string four = " four = Constant<value = float[1, 4] {1, 2, 3, 4}>()";
  const InferredModel never(loop_of("zero, , four", wrong, kZero + four));
  CHECK(never.report() == "");
  CHECK(never.fact("y") == "float[1, 4]");
  CHECK_THAT(reported(loop_of("trips, , four", wrong, four)), ContainsSubstring("SHP105"));
  const std::string scan =
      "y, ys = Scan<num_scan_inputs = 1, body = body (before, one) => (after, y1)"
      " { after = Neg(before) z = Add(x, four) y1 = Neg(one) }>(four, xs) }";
  const std::string head = "g (float[N, 3] x, float[0, 2] xs) => (y, ys) {";
  const InferredModel empty(head + four + " " + scan);
  CHECK(empty.report() == "");
  CHECK(empty.fact("y") == "float[1, 4]");
  CHECK(empty.fact("ys") == "float[0, 2]");
  CHECK_THAT(reported("g (float[N, 3] x, float[T, 2] xs) => (y, ys) {" + four + " " + scan),
             ContainsSubstring("SHP105"));
}

TEST_CASE("Loop may stop before its trip count") {
  // One trip, though M is 5.
  const std::string stops =
      "c_out = Constant<value = bool {0}>() after = Neg(before)"
      " step = Identity(x)";
  const InferredModel model(loop_of("five, , start", stops, kFive));
  CHECK(model.outputs() == "float[M, 3]; float[Loop_steps_trip, N, 3]");
  CHECK(at_most(model, "Loop_steps_trip", "5"));
  CHECK(!at_most(model, "5", "Loop_steps_trip"));
  // Without M only the condition ends it.
  CHECK(inferred(loop_of(", go, start", stops)) == "float[M, 3]; float[Loop_steps_trip, N, 3]");
}

TEST_CASE("A trip count from data is not below 0") {
  const InferredModel model(
      loop_of("trips, , start", "c_out = Identity(c) after = Neg(before) step = Identity(x)"));
  const Dim trips = (*model.inference.facts[model.loaded.value("steps")]->shape)[0];
  CHECK(!trips.number().has_value());
  CHECK(trips.bounds().lo == 0);
}

TEST_CASE("What changes between iterations is not named in the body") {
  const InferredModel model(
      loop_of("five, , start",
              "c_out = Identity(c) after = Concat<axis = 0>(before, x) step = Identity(x)", kFive));
  CHECK(model.fact("before", "graph/Loop_1.body") == "float[?, 3]");
  CHECK(model.fact("after", "graph/Loop_1.body") == "float[?, 3]");
  CHECK(model.fact("step", "graph/Loop_1.body") == "float[N, 3]");
}

TEST_CASE("Carried values that hand each other on") {
  // b is a of the iteration before, and a doubles: 1, 2, 4, ...
  CHECK(inferred("g (float[1] one) => (a, b) { n = Constant<value_int = 4>()"
                 " a, b = Loop(n, , one, one) <body = body (int64 i, bool c, a0, b0) =>"
                 " (c_out, a1, b1) { c_out = Identity(c) a1 = Concat<axis = 0>(a0, a0)"
                 " b1 = Identity(a0) }> }") == "float[Loop_a_d0]; float[Loop_b_d0]");
}

TEST_CASE("Carried contents are those of any iteration") {
  // The carried size is 1, 2, 3, ...: what it sizes is not [1].
  CHECK(
      inferred("g () => (n, y) { n4 = Constant<value_int = 4>() one = Constant<value_ints = [1]>()"
               " start = ConstantOfShape(one)"
               " n, y = Loop(n4, , one, start) <body = body (int64 i, bool c, n0, y0) =>"
               " (c_out, n1, y1) { c_out = Identity(c) n1 = Add(n0, one)"
               " y1 = ConstantOfShape(n0) }> }") == "int64[1]; float[Loop_y_d0]");
  // The iteration number differs from one to the next.
  CHECK(inferred("g () => (y) { n4 = Constant<value_int = 4>() z = Constant<value_int = 0>()"
                 " one = Constant<value_int = 1>() start = Range(z, z, one)"
                 " y = Loop(n4, , start) <body = body (int64 i, bool c, y0) => (c_out, y1)"
                 " { c_out = Identity(c) y1 = Range(z, i, one) }> }") == "int64[Loop_y_d0]");
}

TEST_CASE("Loop carries sequences") {
  CHECK(inferred("g (float[N] x) => (s) { n = Constant<value_int = 4>() empty = SequenceEmpty()"
                 " s = Loop(n, , empty) <body = body (int64 i, bool c, s0) => (c_out, s1)"
                 " { c_out = Identity(c) s1 = SequenceInsert(s0, x) }> }")
            .starts_with("seq(float"));
}

/// Loops inside each other around `y = Concat(before, x)`.
std::string nested_loops(int depth) {
  std::string body = "after0 = Concat<axis = 0>(before0, x)";
  for (int i = 1; i <= depth; ++i) {
    const auto in = std::to_string(i - 1);
    const auto out = std::to_string(i);
    body = "after" + out + " = Loop(n, , before" + out + ") <body = b" + in + " (int64 i" + in +
           ", bool c" + in + ", before" + in + ") => (go" + in + ", after" + in + ") { go" + in +
           " = Identity(c" + in + ") " + body + " }>";
  }
  const auto last = std::to_string(depth);
  return "g (float[N, 3] x, float[M, 3] before" + last +
         ") => (y) { n = Constant<value_int = 2>() " + body + " y = Identity(after" + last + ") }";
}

TEST_CASE("Nested loops need a pass each") {
  CHECK(inferred(nested_loops(3)) == "float[Loop_after3_d0, 3]");
  const InferredModel model(nested_loops(24));
  CHECK(model.outputs() == "float[Loop_after24_d0, 3]");
  // A product of passes would be 2^24.
  CHECK(model.inference.node_visits < 10'000);
}

TEST_CASE("Loops that do not fit their body") {
  const std::string keeps = "c_out = Identity(c) after = Neg(before) step = Identity(x)";
  CHECK_THAT(reported(loop_of("trips, go, start, x", keeps)),
             ContainsSubstring("SHP504") && ContainsSubstring("[C1]"));
  CHECK_THAT(reported("g (int64 n, bool go) => (y) { y = Loop(n, go) <x = 1> }"),
             ContainsSubstring("SHP106") && ContainsSubstring("[C1]"));
  CHECK_THAT(reported(loop_of("x, go, start", keeps)),
             ContainsSubstring("SHP102") && ContainsSubstring("[C2]"));
  CHECK_THAT(reported(loop_of("trips, trips, start", keeps)),
             ContainsSubstring("SHP102") && ContainsSubstring("[C2]"));
}

/// last, ys = Scan(state, xs...) of a body over one slice, with xs: float[T, B, C], zs: float[S, B,
/// C], state: float[B, C].
std::string scan_of(const std::string& attributes, const std::string& inputs,
                    const std::string& formals, const std::string& body) {
  return "g (float[B, C] state, float[T, B, C] xs, float[S, B, C] zs, float[2, B] two, "
         "float[3, B] three) => (last, ys) { last, ys = Scan<" +
         attributes + ", body = body (before, " + formals + ") => (after, y) { " + body +
         " }>(state, " + inputs + ") }";
}

TEST_CASE("Scan") {
  const std::string sums = "after = Add(before, x) y = Identity(after)";
  CHECK(inferred(scan_of("num_scan_inputs = 1", "xs", "x", sums)) == "float[B, C]; float[T, B, C]");
  CHECK(inferred(scan_of("num_scan_inputs = 1, scan_input_directions = [1],"
                         " scan_output_directions = [1]",
                         "xs", "x", sums)) == "float[B, C]; float[T, B, C]");
  CHECK(inferred(scan_of("num_scan_inputs = 1, scan_output_axes = [1]", "xs", "x", sums)) ==
        "float[B, C]; float[B, T, C]");
  CHECK(inferred(scan_of("num_scan_inputs = 1, scan_output_axes = [-1]", "xs", "x", sums)) ==
        "float[B, C]; float[B, C, T]");
  // The slices are along C.
  CHECK(inferred(scan_of("num_scan_inputs = 1, scan_input_axes = [2]", "xs", "x",
                         "after = Identity(before) y = Identity(x)")) ==
        "float[B, C]; float[C, T, B]");
  CHECK(inferred(scan_of("num_scan_inputs = 1, scan_input_axes = [-2]", "xs", "x",
                         "after = Identity(before) y = Identity(x)")) ==
        "float[B, C]; float[B, T, C]");
  // A state that grows.
  CHECK(inferred(scan_of("num_scan_inputs = 1", "xs", "x",
                         "after = Concat<axis = 0>(before, x) y = Identity(x)")) ==
        "float[Scan_last_d0, C]; float[T, B, C]");
}

TEST_CASE("All that a Scan goes through has one length") {
  const InferredModel model(
      scan_of("num_scan_inputs = 2", "xs, zs", "x, z", "after = Add(before, x) y = Add(x, z)"));
  CHECK(model.report() == "");
  CHECK(at_most(model, "T", "S"));
  CHECK(at_most(model, "S", "T"));
  CHECK_THAT(reported(scan_of("num_scan_inputs = 2", "two, three", "x, z",
                              "after = Identity(before) y = Add(x, z)")),
             ContainsSubstring("SHP105") && ContainsSubstring("[C2]"));
}

TEST_CASE("Scans that do not fit their body") {
  const std::string sums = "after = Add(before, x) y = Identity(after)";
  CHECK_THAT(reported(scan_of("num_scan_inputs = 0", "xs", "x", sums)),
             ContainsSubstring("SHP106") && ContainsSubstring("[C1]"));
  CHECK_THAT(reported(scan_of("num_scan_inputs = 3", "xs", "x", sums)),
             ContainsSubstring("SHP106") && ContainsSubstring("[C1]"));
  CHECK_THAT(reported(scan_of("num_scan_inputs = 1", "xs", "x, z", sums)),
             ContainsSubstring("SHP504") && ContainsSubstring("[C1]"));
  CHECK_THAT(reported(scan_of("num_scan_inputs = 1, scan_input_axes = [3]", "xs", "x", sums)),
             ContainsSubstring("SHP106") && ContainsSubstring("[C3]"));
  CHECK_THAT(reported(scan_of("num_scan_inputs = 1, scan_output_axes = [3]", "xs", "x", sums)),
             ContainsSubstring("SHP106") && ContainsSubstring("[C3]"));
}

/// The form of opset 8, in which the states and the inputs have a batch axis.
std::string scan_8_of(const std::string& state, const std::string& inputs) {
  return "<ir_version: 4, opset_import: [\"\" : 8]>\n"
         "g (float[B, C] state, float[D, T, C] xs, float[3, C] three, float[2, T, C] two, float "
         "none)"
         " => (last, ys) { last, ys = Scan<num_scan_inputs = 1, body = body (before, x) => (after, "
         "y)"
         " { after = Add(before, x) y = Neg(x) }>(\"\", " +
         state + ", " + inputs + ") }";
}

TEST_CASE("Scan of opset 8") {
  const InferredModel model(scan_8_of("state", "xs"));
  CHECK(model.report() == "");
  CHECK(at_most(model, "B", "D"));
  CHECK(at_most(model, "D", "B"));
  CHECK(model.fact("ys").ends_with(", T, C]"));
  CHECK_THAT(reported(scan_8_of("three", "two")),
             ContainsSubstring("SHP105") && ContainsSubstring("[C4]"));
  CHECK_THAT(reported(scan_8_of("none", "xs")),
             ContainsSubstring("SHP103") && ContainsSubstring("[C3]"));
}

std::string sequence_map(const std::string& inputs, const std::string& formals,
                         const std::string& body) {
  return "g (float[N, 3] x, float[M, 3] z, float[3] row) => (y) {"
         " one = SequenceConstruct(x) two = SequenceConstruct(x, x) mixed = SequenceConstruct(x, z)"
         " y = SequenceMap<body = body (" +
         formals + ") => (o) { " + body + " }>(" + inputs + ") }";
}

TEST_CASE("SequenceMap") {
  CHECK(inferred(sequence_map("two", "a", "o = Transpose(a)")) == "seq(float[3, N]; 2)");
  CHECK(inferred(sequence_map("mixed", "a", "o = Neg(a)")) == "seq(float[?, 3]; 2)");
  CHECK(inferred(sequence_map("two, row", "a, b", "o = Add(a, b)")) == "seq(float[N, 3]; 2)");
  CHECK(inferred(sequence_map("two, mixed", "a, b", "o = Shape(b)")) == "seq(int64[2]; 2)");
  CHECK(inferred(sequence_map("two", "a", "o = NonZero(a)")) == "seq(int64[2, ?]; 2)");
}

TEST_CASE("SequenceMaps that do not fit their body") {
  CHECK_THAT(reported(sequence_map("row", "a", "o = Neg(a)")),
             ContainsSubstring("SHP102") && ContainsSubstring("[C1]"));
  CHECK_THAT(reported(sequence_map("two, one", "a, b", "o = Neg(a)")),
             ContainsSubstring("SHP105") && ContainsSubstring("[C1]"));
  CHECK_THAT(reported(sequence_map("two", "a, b", "o = Neg(a)")),
             ContainsSubstring("SHP504") && ContainsSubstring("[C1]"));
  CHECK_THAT(reported("g (float[N] x) => (y) { s = SequenceConstruct(x) y = SequenceMap(s) }"),
             ContainsSubstring("SHP106") && ContainsSubstring("[C1]"));
}

}  // namespace
}  // namespace onnx_shapes
