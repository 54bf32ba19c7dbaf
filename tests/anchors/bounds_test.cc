// What bounds a dim, and how it is written into a model.
#include "anchors/bounds.h"

#include "anchors/written_bounds.h"
#include "tests/anchors/annotated.h"

namespace onnx_shapes::test {
namespace {

/// `>= 1, <= M*N` of an axis.
std::string bounds(const AnnotatedModel& model, std::string_view name, size_t axis) {
  const Inference& inference = model.inferred.inference;
  const Fact& fact = *inference.facts[model.inferred.loaded.value(name)];
  const DimBounds found = Bounds(inference).of((*fact.shape)[axis]);
  std::vector<std::string> texts;
  for (const Dim bound : found.at_least) texts.push_back(">= " + to_text(bound));
  for (const Dim bound : found.at_most) texts.push_back("<= " + to_text(bound));
  return fmt::format("{}", fmt::join(texts, ", "));
}

TEST_CASE("Bounds of a size are those of what is computed from it") {
  const AnnotatedModel model(
      "g (float[N, M] x, bool[5] k, float[5, 2] w) => (a, b, c, d, e, f) { nz = NonZero(x)"
      " a = Transpose(nz) b = Concat<axis = 1>(nz, nz)"
      " one = Constant<value = int64[2, 1] {0, 0}>() c = Concat<axis = 1>(nz, one)"
      " d = Compress<axis = 0>(w, k) flat = Constant<value_ints = [-1]>() e = Reshape(d, flat)"
      " ax = Constant<value_ints = [0]>() n = Unsqueeze(nz, ax) g0 = Cast<to = 1>(n)"
      " f = MaxPool<kernel_shape = [2], strides = [2]>(g0) }");
  CHECK(model.report() == "");
  CHECK(bounds(model, "nz", 1) == "<= M*N");
  CHECK(bounds(model, "a", 0) == "<= M*N");
  CHECK(bounds(model, "b", 1) == "<= 2*M*N");
  CHECK(bounds(model, "c", 1) == ">= 1, <= M*N + 1");
  CHECK(bounds(model, "d", 0) == "<= 5");
  CHECK(bounds(model, "e", 0) == "<= 10");
  CHECK(bounds(model, "f", 2) == "<= M*N//2");
}

TEST_CASE("Bounds go through sizes that were made one from the other") {
  const AnnotatedModel model(
      "g (float[N, M] x) => (y) { nz = NonZero(x) t = Transpose(nz) again = NonZero(t)"
      " y = Neg(again) }");
  // At most twice as many entries as the first has.
  CHECK(bounds(model, "y", 1) == "<= 2*M*N");
}

TEST_CASE("Bounds of what an If gives") {
  const AnnotatedModel model(
      "g (bool c, float[N] a) => (y) {"
      " y = If(c) <then_branch = t () => (t1) { t1 = Concat<axis = 0>(a, a) },"
      "           else_branch = f () => (f1) { f1 = Identity(a) }> }");
  CHECK(bounds(model, "y", 0) == ">= N, <= 2*N");
  // A bound that could not be kept in all runs does not come out of a branch that may not run:
  // where N is 1, N - 3 is no size.
  const AnnotatedModel negative(
      "g (bool c, float[N] a, bool[K] k) => (y) {"
      " y = If(c) <then_branch = t () => (t1) {"
      "   s = Constant<value_ints = [3]>() e = Constant<value_ints = [100]>()"
      "   left = Slice(a, s, e) t1 = Compress<axis = 0>(left, k) },"
      "           else_branch = f () => (f1) { f1 = Identity(a) }> }");
  CHECK(bounds(negative, "y", 0) == "<= N");
}

TEST_CASE("Exact dims have no bounds beside themselves") {
  const AnnotatedModel model(
      "g (float[N, 4] x, float[?] w) => (y, z) { y = Concat<axis = 0>(x, x) z = Neg(w) }");
  const Inference& inference = model.inferred.inference;
  for (const char* name : {"y", "z"}) {
    const Fact& fact = *inference.facts[model.inferred.loaded.value(name)];
    for (const Dim dim : *fact.shape) CHECK(is_exact(inference, dim));
  }
}

TEST_CASE("--bounds writes them by axis, in the author's words") {
  DecideOptions options;
  options.bounds = true;
  const AnnotatedModel model(
      "g (float[N, M] x) => (int64[2, K] y, float[N, M] z, d) {"
      " y = NonZero(x) z = Neg(x) d = Transpose(y) }",
      Trust::kAll, options);
  std::vector<std::string> texts;
  for (const BoundsChange& change : model.changes.bounds) {
    texts.push_back(fmt::format("{} {} {}", role_name(change.role),
                                model.inferred.loaded.model->value(change.value).name,
                                change.text));
  }
  CHECK(texts == std::vector<std::string>{R"(output y {"1":{"at_most":["M*N"]}})", "output z ",
                                          R"(output d {"0":{"at_most":["M*N"]}})"});
}

}  // namespace
}  // namespace onnx_shapes::test
