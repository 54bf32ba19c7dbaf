// What mechanisms that work on texts get wrong or cannot do, 0 to 10 in the study of one: the right
// answer follows from arithmetic.
#include "anchors/bounds.h"
#include "tests/anchors/annotated.h"

namespace onnx_shapes::test {
namespace {

using Catch::Matchers::ContainsSubstring;

TEST_CASE("0: unnamed dims are not one another") {
  const AnnotatedModel one(
      "g (float[?, 4] x, float[?, 5] w) => (float[N, 4] y, float[?, 5] v) {"
      " y = Relu(x) v = Relu(w) }");
  CHECK(one.report() == "");
  CHECK(one.dims("y") == "N, 4");
  CHECK(one.dims("v") == "w_0, 5");
  const AnnotatedModel two(
      "g (float[?, 4] x, float[?, 5] w, float[?] z) => (float[N, 4] y, float[M, 5] v, u) {"
      " y = Relu(x) v = Relu(w) u = Relu(z) }");
  CHECK(two.report() == "");
  CHECK(two.dims("y") == "N, 4");
  CHECK(two.dims("v") == "M, 5");
  CHECK(two.dims("u") == "z_0");
}

TEST_CASE("1: the constant of an equality is not dropped") {
  const AnnotatedModel model(
      "g (float[N] x) => (int64[1, K] more, nz, less) { nz = NonZero(x)"
      " one = Constant<value = int64[1, 1] {0}>()"
      " more = Concat<axis = 1>(nz, one) less = Concat<axis = 1>(nz, one, one) }");
  CHECK(model.report() == "");
  CHECK(model.dims("more") == "1, K");
  CHECK(model.dims("nz") == "1, K - 1");
  CHECK(model.dims("less") == "1, K + 1");
}

TEST_CASE("2: a compound takes the place of a symbol as a whole") {
  const AnnotatedModel model(with_dim(
      "g (float[N] x, float[A] p, float[B] q) => (int64[1, t] nz, twice, half, left) {"
      " nz = NonZero(x) twice = Concat<axis = 1>(nz, nz) zero = Constant<value_ints = [0]>()"
      " n = Unsqueeze(nz, zero) f = Cast<to = 1>(n)"
      " half = MaxPool<kernel_shape = [2], strides = [2]>(f)"
      " from = Shape<start = 1>(nz) end = Constant<value_ints = [9223372036854775807]>()"
      " left = Slice(x, from, end) }",
      "nz", 1, "A+B"));
  CHECK(model.report() == "");
  CHECK(model.dims("twice") == "1, 2*A + 2*B");
  CHECK(model.dims("half") == "1, 1, (A + B)//2");
  // The size is at most N.
  CHECK(model.dims("left") == "N - A - B");
}

TEST_CASE("3: what is known of a symbol is worked out") {
  // The size is N.
  const AnnotatedModel model(
      "g (float[N] x, int64[1, N] z) => (int64[1, N] nz, sum, four, back) {"
      " nz = NonZero(x) sum = Concat<axis = 1>(nz, z)"
      " four = Concat<axis = 0>(nz, nz, nz, nz) n = Shape<start = 1>(z)"
      " rest = Constant<value_ints = [-1]>() target = Concat<axis = 0>(n, rest)"
      " back = Reshape(four, target)"
      " size = Shape<start = 1>(nz) end = Constant<value_ints = [9223372036854775807]>()"
      " axes = Constant<value_ints = [1]>() none = Slice(sum, size, end, axes) }");
  CHECK(model.report() == "");
  CHECK(model.dims("sum") == "1, 2*N");
  CHECK(model.dims("back") == "N, 4");  // 4*size//N
  CHECK(model.dims("none") == "1, N");  // size + N - size
}

TEST_CASE("4: a name for a sum is found in any order, with other terms and factors") {
  const AnnotatedModel model(
      "g (float[batch, past, 8] p, float[batch, new, 8] k, float[batch, total] mask,"
      "   float[batch, 1, 8] one) => (float[batch, total, 8] a, b, c, d, e, f) {"
      " a = Concat<axis = 1>(p, k) b = Concat<axis = 1>(k, p) e = Concat<axis = 1>(one, p, k)"
      " c = Concat<axis = 1>(k, a, p) d = Concat<axis = 1>(k, k, p, p)"
      " flat = Constant<value_ints = [-1, 8]>() f = Reshape(b, flat) }");
  CHECK(model.report() == "");
  CHECK(model.dims("a") == "batch, total, 8");
  CHECK(model.dims("b") == "batch, total, 8");
  CHECK(model.dims("e") == "batch, total + 1, 8");
  CHECK(model.dims("c") == "batch, 2*total, 8");
  CHECK(model.dims("d") == "batch, 2*total, 8");
  CHECK(model.dims("f") == "batch*total, 8");
}

TEST_CASE("4: a name for a sum is found inside of other operators") {
  const AnnotatedModel model(
      "g (float[past, 8] p, float[new, 8] k, float[total] mask, float[other, 1] m)"
      " => (float[total, 8] a, half, wide, most) {"
      " a = Concat<axis = 0>(k, p) row = Transpose(a) zero = Constant<value_ints = [0]>()"
      " image = Unsqueeze(row, zero) half = MaxPool<kernel_shape = [2], strides = [2]>(image)"
      " wide = Add(p2, m2) p2 = Concat<axis = 0>(p, k) m2 = Identity(m)"
      " start = Constant<value_ints = [1]>() end = Constant<value_ints = [9223372036854775807]>()"
      " most = Slice(a, start, end) }");
  CHECK(model.dims("half") == "1, 8, total//2");
  CHECK(model.dims("wide") == "broadcast(other, total), 8");
  CHECK(model.dims("most") == "max(total - 1, 0), 8");
}

// 5, a chain of equalities: D23 in published_test.cc.

TEST_CASE("5: of two names for one size the one that is declared first is written") {
  const auto named = [](const std::string& first, const std::string& second) {
    const AnnotatedModel model("g (float[N] x) => (int64[1, " + first + "] a, int64[1, " + second +
                               "] b, nz) { nz = NonZero(x) a = Identity(nz) b = Identity(nz) }");
    CHECK(model.report() == "");
    CHECK(model.dims("a") == "1, " + first);
    CHECK(model.dims("b") == "1, " + second);
    return model.dims("nz");
  };
  CHECK(named("beta", "alpha") == "1, beta");
  CHECK(named("alpha", "beta") == "1, alpha");
}

TEST_CASE("6: a number that a declaration gives to a size is used wherever the size stands") {
  const AnnotatedModel model(
      "g (float[N] x) => (int64[1, 4] y, nz, twice, more) { nz = NonZero(x) y = Identity(nz)"
      " twice = Concat<axis = 1>(nz, nz) one = Constant<value = int64[1, 1] {0}>()"
      " more = Concat<axis = 1>(nz, one) }");
  CHECK(model.report() == "");
  CHECK(model.dims("nz") == "1, 4");
  CHECK(model.dims("twice") == "1, 8");
  CHECK(model.dims("more") == "1, 5");
}

TEST_CASE("7: a name cannot be two numbers") {
  const AnnotatedModel twice(
      "g (float[3] x, float[4] z) => (float[K] a, float[K] b) { a = Neg(x) b = Neg(z) }");
  CHECK_THAT(twice.report(), ContainsSubstring("SHP203") && ContainsSubstring("declared K") &&
                                 ContainsSubstring("inferred 4"));
  CHECK(twice.dims("a") == "K");
  CHECK(twice.dims("b") == "K");
  // The model needs N == 3, so an output of length 4 is not N.
  const AnnotatedModel input(
      "g (float[2, N] x, float[3, 5] w, float[4] z) => (float[N] y, m) {"
      " m = MatMul(x, w) y = Neg(z) }");
  CHECK_THAT(input.report(), ContainsSubstring("SHP203") && ContainsSubstring("declared N") &&
                                 ContainsSubstring("inferred 4"));
  REQUIRE(input.inferred.loaded.findings.all().size() == 1);
  const std::vector<Note>& notes = input.inferred.loaded.findings.all().front().notes;
  REQUIRE(notes.size() == 1);
  CHECK(notes.front().place.value_or(Place()).node == "MatMul_0");
}

TEST_CASE("7: a number declared beside a name that the caller chooses asserts nothing of others") {
  const AnnotatedModel model(
      "g (float[N] x, float[4] z) => (float[N] y, v) { y = Neg(z) v = Neg(x) }");
  CHECK(model.dims("y") == "N");
  CHECK(model.dims("v") == "N");
}

TEST_CASE("8: a size that is half of a declared one") {
  const AnnotatedModel model(
      "g (float[N] x) => (int64[1, K] twice, nz) { nz = NonZero(x)"
      " twice = Concat<axis = 1>(nz, nz) }");
  CHECK(model.report() == "");
  CHECK(model.dims("twice") == "1, K");
  CHECK(model.dims("nz") == "1, K//2");
}

TEST_CASE("9: names that tools left give way to the author's") {
  const AnnotatedModel exact(
      "g (float[N, 4] x) => (y) <float[unk__3, 8] h, float[unk__4, 8] z, float[Neg_1_o0__d0, 8] a,"
      " float[_d0, 8] b> { h = Concat<axis = 1>(x, x) z = Neg(h) a = Neg(z) b = Neg(a) y = Relu(b) "
      "}");
  CHECK(exact.report() == "");
  for (const char* name : {"h", "z", "a", "b", "y"}) CHECK(exact.dims(name) == "N, 8");
  // The author has named the size since, on an output.
  const AnnotatedModel renamed(
      "g (float[N] x) => (int64[1, found] y) <int64[1, NonZero_nz_nnz] nz, int64[NonZero_nz_nnz, "
      "1] t>"
      " { nz = NonZero(x) t = Transpose(nz) y = Neg(nz) }");
  CHECK(renamed.report() == "");
  CHECK(renamed.dims("nz") == "1, found");
  CHECK(renamed.dims("t") == "found, 1");
  // Where nobody has, what was written stays.
  const AnnotatedModel again(
      "g (float[N] x) => (y) <int64[1, NonZero_nz_nnz] nz> { nz = NonZero(x) y = Neg(nz) }");
  CHECK(again.dims("nz") == "1, NonZero_nz_nnz");
  CHECK(again.dims("y") == "1, NonZero_nz_nnz");
}

TEST_CASE("9: a name that an exporter made up stays on an output, as published") {
  const AnnotatedModel model(
      "g (float[N, 4] x) => (float[Negz_dim_0, 4] y) <float[Negz_dim_0, 4] z> "
      "{ z = Neg(x) y = Relu(z) }");
  CHECK(model.report() == "");
  CHECK(model.dims("z") == "N, 4");
  CHECK(model.dims("y") == "Negz_dim_0, 4");
}

TEST_CASE("9: a name on an input is the caller's, whoever made it up") {
  const AnnotatedModel model(
      "g (float[unk__3, 4] x) => (float[M, 4] y, z) { y = Neg(x) z = Neg(y) }");
  CHECK(model.dims("x") == "unk__3, 4");
  CHECK(model.dims("y") == "M, 4");
  CHECK(model.dims("z") == "unk__3, 4");
}

TEST_CASE("10: names that are no identifiers are names") {
  for (const char* name : {"seq-length", "past.seq", "N M", "x[0]", "Conv.X:0", "2"}) {
    INFO(name);
    const AnnotatedModel model(
        with_dim("g (float[n, 4] x) => (y, z, w) { y = Neg(x) z = Concat<axis = 0>(x, x)"
                 " flat = Constant<value_ints = [-1]>() w = Reshape(x, flat) }",
                 "x", 0, name));
    CHECK(model.report() == "");
    CHECK(model.dims("x") == std::string(name) + ", 4");
    CHECK(model.dims("y") == std::string(name) + ", 4");
    const std::string quoted =
        is_identifier(name) ? std::string(name) : "'" + std::string(name) + "'";
    CHECK(model.dims("z") == "2*" + quoted + ", 4");
    CHECK(model.dims("w") == "4*" + quoted);
  }
}

}  // namespace
}  // namespace onnx_shapes::test
