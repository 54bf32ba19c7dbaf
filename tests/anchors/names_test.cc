// The published cases of anchored inference, and those that text-based mechanisms get wrong. Where
// several names would do, the first declared is written (inputs before value_info and outputs).
#include "tests/anchors/annotated.h"

namespace onnx_shapes::test {
namespace {

using Catch::Matchers::ContainsSubstring;

/// X[N,4] reshaped to [-1,2], Y declared as given.
std::string reshaped(const std::string& y) {
  return "g (float[N, 4] x) => (float[" + y +
         "] y) { s = Constant<value_ints = [-1, 2]>() h = Reshape(x, s) y = Neg(h) }";
}

/// Sets a dim of an output or value_info to a text that the parser does not read.
void set_dim(onnx::ValueInfoProto& info, int axis, const std::string& text) {
  info.mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim(axis)->set_dim_param(
      text);
}

TEST_CASE("An anchor on a compound is kept and recorded") {
  const AnnotatedModel model(reshaped("ANCHOR, 2"));
  CHECK(model.report() == "");
  CHECK(model.dims("y") == "ANCHOR, 2");
  // ANCHOR is a label that only the output has: what it equals is written out elsewhere.
  CHECK(model.dims("h") == "2*N, 2");
  CHECK(model.equalities() == 1);
}

TEST_CASE("An anchor that renames an input's dim changes nothing else") {
  const AnnotatedModel model(
      "g (float[N, 4] x) => (float[ANCHOR, 4] y) { h = Neg(x) y = Relu(h) }");
  CHECK(model.report() == "");
  CHECK(model.dims("x") == "N, 4");
  CHECK(model.dims("h") == "N, 4");
  CHECK(model.dims("y") == "ANCHOR, 4");
}

TEST_CASE("A number that contradicts an anchor is an error, and the declaration stays") {
  const AnnotatedModel model(reshaped("ANCHOR, 4"));
  CHECK_THAT(model.report(), ContainsSubstring("SHP203") && ContainsSubstring("axis 1"));
  CHECK(model.dims("y") == "ANCHOR, 4");
  CHECK(model.dims("h") == "2*N, 2");
}

TEST_CASE("A compound anchor is kept") {
  const AnnotatedModel model(reshaped("t, 2"), Trust::kAll, {}, [](onnx::ModelProto& proto) {
    set_dim(*proto.mutable_graph()->mutable_output(0), 0, "A+B");
  });
  CHECK(model.report() == "");
  CHECK(model.dims("x") == "N, 4");
  CHECK(model.dims("y") == "A+B, 2");
}

/// A cache of past and new keys.
std::string cache(const std::string& mask, const std::string& present) {
  return "g (float[batch, 2, past_seq, 4] past, float[batch, 2, seq, 4] key" + mask +
         ") => (float[batch, 2, " + present +
         ", 4] present, used) {"
         " present = Concat<axis = 2>(past, key) used = Identity(present) }";
}

TEST_CASE("An input symbol that names a compound is written for it; an output's label is not") {
  const AnnotatedModel named(cache(", float[batch, total_seq] mask", "total_seq"));
  CHECK(named.dims("present") == "batch, 2, total_seq, 4");
  CHECK(named.dims("used") == "batch, 2, total_seq, 4");
  const AnnotatedModel label(cache("", "e"));
  CHECK(label.dims("present") == "batch, 2, e, 4");
  CHECK(label.dims("used") == "batch, 2, past_seq + seq, 4");
}

const std::string kNonZero =
    "{ a = Abs(x) b = Relu(a) c = Add(b, b) d = Mul(c, c) nz = NonZero(d) t = Transpose(nz)"
    " f = Cast<to = 1>(t) }";

TEST_CASE("A size from data takes the name that an output gives it") {
  // Two names for one size: nnz is declared first.
  const AnnotatedModel model("g (float[batch, seq] x) => (int64[2, nnz] nz, float[do1, 2] f) " +
                             kNonZero);
  CHECK(model.report() == "");
  CHECK(model.dims("nz") == "2, nnz");
  CHECK(model.dims("t") == "nnz, 2");
  CHECK(model.dims("f") == "do1, 2");
  CHECK(model.dims("d") == "batch, seq");
  const AnnotatedModel unnamed("g (float[batch, seq] x) => (int64[2, ?] nz, float[?, 2] f) " +
                               kNonZero);
  CHECK(unnamed.dims("nz") == "2, NonZero_nz_nnz");
  CHECK(unnamed.dims("t") == "NonZero_nz_nnz, 2");
}

TEST_CASE("A multiple of a size from data names the size") {
  const AnnotatedModel model(
      "g (float[N] x) => (twice, nz, more) <int64[1, twodnz] twice, int64[1, dnz] other> {"
      " nz = NonZero(x) twice = Concat<axis = 1>(nz, nz) one = Constant<value = int64[1, 1] {0}>()"
      " more = Concat<axis = 1>(nz, one) other = Neg(nz) }",
      Trust::kAll, {}, [](onnx::ModelProto& proto) {
        for (auto& info : *proto.mutable_graph()->mutable_value_info()) {
          if (info.name() == "twice") set_dim(info, 1, "2*dnz");
        }
      });
  CHECK(model.report() == "");
  CHECK(model.dims("twice") == "1, 2*dnz");
  CHECK(model.dims("nz") == "1, dnz");
  CHECK(model.dims("more") == "1, dnz + 1");
}

TEST_CASE("The joined dims of an If take the names of what is computed from them") {
  const AnnotatedModel model(
      "g (bool c, float[3, 4] a, float[5, 4] e, bool[5] k, float[3] p, float[5] q)"
      " => (float[B1, 4] out_a, float[B2] out_b) {"
      " y, z = If(c) <then_branch = t () => (t1, t2) { t1 = Neg(a) t2 = Neg(p) },"
      "               else_branch = f () => (f1, f2) { f1 = Compress<axis = 0>(e, k) f2 = Neg(q) }>"
      " out_a = Abs(y) out_b = Neg(z) }");
  CHECK(model.report() == "");
  CHECK(model.dims("y") == "B1, 4");
  CHECK(model.dims("z") == "B2");
}

TEST_CASE("Sizes that operators give") {
  const AnnotatedModel slice(
      "g (float[a, b, c] x) => (y) { s = Constant<value_ints = [0]>()"
      " e = Constant<value_ints = [-1]>() ax = Constant<value_ints = [2]>()"
      " h = Slice(x, s, e, ax) y = Abs(h) }");
  // max(c - 1, 0), since c may be 0.
  CHECK(slice.dims("h") == slice.dims("y"));
  CHECK(slice.dims("y") == "a, b, max(c - 1, 0)");
  const AnnotatedModel pool(
      "g (float[batch, channel, seq] x) => (float[batch, channel, q] y) {"
      " h = MaxPool<kernel_shape = [7], pads = [6, 6], strides = [5]>(x)"
      " y = Neg(h) }",
      Trust::kAll, {}, [](onnx::ModelProto& proto) {
        set_dim(*proto.mutable_graph()->mutable_output(0), 2, "seq//5+2");
      });
  CHECK(pool.report() == "");
  // (seq + 12 - 7)//5 + 1
  CHECK(pool.dims("h") == "batch, channel, seq//5 + 2");
}

TEST_CASE("Halves of a sum, and what is computed from its dims") {
  const AnnotatedModel split(
      "g (float[a, b] x, float[a, c] y) => (float[a, e] z) {"
      " xy = Concat<axis = 1>(x, y) s1, s2 = Split<axis = 1,"
      " num_outputs = 2>(xy) zs = Concat<axis = 1>(s2, s1) z = Tanh(zs) }");
  CHECK(split.report() == "");
  CHECK(split.dims("xy") == "a, b + c");
  CHECK(split.dims("s1") == "a, (b + c + 1)//2");
  CHECK(split.dims("zs") == "a, b + c");
  CHECK(split.dims("z") == "a, e");
  const AnnotatedModel shape(
      "g (float[N, 1] x, float[1, B] y1) => (z) {"
      " n = Shape<start = 0, end = 1>(x) b = Shape<start = 1, end = 2>(x)"
      " s = Concat<axis = 0>(n, b) one = Constant<value_ints = [1]>()"
      " s1 = Add(s, one) s2 = Sub(s1, one) e = Expand(x, s2)"
      " z = Add(e, y1) }");
  CHECK(shape.dims("e") == "N, 1");
  CHECK(shape.dims("z") == "N, B");
  const AnnotatedModel shared(
      "g (float[X, D] ids) => (y) { s = Shape(ids) k ="
      " Constant<value_ints = [32, 8]>() t = Concat<axis = 0>(s, k)"
      " y = ConstantOfShape(t) }");
  CHECK(shared.dims("y") == "X, D, 32, 8");
}

TEST_CASE("Reshapes that split and join a dim") {
  const AnnotatedModel model(
      "g (float[a, b, c] x) => (y) {"
      " s = Constant<value_ints = [0, 0, 2, -1]>() h = Reshape(x, s)"
      " t = Constant<value_ints = [0, 0, -1]>() y = Reshape(h, t) }");
  CHECK(model.dims("h") == "a, b, 2, c//2");
  // c in every run: it is even where the first Reshape can be done.
  CHECK(model.dims("y") == "a, b, 2*(c//2)");
}

TEST_CASE("Reshapes to numbers restrict names, but do not rename them") {
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
  CHECK(model.dims("m") == "15, 32, 64");
  CHECK(model.dims("z") == "3, 5, 32, 64");
}

TEST_CASE("Unnamed dims record nothing") {
  const AnnotatedModel model(
      "g (float[?, 4] x, float[?, 5] w) => (float[N, 4] y, float[?, 5] v) {"
      " y = Relu(x) v = Relu(w) }");
  CHECK(model.report() == "");
  CHECK(model.dims("y") == "N, 4");
  CHECK(model.dims("v") == "w_0, 5");
}

TEST_CASE("The constant of an equality is not dropped") {
  // nz is K - 1 long.
  const AnnotatedModel model(
      "g (float[N] x) => (int64[1, K] more, nz) { nz = NonZero(x)"
      " one = Constant<value = int64[1, 1] {0}>()"
      " more = Concat<axis = 1>(nz, one) }");
  CHECK(model.report() == "");
  CHECK(model.dims("more") == "1, K");
  CHECK(model.dims("nz") == "1, K - 1");
}

TEST_CASE("A compound takes the place of a symbol with its parentheses") {
  const AnnotatedModel model(
      "g (float[N] x, float[A] p, float[B] q) => (int64[1, t] nz, twice, half) { nz = NonZero(x)"
      " twice = Concat<axis = 1>(nz, nz) zero = Constant<value_ints = [0]>()"
      " n = Unsqueeze(nz, zero) f = Cast<to = 1>(n)"
      " half = MaxPool<kernel_shape = [2], strides = [2]>(f) }",
      Trust::kAll, {}, [](onnx::ModelProto& proto) {
        set_dim(*proto.mutable_graph()->mutable_output(0), 1, "A+B");
      });
  CHECK(model.dims("nz") == "1, A + B");
  CHECK(model.dims("twice") == "1, 2*A + 2*B");
  CHECK(model.dims("half") == "1, 1, (A + B)//2");
}

TEST_CASE("What is known of a symbol is simplified") {
  // With nz = N, nz + N is 2*N.
  const AnnotatedModel model(
      "g (float[N] x, int64[1, N] z) => (int64[1, N] nz, y) {"
      " nz = NonZero(x) y = Concat<axis = 1>(nz, z) }");
  CHECK(model.report() == "");
  CHECK(model.dims("y") == "1, 2*N");
}

TEST_CASE("A number that a declaration gives to a size is used") {
  const AnnotatedModel model(
      "g (float[N] x) => (int64[1, 4] nz, twice) { nz = NonZero(x)"
      " twice = Concat<axis = 1>(nz, nz) }");
  CHECK(model.report() == "");
  CHECK(model.dims("twice") == "1, 8");
}

TEST_CASE("One name cannot be two numbers") {
  const AnnotatedModel model(
      "g (float[3] x, float[4] z) => (float[K] a, float[K] b) {"
      " a = Neg(x) b = Neg(z) }");
  CHECK_THAT(model.report(), ContainsSubstring("SHP203"));
  // What was declared stays as it was.
  CHECK(model.dims("a") == "K");
  CHECK(model.dims("b") == "K");
}

TEST_CASE("A size that is half of a declared one") {
  const AnnotatedModel model(
      "g (float[N] x) => (int64[1, K] twice, nz) { nz = NonZero(x)"
      " twice = Concat<axis = 1>(nz, nz) }");
  CHECK(model.report() == "");
  CHECK(model.dims("nz") == "1, K//2");
}

TEST_CASE("A conflict leaves nothing recorded for its symbols") {
  // Axis 1 of y contradicts; h is not renamed by a declaration that is wrong in rank.
  const AnnotatedModel model(
      "g (float[N] x) => (int64[K] nz, t) { nz = NonZero(x)"
      " t = Transpose(nz) }");
  CHECK_THAT(model.report(), ContainsSubstring("SHP201"));
  CHECK(model.dims("t") == "NonZero_nz_nnz, 1");
  CHECK(model.equalities() == 0);
}

TEST_CASE("--trust says which declarations name what was inferred") {
  const std::string text =
      "g (float[N] x) => (int64[1, K] nz, int64[?, 1] t) <int64[1, V] m> { m = NonZero(x)"
      " nz = Identity(m) t = Transpose(nz) }";
  CHECK(AnnotatedModel(text, Trust::kAll).equalities() == 2);
  CHECK(AnnotatedModel(text, Trust::kOutputs).dims("t") == "K, 1");
  const AnnotatedModel none(text, Trust::kNone);
  CHECK(none.equalities() == 0);
  CHECK(none.dims("t") == "NonZero_m_nnz, 1");
  CHECK(none.dims("nz") == "1, K");
}

TEST_CASE("Names that onnx's inference left give way to the author's") {
  const AnnotatedModel model(
      "g (float[N, 4] x) => (y) <float[unk__3, 8] h, float[unk__4, 8] z> {"
      " h = Concat<axis = 1>(x, x) z = Neg(h) y = Relu(z) }");
  CHECK(model.report() == "");
  CHECK(model.dims("h") == "N, 8");
  CHECK(model.dims("z") == "N, 8");
  CHECK(model.dims("y") == "N, 8");
}

TEST_CASE("Names that are no identifiers are names") {
  const auto rename = [](const std::string& name) {
    return [name](onnx::ModelProto& proto) {
      set_dim(*proto.mutable_graph()->mutable_input(0), 0, name);
    };
  };
  for (const char* name : {"seq-length", "past.seq", "N M", "2"}) {
    INFO(name);
    const AnnotatedModel model(
        "g (float[n, 4] x) => (y, z) { y = Neg(x)"
        " z = Concat<axis = 0>(x, x) }",
        Trust::kAll, {}, rename(name));
    CHECK(model.dims("y") == std::string(name) + ", 4");
    CHECK(model.dims("x") == std::string(name) + ", 4");
  }
}

TEST_CASE("One value has one spelling") {
  const AnnotatedModel model(
      "g (float[batch, past, 8] p, float[batch, new, 8] k, float[batch, total]"
      " mask) => (float[batch, total, 8] a, b, c, d) {"
      " a = Concat<axis = 1>(p, k) b = Concat<axis = 1>(k, p)"
      " c = Concat<axis = 1>(k, a, p) d = Concat<axis = 1>(k, k, p, p) }");
  CHECK(model.report() == "");
  CHECK(model.dims("b") == "batch, total, 8");
  CHECK(model.dims("c") == "batch, 2*total, 8");
  CHECK(model.dims("d") == "batch, 2*total, 8");
}

TEST_CASE("Local functions, and loops whose length is a dim") {
  CHECK(AnnotatedModel("<ir_version: 10, opset_import: [\"\" : 21, \"my\" : 1]>\n"
                       "g (float[3, 4] x, float[3, 4] y) => (z) { z = my.add(x, y) }\n"
                       "<domain: \"my\", opset_import: [\"\" : 21]> add (a, b) => (c)"
                       " { c = Add(a, b) }")
            .dims("z") == "3, 4");
  CHECK(AnnotatedModel("g (float[batch, features] x) => (y) { s = Shape(x)"
                       " zero = Constant<value_ints = [0]>() n1 = Gather(s, zero)"
                       " n = Squeeze(n1) go = Constant<value = bool {1}>()"
                       " h = Loop(n, go) <body = body (int64 i, bool c) => (c2, d) {"
                       " c2 = Identity(c) row = Gather(x, i) diff = Sub(x, row)"
                       " sq = Mul(diff, diff) ax = Constant<value_ints = [-1]>()"
                       " sum = ReduceSum<keepdims = 0>(sq, ax) d = Sqrt(sum) }> y = Abs(h) }")
            .dims("y") == "batch, batch");
}

}  // namespace
}  // namespace onnx_shapes::test
