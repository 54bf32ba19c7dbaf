// Which declarations are used, and what a contradiction does.
#include "anchors/decide.h"
#include "tests/anchors/annotated.h"

namespace onnx_shapes::test {
namespace {

using Catch::Matchers::ContainsSubstring;

TEST_CASE("A contradiction leaves nothing recorded") {
  // The rank is wrong.
  const AnnotatedModel rank(
      "g (float[N] x) => (int64[K] nz, t) { nz = NonZero(x) t = Transpose(nz) }");
  CHECK_THAT(rank.report(), ContainsSubstring("SHP201"));
  CHECK(rank.dims("t") == "NonZero_nz_nnz, 1");
  CHECK(rank.equalities() == 0);
  // One axis fits, another one does not.
  const AnnotatedModel axis(
      "g (float[N] x) => (int64[7, K] nz, t) { nz = NonZero(x) t = Transpose(nz) }");
  CHECK_THAT(axis.report(), ContainsSubstring("SHP203"));
  CHECK(axis.dims("t") == "NonZero_nz_nnz, 1");
  CHECK(axis.equalities() == 0);
  const AnnotatedModel later(
      "g (float[N] x) => (int64[K, 3] t, nz) { nz = NonZero(x) t = Transpose(nz) }");
  CHECK_THAT(later.report(), ContainsSubstring("SHP203"));
  CHECK(later.dims("nz") == "1, NonZero_nz_nnz");
  CHECK(later.equalities() == 0);
}

TEST_CASE("A compound gives way to a shorter one that the model needs it to equal") {
  const AnnotatedModel model(
      "g (float[N, 4] x) => (a, b, y) <int64[1] sixteen = {16}, int64[1] one = {1}, int64[1] four "
      "= "
      "{4}, float unit = {1}> { s = Shape<end = 1>(x) q = Div(s, sixteen) m = Max(q, one)"
      " most = Concat<axis = 0>(m, four) few = Concat<axis = 0>(q, four)"
      " a = Expand(unit, most) b = Expand(unit, few) y = Concat<axis = 1>(a, b) }");
  CHECK(model.dims("a") == "N//16, 4");
  CHECK(model.dims("b") == "N//16, 4");
  CHECK(model.dims("y") == "N//16, 8");
}

TEST_CASE("A compound gives way to the number that it is known to be") {
  // The number of elements that are not 0 is at most 1.
  const AnnotatedModel by_range(
      "g (float[1] x) => (y) <int64[1] two = {2}, float[1] unit = {1}> { nz = NonZero(x)"
      " s = Shape<start = 1>(nz) q = Div(s, two) y = Expand(unit, q) }");
  CHECK(by_range.dims("y") == "0");
  // The Reshape needs three elements.
  const AnnotatedModel by_need(
      "g (int64[2] x) => (y, z) <float[1] unit = {1}, int64[2] target = {1, 3}> {"
      " m = ReduceMax<keepdims = 1>(x) y = Expand(unit, m) z = Reshape(y, target) }");
  CHECK(by_need.dims("y") == "3");
  // The MatMul needs as many columns as the other side has rows.
  const AnnotatedModel product(
      "g (int64[2] x) => (y, z) <float[1] unit = {1}, float[6, 1] six = {1, 1, 1, 1, 1, 1}, "
      "int64[1] one = {1}> {"
      " e = ReduceProd<keepdims = 1>(x) target = Concat<axis = 0>(one, e)"
      " y = Expand(unit, target) z = MatMul(y, six) }");
  CHECK(product.dims("y") == "1, 6");
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

TEST_CASE("A contradicted value_info is replaced with --drop-stale, and is no error then") {
  const std::string text =
      "g (float[N, 4] x) => (y) <float[N, 9] h, float[N, N, N] k, float[N, 8] good> {"
      " h = Concat<axis = 1>(x, x) k = Neg(h) good = Neg(k) y = Relu(good) }";
  const AnnotatedModel kept(text);
  CHECK_THAT(kept.report(), ContainsSubstring("SHP203") && ContainsSubstring("SHP201"));
  CHECK(kept.dims("h") == "N, 9");
  CHECK(kept.dims("k") == "N, N, N");
  DecideOptions options;
  options.drop_stale = true;
  const AnnotatedModel dropped(text, Trust::kAll, options);
  CHECK(dropped.inferred.loaded.findings.count(Severity::kError) == 0);
  CHECK(dropped.inferred.loaded.findings.count(Severity::kWarning) == 2);
  CHECK(dropped.dims("h") == "N, 8");
  CHECK(dropped.dims("k") == "N, 8");
  CHECK(dropped.dims("good") == "N, 8");
  CHECK(dropped.changes.remove.empty());
}

TEST_CASE("Value_info of no value is removed with --drop-stale, an output never") {
  const Source source =
      "g (float[N, 4] x) => (float[N, 9] y) <float[N] gone> { y = Concat<axis = 1>(x, x) }";
  DecideOptions options;
  options.drop_stale = true;
  const AnnotatedModel model(source, Trust::kAll, options);
  CHECK_THAT(model.report(), ContainsSubstring("SHP203"));
  CHECK(model.inferred.loaded.findings.count(Severity::kError) == 1);
  CHECK(model.dims("y") == "N, 9");
  REQUIRE(model.changes.remove.size() == 1);
  const Model& loaded = *model.inferred.loaded.model;
  CHECK(loaded.annotations()[model.changes.remove.front()].name == "gone");
  CHECK(AnnotatedModel(source).changes.remove.empty());
}

TEST_CASE("Changes of the interface are told") {
  const auto told = [](const Source& source, const DecideOptions& options = {}) {
    const AnnotatedModel model(source, Trust::kAll, options);
    std::string text;
    for (const PublicChange& change : model.public_changes) {
      text += fmt::format("{} {} {} {}->{};", role_name(change.role),
                          model.inferred.loaded.model->value(change.value).name,
                          change.axis ? std::to_string(*change.axis) : "all", change.before,
                          change.after);
    }
    return text;
  };
  CHECK(told("g (float[N] x) => (float[N] y) { h = Neg(x) y = Neg(h) }") == "");
  CHECK(told("g (float[?, 4] x) => (float[?, ?] y, float[?, 8] z) {"
             " y = Neg(x) z = Concat<axis = 1>(x, x) }") ==
        "input x 0 ?->x_0;output y 0 ?->x_0;output y 1 ?->4;output z 0 ?->x_0;");
  // What an output calls the dim is written where it was unnamed.
  CHECK(told("g (float[?, 4] x) => (float[N, 4] y, float[?, 8] z) {"
             " y = Neg(x) z = Concat<axis = 1>(x, x) }") == "output z 0 ?->N;");
  CHECK(told("g (float[N] x) => (y) { y = Neg(x) }") == "output y all no type->float[N];");
  DecideOptions full;
  full.outputs = Outputs::kFull;
  CHECK(told("g (float[N] x) => (float[M] y) { y = Neg(x) }", full) == "output y 0 M->N;");
  DecideOptions keep;
  keep.outputs = Outputs::kKeep;
  keep.name_inputs = false;
  CHECK(told("g (float[?, 4] x) => (float[?, ?] z) { z = Concat<axis = 1>(x, x) }", keep) == "");
}

TEST_CASE("Local functions") {
  CHECK(AnnotatedModel("<ir_version: 10, opset_import: [\"\" : 21, \"my\" : 1]>\n"
                       "g (float[N, 4] x, float[N, 4] y) => (z) { z = my.add(x, y) }\n"
                       "<domain: \"my\", opset_import: [\"\" : 21]> add (a, b) => (c)"
                       " { c = Add(a, b) }")
            .dims("z") == "N, 4");
}

}  // namespace
}  // namespace onnx_shapes::test
