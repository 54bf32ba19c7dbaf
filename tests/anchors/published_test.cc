// The published cases of anchored inference, D1 to D23: a model, and what its dims have to read.
// Where several names would do, the published mechanism writes the first in the alphabet; here it
// is the first declared, inputs before value_info and outputs. A declaration that contradicts is an
// error here, and stays; there a mode decides.
#include "anchors/bounds.h"
#include "tests/anchors/annotated.h"

namespace onnx_shapes::test {
namespace {

using Catch::Matchers::ContainsSubstring;

/// X[N,4] reshaped to [-1,2], Y declared as given.
std::string reshaped(const std::string& y, const std::string& more_inputs = "") {
  return "g (float[N, 4] x" + more_inputs + ") => (float[" + y +
         "] y) { s = Constant<value_ints = [-1, 2]>() y = Reshape(x, s) }";
}

Dim symbol(const AnnotatedModel& model, std::string_view name) {
  return model.inferred.inference.symbols->find(name);
}

bool recorded(const AnnotatedModel& model, Dim a, Dim b) {
  return model.inferred.inference.constraints->has_equal(a, b);
}

TEST_CASE("D1: an anchor on a compound stays and is recorded") {
  const AnnotatedModel model(reshaped("ANCHOR, 2"));
  CHECK(model.report() == "");
  CHECK(model.dims("y") == "ANCHOR, 2");
  CHECK(model.equalities() == 1);
  CHECK(recorded(model, symbol(model, "ANCHOR"), symbol(model, "N") * 2));
}

TEST_CASE("D2: an anchor beside an input's name leaves the input alone") {
  const AnnotatedModel model("g (float[N, 4] x) => (float[ANCHOR, 4] y) { y = Relu(x) }");
  CHECK(model.report() == "");
  CHECK(model.dims("x") == "N, 4");
  CHECK(model.dims("y") == "ANCHOR, 4");
  CHECK(recorded(model, symbol(model, "ANCHOR"), symbol(model, "N")));
}

TEST_CASE("D3: 2 is not 4") {
  const AnnotatedModel model(reshaped("ANCHOR, 4"));
  CHECK_THAT(model.report(), ContainsSubstring("SHP203") && ContainsSubstring("declared 4") &&
                                 ContainsSubstring("inferred 2") && ContainsSubstring("axis 1"));
  CHECK(model.dims("y") == "ANCHOR, 4");
  // ANCHOR is not taken from a declaration that is wrong.
  CHECK(model.equalities() == 0);
}

TEST_CASE("D4: a compound anchor stays") {
  const AnnotatedModel names(with_dim(reshaped("t, 2"), "y", 0, "A+B"));
  CHECK(names.report() == "");
  CHECK(names.dims("x") == "N, 4");
  CHECK(names.dims("y") == "A+B, 2");
  // Where the caller chooses A and B, the declaration would restrict the caller: it stays, unused.
  const AnnotatedModel sizes(with_dim(reshaped("t, 2", ", float[A] p, float[B] q"), "y", 0, "A+B"));
  CHECK(sizes.report() == "");
  CHECK(sizes.dims("x") == "N, 4");
  CHECK(sizes.dims("y") == "A+B, 2");
  CHECK(sizes.equalities() == 0);
}

/// A cache of past and new keys.
std::string cache(const std::string& mask, const std::string& present) {
  return "g (float[batch, 2, past_seq, 4] past, float[batch, 2, seq, 4] key" + mask +
         ") => (float[batch, 2, " + present +
         ", 4] present, used) {"
         " present = Concat<axis = 2>(past, key) used = Identity(present) }";
}

TEST_CASE("D5: an input's name for a compound is written for it") {
  const AnnotatedModel model(cache(", float[batch, total_seq] mask", "total_seq"));
  CHECK(model.report() == "");
  CHECK(model.dims("present") == "batch, 2, total_seq, 4");
  CHECK(model.dims("used") == "batch, 2, total_seq, 4");
}

TEST_CASE("D6: an output's name for a compound is a label") {
  const AnnotatedModel model(cache("", "e"));
  CHECK(model.report() == "");
  CHECK(model.dims("present") == "batch, 2, e, 4");
  CHECK(model.dims("used") == "batch, 2, past_seq + seq, 4");
}

constexpr char kNonZero[] =
    "{ a = Abs(x) b = Relu(a) c = Add(b, b) d = Mul(c, c) nz = NonZero(d) t = Transpose(nz)"
    " f = Cast<to = 1>(t) }";

TEST_CASE("D7: a size from data takes the name that an output gives it") {
  const AnnotatedModel model("g (float[batch, seq] x) => (int64[2, nnz] nz, float[do1, 2] f) " +
                             std::string(kNonZero));
  CHECK(model.report() == "");
  CHECK(model.dims("nz") == "2, nnz");
  // Published: do1, the smaller text. nnz is declared first.
  CHECK(model.dims("t") == "nnz, 2");
  CHECK(model.dims("f") == "do1, 2");
  for (const char* name : {"a", "b", "c", "d"}) CHECK(model.dims(name) == "batch, seq");
}

TEST_CASE("D8: a size from data that nobody names has a name of its own") {
  const AnnotatedModel model("g (float[batch, seq] x) => (int64[2, ?] nz, float[?, 2] f) " +
                             std::string(kNonZero));
  CHECK(model.report() == "");
  CHECK(model.dims("nz") == "2, NonZero_nz_nnz");
  CHECK(model.dims("t") == "NonZero_nz_nnz, 2");
  CHECK(model.dims("f") == "NonZero_nz_nnz, 2");
}

TEST_CASE("D9: a name for twice a size names the size wherever it stands") {
  const AnnotatedModel model(with_dim(
      "g (float[N] x) => (int64[1, t] twice, nz, more) <int64[1, dnz] other> {"
      " nz = NonZero(x) twice = Concat<axis = 1>(nz, nz) one = Constant<value = int64[1, 1] {0}>()"
      " more = Concat<axis = 1>(nz, one) other = Neg(nz) }",
      "twice", 1, "2*dnz"));
  CHECK(model.report() == "");
  CHECK(model.dims("twice") == "1, 2*dnz");
  CHECK(model.dims("nz") == "1, dnz");
  CHECK(model.dims("more") == "1, dnz + 1");
}

TEST_CASE("D10: what branches differ in is between them, and takes the names of the outputs") {
  const AnnotatedModel model(
      "g (bool cond, float[3, 4] a_then, float[5, 4] a_else, bool[5] c_else, float[3] b_then,"
      "   float[5] b_else) => (float[B1, 4] out_a, float[B2] out_b) {"
      " j1, j2 = If(cond)"
      " <then_branch = t () => (t1, t2) { t1 = Identity(a_then) t2 = Identity(b_then) },"
      "  else_branch = f () => (f1, f2) { f1 = Compress<axis = 0>(a_else, c_else)"
      "                                   f2 = Identity(b_else) }>"
      " out_a = Abs(j1) out_b = Neg(j2) }");
  CHECK(model.report() == "");
  CHECK(model.dims("j1") == "B1, 4");
  CHECK(model.dims("j2") == "B2");
  Bounds bounds(model.inferred.inference);
  // Published: at most max(3, the count). The count is at most 5.
  const DimBounds b1 = bounds.of(symbol(model, "B1"));
  CHECK(b1.at_least.empty());
  REQUIRE(b1.at_most.size() == 1);
  CHECK(b1.at_most.front().is(5));
  const DimBounds b2 = bounds.of(symbol(model, "B2"));
  REQUIRE((b2.at_least.size() == 1 && b2.at_most.size() == 1));
  CHECK(b2.at_least.front().is(3));
  CHECK(b2.at_most.front().is(5));
}

TEST_CASE("D11: a Loop that runs as often as a dim is long") {
  const AnnotatedModel model(
      "g (float[batch, features] x) => (y) { s = Shape(x)"
      " zero = Constant<value_ints = [0]>() n1 = Gather(s, zero)"
      " n = Squeeze(n1) go = Constant<value = bool {1}>()"
      " h = Loop(n, go) <body = body (int64 i, bool c) => (c2, d) {"
      " c2 = Identity(c) row = Gather(x, i) diff = Sub(x, row)"
      " sq = Mul(diff, diff) ax = Constant<value_ints = [-1]>()"
      " sum = ReduceSum<keepdims = 0>(sq, ax) d = Sqrt(sum) }> y = Abs(h) }");
  CHECK(model.report() == "");
  CHECK(model.dims("h") == "batch, batch");
  CHECK(model.dims("y") == "batch, batch");
}

TEST_CASE("D12: all but the last") {
  const std::string text =
      "g (float[a, b, c] x) => (y) { s = Constant<value_ints = [0]>()"
      " e = Constant<value_ints = [-1]>() ax = Constant<value_ints = [2]>()"
      " h = Slice(x, s, e, ax) y = Abs(h) }";
  // Published: c - 1. But c may be 0.
  CHECK(AnnotatedModel(text).dims("y") == "a, b, max(c - 1, 0)");
  DeclareOptions nonempty;
  nonempty.assume_nonempty = true;
  DecideOptions options;
  options.declare = &nonempty;
  CHECK(AnnotatedModel(text, Trust::kAll, options).dims("y") == "a, b, c - 1");
}

TEST_CASE("D13: halves and doubles") {
  const std::string graph =
      " => (y, m) { scales = Constant<value_floats = [0.5, 0.5]>()"
      " half = Resize(x, , scales) twice = Constant<value_ints = [2, 2]>()"
      " y = Tile(half, twice) zero = Constant<value = float {0}>() m = Max(y, zero) }";
  const AnnotatedModel model(with_dim("g (float[H, t] x, float[h] other)" + graph, "x", 1, "2*h"));
  CHECK(model.report() == "");
  CHECK(model.dims("half") == "H//2, h");
  CHECK(model.dims("y") == "2*(H//2), 2*h");
  CHECK(model.dims("m") == "2*(H//2), 2*h");
  // With no other h in the model, `2*h` is a name, which may stand for an odd size.
  const AnnotatedModel name(with_dim("g (float[H, t] x)" + graph, "x", 1, "2*h"));
  CHECK(name.dims("half") == "H//2, '2*h'//2");
  CHECK(name.dims("y") == "2*(H//2), 2*('2*h'//2)");
}

TEST_CASE("D14: a window with padding and stride") {
  const AnnotatedModel model(with_dim(
      "g (float[batch, channel, seq] x) => (float[batch, channel, q] y) {"
      " h = MaxPool<kernel_shape = [7], pads = [6, 6], strides = [5]>(x) y = Identity(h) }",
      "y", 2, "seq//5+2"));
  CHECK(model.report() == "");
  // (seq + 12 - 7)//5 + 1
  CHECK(model.dims("h") == "batch, channel, seq//5 + 2");
}

TEST_CASE("D15: halves of a sum are joined again, and a label names the whole") {
  const AnnotatedModel model(
      "g (float[a, b] x, float[a, c] y) => (float[a, e] z) {"
      " xy = Concat<axis = 1>(x, y) s1, s2 = Split<axis = 1, num_outputs = 2>(xy)"
      " zs = Concat<axis = 1>(s2, s1) z = Tanh(zs) }");
  CHECK(model.report() == "");
  CHECK(model.dims("xy") == "a, b + c");
  CHECK(model.dims("s1") == "a, (b + c + 1)//2");
  CHECK(model.dims("s2") == "a, (b + c)//2");
  CHECK(model.dims("zs") == "a, b + c");
  CHECK(model.dims("z") == "a, e");
}

TEST_CASE("D16: sums and differences of shapes") {
  const AnnotatedModel model(
      "g (float[N, 1] x, float[1, B] y1, float[1, B] y2, float[1, B] y3) => (z1, z2, z3) {"
      " one = Constant<value_ints = [1]>()"
      " n = Shape<start = 0, end = 1>(x) b = Shape<start = 1, end = 2>(x)"
      " shape = Concat<axis = 0>(n, b) shape1 = Add(shape, one) shape2 = Sub(shape1, one)"
      " e = Expand(x, shape2) z1 = Add(e, y1) z2 = Add(e, y2) z3 = Add(e, y3) }");
  CHECK(model.report() == "");
  CHECK(model.elements("shape") == "N, 1");
  CHECK(model.elements("shape1") == "N + 1, 2");
  CHECK(model.elements("shape2") == "N, 1");
  CHECK(model.dims("e") == "N, 1");
  for (const char* z : {"z1", "z2", "z3"}) CHECK(model.dims(z) == "N, B");
}

TEST_CASE("D17: a dim that is split and joined") {
  const AnnotatedModel model(
      "g (float[a, b, c] x) => (z) {"
      " s = Constant<value_ints = [0, 0, 2, -1]>() h = Reshape(x, s)"
      " t = Constant<value_ints = [0, 0, -1]>() y = Reshape(h, t)"
      " one = Constant<value = float[1] {1}>() z = Add(y, one) }");
  CHECK(model.report() == "");
  CHECK(model.dims("h") == "a, b, 2, c//2");
  // c is even where the first Reshape can be done.
  CHECK(model.dims("y") == "a, b, c");
  CHECK(model.dims("z") == "a, b, c");
}

TEST_CASE("D18: heads of attention") {
  const AnnotatedModel model(
      "g (float[batch, seq, 256] x, float[256, 256] w) => (y) {"
      " s = Shape<start = 0, end = 2>(x) heads = Constant<value_ints = [32, 8]>()"
      " target = Concat<axis = 0>(s, heads) m = MatMul(x, w) r = Reshape(m, target)"
      " y = Transpose<perm = [0, 2, 1, 3]>(r) }");
  CHECK(model.report() == "");
  CHECK(model.elements("target") == "batch, seq, 32, 8");
  CHECK(model.dims("r") == "batch, seq, 32, 8");
  CHECK(model.dims("y") == "batch, 32, seq, 8");
}

TEST_CASE("D19: reshapes to numbers restrict names, but do not rename them") {
  const AnnotatedModel model(
      "g (float[D32, D128] x, float[batch, channel, D128, D64] y) => (z) {"
      " axes = Constant<value_ints = [0, 1]>() x4 = Unsqueeze(x, axes)"
      " s1 = Constant<value_ints = [1, 32, 128]>() x3 = Reshape(x4, s1)"
      " s2 = Constant<value_ints = [15, 128, 64]>() y3 = Reshape(y, s2) yc = Cast<to = 1>(y3)"
      " m = MatMul(x3, yc) s3 = Constant<value_ints = [3, 5, 32, 64]>() z = Reshape(m, s3) }");
  CHECK(model.report() == "");
  CHECK(model.dims("x") == "D32, D128");
  CHECK(model.dims("x4") == "1, 1, D32, D128");
  CHECK(model.dims("x3") == "1, 32, 128");
  CHECK(model.dims("y3") == "15, 128, 64");
  CHECK(model.dims("m") == "15, 32, 64");
  CHECK(model.dims("z") == "3, 5, 32, 64");
}

TEST_CASE("D20: functions of the model, and attributes that a call gives") {
  const AnnotatedModel model(
      "<ir_version: 10, opset_import: [\"\" : 21, \"my\" : 1]>\n"
      "g (float[3, 4] x, float[3, 4] y) => (z, i) { z = my.add(x, y) i = my.as<type = 7>(x) }\n"
      "<domain: \"my\", opset_import: [\"\" : 21]> add (a, b) => (c) { c = Add(a, b) }\n"
      "<domain: \"my\", opset_import: [\"\" : 21]> as <type> (a) => (c)"
      " { c = Cast<to: int = @type>(a) }");
  CHECK(model.report() == "");
  CHECK(model.type("z") == "float[3, 4]");
  CHECK(model.type("i") == "int64[3, 4]");
}

TEST_CASE("D21: what is wrong with a node ends neither what is before it nor what is after it") {
  const auto checked = [](const std::string& nodes, const char* code) {
    const AnnotatedModel model("g (float[N] x) => (z) { before = Neg(x) " + nodes +
                               " z = Concat<axis = 0>(before, x) }");
    CHECK_THAT(model.report(), ContainsSubstring(code));
    CHECK(model.dims("before") == "N");
    CHECK(model.dims("z") == "2*N");
  };
  checked("no = NoSuchOp(before)", "SHP401");
  checked("late = Neg(later) later = Abs(before)", "SHP007");
  checked("before = Abs(x)", "SHP005");
  checked("no = Neg(nowhere)", "SHP006");
  const AnnotatedModel sorted("g (float[N] x) => (late) { late = Neg(later) later = Abs(x) }");
  CHECK(sorted.dims("late") == "N");
  // An input that is left out is none, and an output that is left out is not made.
  const AnnotatedModel empty(
      "g (float[N, 4] x) => (y) { y = Clip(x, , ) v, i = MaxPool<kernel_shape = [1]>(z)"
      " a = Constant<value_ints = [0, 1]>() z = Unsqueeze(x, a) }");
  CHECK(empty.dims("y") == "N, 4");
}

// D22, which step happened where, is in explanation_test.cc.

/// An inference that has but these names and equalities.
struct Closure {
  Closure() {
    inference.pool = std::make_unique<Pool>();
    inference.symbols = std::make_unique<SymbolTable>(*inference.pool);
    inference.constraints = std::make_unique<ConstraintSet>(*inference.symbols);
  }
  Dim given(const char* name) {
    return inference.symbols->author(name, SymbolKind::kInput, Interval::at_least(0), {});
  }
  Dim made(const char* name) {
    return inference.symbols->fresh(name, Interval::at_least(0),
                                    {.kind = Origin::Kind::kNode, .node = 0});
  }
  void equal(Dim a, Dim b) {
    REQUIRE(!inference.constraints->add_equal(a, b, {}, Holds::kEveryRun));
  }
  std::string named(Dim dim) { return to_text(Namer(inference)(dim)); }

  Inference inference;
};

TEST_CASE("D23: equalities are closed, whatever their order") {
  Closure closure;
  const Dim batch = closure.given("batch");
  const Dim cache_length = closure.given("cache_length");
  const Dim seq_length = closure.given("seq_length");
  const Dim dyn = closure.given("DYN0");
  std::map<std::string, Dim> s;
  for (const char* name :
       {"s0", "s1", "s2", "s3", "s8", "s9", "s10", "s11", "s12", "s13", "s14", "s15"}) {
    s[name] = closure.made(name);
  }
  for (const char* name : {"s8", "s10", "s12", "s14"}) closure.equal(s["s0"], s[name]);
  for (const char* name : {"s0", "s2", "s8", "s10", "s12", "s14"}) closure.equal(batch, s[name]);
  closure.equal(seq_length, s["s1"]);
  for (const char* name : {"s9", "s11", "s13", "s15"}) {
    closure.equal(s["s9"] + seq_length, s["s1"] + s[name]);
    closure.equal(cache_length, s[name]);
  }
  closure.equal(s["s3"], dyn);
  closure.equal(s["s9"] + seq_length, dyn);
  for (const char* name : {"s0", "s2", "s8", "s10", "s12", "s14"}) {
    CHECK(closure.named(s[name]) == "batch");
  }
  CHECK(closure.named(s["s1"]) == "seq_length");
  for (const char* name : {"s9", "s11", "s13", "s15"}) {
    CHECK(closure.named(s[name]) == "cache_length");
  }
  for (const Dim given : {batch, cache_length, seq_length}) {
    CHECK(closure.named(given) == to_text(given));
  }
  // There, names that begin with DYN are banned. Here a name that an input has is the author's.
  CHECK(closure.named(s["s3"]) == "DYN0");
  CHECK(closure.named(s["s9"] + s["s1"]) == "DYN0");
}

TEST_CASE("D23: a chain has no length at which it breaks") {
  Closure closure;
  const Dim a = closure.given("A");
  std::vector<Dim> chain;
  for (int i = 0; i < 20; ++i) chain.push_back(closure.made("u"));
  for (size_t i = 0; i + 1 < chain.size(); ++i) closure.equal(chain[i], chain[i + 1]);
  closure.equal(a, chain.front());
  for (const Dim link : chain) CHECK(closure.named(link) == "A");
}

}  // namespace
}  // namespace onnx_shapes::test
