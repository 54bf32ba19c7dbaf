// The way back from a dim: which values it goes through, which nodes made them (D22 of the
// published cases asks for that), and why it reads as it does.
#include "anchors/explanation.h"

#include "infer/schema_fallback.h"
#include "rules/rules.h"
#include "tests/anchors/annotated.h"

namespace onnx_shapes::test {
namespace {

/// A model and its explanations, each step as a line of text:
///   y[0]=2*N node Reshape_0 <- x[0] s{1}; made K by d; since N == M; called Z; <= N
class Explained {
 public:
  explicit Explained(const Source& source)
      : annotated(source),
        fallback_(make_schema_fallback(*annotated.inferred.loaded.model)),
        probe_(*annotated.inferred.loaded.model, default_rules(), fallback_.get(), {},
               annotated.inferred.inference),
        explainer_(model(), inference(), probe_) {}

  [[nodiscard]] std::string axis(std::string_view name, uint32_t axis,
                                 std::string_view path = "graph") {
    return text(explainer_.explain(
        {annotated.inferred.loaded.value(name, path), Part::Kind::kDim, axis}, 100));
  }
  [[nodiscard]] std::string length(std::string_view name) {
    return text(
        explainer_.explain({annotated.inferred.loaded.value(name), Part::Kind::kLength, 0}, 100));
  }
  [[nodiscard]] std::string rank(std::string_view name) {
    return text(explainer_.explain_rank(annotated.inferred.loaded.value(name)));
  }
  [[nodiscard]] const Model& model() const { return *annotated.inferred.loaded.model; }
  [[nodiscard]] Inference& inference() { return annotated.inferred.inference; }

  AnnotatedModel annotated;

 private:
  static std::string dim_text(Dim dim) { return dim.known() ? to_text(dim) : "?"; }

  std::string part_text(Part part, bool whole = false) {
    const Value& value = model().value(part.value);
    const std::string scope =
        value.scope == model().main_graph() ? std::string() : model().scope(value.scope).path + "/";
    if (whole) return scope + std::string(value.name);
    return fmt::format("{}{}{}", scope, value.name,
                       part.kind == Part::Kind::kDim       ? fmt::format("[{}]", part.index)
                       : part.kind == Part::Kind::kElement ? fmt::format("{{{}}}", part.index)
                                                           : "#");
  }

  std::string text(const Explainer::Explanation& explanation) {
    static constexpr const char* kKinds[] = {"input", "constant", "body input", "node", "through"};
    std::string all;
    for (const Step& step : explanation.steps) {
      all += fmt::format("{}={} {}", part_text(step.part, step.whole), dim_text(step.dim),
                         kKinds[static_cast<size_t>(step.kind)]);
      for (const NodeId node : step.nodes) all += " " + model().node_label(node);
      for (size_t i = 0; i < step.sources.size(); ++i) {
        all += (i == 0 ? " <- " : " ") + part_text(step.sources[i], step.whole);
      }
      for (const Reason& reason : step.reasons) all += "; " + text(reason);
      for (const Dim bound : step.bounds.at_least) all += "; >= " + dim_text(bound);
      for (const Dim bound : step.bounds.at_most) all += "; <= " + dim_text(bound);
      all += "\n";
    }
    return all;
  }

  std::string names(const std::vector<ValueId>& values) const {
    std::vector<std::string_view> result;
    for (const ValueId value : values) result.push_back(model().value(value).name);
    return fmt::format("{}", fmt::join(result, ","));
  }

  std::string text(const Reason& reason) {
    switch (reason.kind) {
      case Reason::Kind::kReads: {
        std::vector<std::string> equalities;
        for (const uint32_t index : reason.equalities) {
          const Equality& equality = inference().constraints->equalities()[index];
          equalities.push_back(to_text(equality.a) + " == " + to_text(equality.b));
        }
        return fmt::format("since {}", fmt::join(equalities, ", "));
      }
      case Reason::Kind::kMade:
        return fmt::format("made {} by {} of {}", to_text(reason.dim), names(reason.data),
                           names(reason.inputs));
      case Reason::Kind::kNameless:
        return reason.body == kNoId ? "nameless" : "varies in " + model().scope(reason.body).path;
      case Reason::Kind::kUnnamed:
        return "unnamed";
      case Reason::Kind::kDeclared:
        return "called otherwise";
      case Reason::Kind::kStandsIn:
        return "declared";
      case Reason::Kind::kUnknownRank:
        return fmt::format("rank by {} of {}", names(reason.data), names(reason.inputs));
    }
    return {};
  }

  std::unique_ptr<Fallback> fallback_;
  Probe probe_;
  Explainer explainer_;
};

TEST_CASE("D22: inputs, initializers and nodes on the way") {
  Explained model(
      "g (float[N, 4] x) => (float[?, 2] y) <int64[2] s = {-1, 2}> { h = Neg(x) y = Reshape(h, s) "
      "}");
  CHECK(model.axis("y", 0) ==
        "y[0]=2*N node Reshape_1 <- h[0] h[1] s{1}\n"
        "h[0]=N through Neg_0 <- x[0]\n"
        "x[0]=N input\n"
        "h[1]=4 through Neg_0 <- x[1]\n"
        "x[1]=4 input\n");
  CHECK(model.axis("y", 1) == "y[1]=2 through Reshape_1 <- s{1}\n");
  CHECK(model.axis("s", 0) == "s[0]=2 constant\n");
}

TEST_CASE("D22: branches and loop bodies by their paths") {
  Explained branches(
      "g (bool c, float[N] a, float[M] b) => (y) {"
      " y = If(c) <then_branch = t () => (t1) { t1 = Neg(a) },"
      "           else_branch = f () => (f1) { f1 = Concat<axis = 0>(b, b) }> }");
  CHECK(branches.axis("y", 0) ==
        "y[0]=If_y_d0 node If_0 <- graph/If_0.then_branch/t1[0] graph/If_0.else_branch/f1[0]; "
        "made If_y_d0 by c of c; >= min(2*M, N); <= max(2*M, N)\n"
        "graph/If_0.then_branch/t1[0]=N through Neg_0 <- a[0]\n"
        "a[0]=N input\n"
        "graph/If_0.else_branch/f1[0]=2*M node Concat_0 <- b[0]\n"
        "b[0]=M input\n");
  Explained loop(
      "g (int64 n, float[N, K] x) => (y, s) { go = Constant<value = bool {1}>()"
      " y, s = Loop(n, go, x) <body = body (int64 i, bool c, v) => (c2, w, z) {"
      " c2 = Identity(c) w = Concat<axis = 0>(v, v) z = Neg(x) }> }");
  CHECK(loop.axis("v", 0, "graph/Loop_1.body") ==
        "graph/Loop_1.body/v[0]=? body input Loop_1 <- x[0] graph/Loop_1.body/w[0]; varies in "
        "graph/Loop_1.body\n"
        "x[0]=N input\n"
        "graph/Loop_1.body/w[0]=? node Concat_1 <- graph/Loop_1.body/v[0]; varies in "
        "graph/Loop_1.body\n");
  CHECK(loop.axis("y", 1) == "y[1]=K through Loop_1 <- x[1]\nx[1]=K input\n");
  // The body runs n times, since go is true.
  CHECK(loop.axis("s", 0) ==
        "s[0]=max(n_value, 0) node Loop_1 <- n{0} go{0}\n"
        "n{0}=n_value input; made n_value by n of n\n");
}

TEST_CASE("Sizes that only a run knows, and the data that decides them") {
  Explained model(
      "g (float[N, M] x, bool[N] keep, float[K] w) => (y) { d = Mul(x, x) k = Compress<axis = "
      "0>(d, keep)"
      " nz = NonZero(k) y = Transpose(nz) }");
  CHECK(model.axis("y", 0) ==
        "y[0]=NonZero_nz_nnz through Transpose_3 <- nz[1]; <= M*N\n"
        "nz[1]=NonZero_nz_nnz node NonZero_2; made NonZero_nz_nnz by k of x,keep; <= M*N\n");
  CHECK(model.axis("k", 0) ==
        "k[0]=Compress_k_count node Compress_1; made Compress_k_count by keep of keep; <= N\n");
  // What is made of sizes alone waits for no data.
  Explained shape(
      "g (float[N] x, int64[1] n) => (y) { s = Shape(x) t = Add(s, n) y = ConstantOfShape(t) }");
  CHECK(shape.axis("y", 0) ==
        "y[0]=N + n_value through ConstantOfShape_2 <- t{0}\n"
        "t{0}=N + n_value node Add_1 <- s{0} n{0}\n"
        "s{0}=N through Shape_0 <- x[0]\n"
        "x[0]=N input\n"
        "n{0}=n_value input; made n_value by n of n\n");
}

TEST_CASE("Names that annotations and operators give") {
  Explained label(
      "g (float[N] x) => (int64[1, K] more, y) { nz = NonZero(x)"
      " one = Constant<value = int64[1, 1] {0}>() more = Concat<axis = 1>(nz, one) y = Neg(nz) }");
  CHECK(label.axis("y", 1) ==
        "y[1]=K - 1 through Neg_3 <- nz[1]; <= N\n"
        "nz[1]=K - 1 node NonZero_0; made NonZero_nz_nnz by x of x; since K == NonZero_nz_nnz + 1; "
        "<= N\n");
  Explained cache(
      "g (float[past, 8] p, float[new, 8] k, float[total] m) => (float[total, 8] a, y) {"
      " a = Concat<axis = 0>(p, k) y = Neg(a) }");
  CHECK(cache.axis("y", 0) ==
        "y[0]=total through Neg_1 <- a[0]\n"
        "a[0]=total node Concat_0 <- p[0] k[0]; since total == new + past\n"
        "p[0]=past input\n"
        "k[0]=new input\n");
  Explained needed(
      "g (float[P, N] a, float[M, Q] b) => (y, float[L] z) { m = MatMul(a, b) y = Neg(b)"
      " zero = Constant<value_ints = [0]>() z = ReduceSum<keepdims = 0>(b, one)"
      " one = Constant<value_ints = [1]>() }");
  CHECK(needed.axis("y", 0) ==
        "y[0]=N through Neg_1 <- b[0]\n"
        "b[0]=N input; since N == M\n");
  CHECK(needed.axis("z", 0) ==
        "z[0]=N through ReduceSum_3 <- b[0]; called otherwise\n"
        "b[0]=N input; since N == M\n");
}

TEST_CASE("Dims without a name, and declarations that stand in") {
  Explained model("g (float[?, 4] x, float[N] w) => (float[N, K] y) { h = Neg(x) y = Unheard(w) }");
  CHECK(model.axis("h", 0) ==
        "h[0]=x_0 through Neg_0 <- x[0]\n"
        "x[0]=x_0 input; unnamed\n");
  CHECK(model.axis("y", 1) == "y[1]=K node Unheard_1; declared\n");
  // That w is N long too says nothing of an operator that nobody knows.
  CHECK(model.axis("y", 0) == "y[0]=N node Unheard_1; declared\n");
}

TEST_CASE("Ranks that only a run knows") {
  Explained model(
      "g (float[N] x, int64[R] target) => (y) { t = Neg(target) h = Reshape(x, t) k = Neg(h)"
      " y = Abs(k) }");
  CHECK(model.rank("y") ==
        "y=? through Abs_3 Neg_2 <- h\n"
        "h=? node Reshape_1; rank by t of target\n");
}

TEST_CASE("Sequences") {
  Explained model(
      "g (float[N, M] x, float[N, K] z) => (s, y) { s = SequenceConstruct(x, x, z)"
      " y = ConcatFromSequence<axis = 0>(s) }");
  CHECK(model.length("s") == "s#=3 node SequenceConstruct_0\n");
  CHECK(model.axis("s", 0) == "s[0]=N through SequenceConstruct_0 <- x[0]\nx[0]=N input\n");
}

TEST_CASE("Functions of the model are one step") {
  Explained model(
      "<ir_version: 10, opset_import: [\"\" : 21, \"my\" : 1]>\n"
      "g (float[N, 4] x) => (y) { y = my.twice(x) }\n"
      "<domain: \"my\", opset_import: [\"\" : 21]> twice (a) => (c)"
      " { b = Neg(a) c = Concat<axis = 0>(b, a) }");
  CHECK(model.axis("y", 0) == "y[0]=2*N node twice_0 <- x[0]\nx[0]=N input\n");
  CHECK(model.axis("y", 1) == "y[1]=4 through twice_0 <- x[1]\nx[1]=4 input\n");
  // Inside, what is the same number in all calls is followed.
  CHECK(model.axis("b", 1, "function my:twice") ==
        "function my:twice/b[1]=4 through Neg_0 <- function my:twice/a[1]\n"
        "function my:twice/a[1]=4 input\n");
}

TEST_CASE("A question leaves the inference as it was") {
  Explained model(
      "g (bool c, float[N] a, float[M] b) => (y) {"
      " y = If(c) <then_branch = t () => (t1) { t1 = Neg(a) },"
      "           else_branch = f () => (f1) { f1 = Compress(b, k)"
      "                                        k = Cast<to = 9>(b) }> }");
  const std::vector<std::optional<Fact>> facts = model.inference().facts;
  const size_t equalities = model.inference().constraints->equalities().size();
  const size_t bounds = model.inference().constraints->upper_bounds().size();
  const std::string before = model.axis("y", 0);
  CHECK(model.axis("y", 0) == before);
  CHECK((model.inference().facts == facts));
  CHECK(model.inference().constraints->equalities().size() == equalities);
  CHECK(model.inference().constraints->upper_bounds().size() == bounds);
}

}  // namespace
}  // namespace onnx_shapes::test
