#include "tests/support/inferred.h"

namespace onnx_shapes {
namespace {

using namespace test;
using Catch::Matchers::ContainsSubstring;

const std::string kHeader = "<ir_version: 10, opset_import: [\"\" : 21, \"my\" : 1]>\n";
const std::string kFunction = "<domain: \"my\", opset_import: [\"\" : 21, \"my\" : 1]>\n";

TEST_CASE("A call has the facts of its own inputs") {
  CHECK(inferred(kHeader +
                 "g (float[N, 3] x, float[M, 5] z) => (y, w) { y = my.F(x) w = my.F(z) }\n" +
                 kFunction + "F (a) => (b) { b = Concat<axis = 1>(a, a) }") ==
        "float[N, 6]; float[M, 10]");
}

TEST_CASE("Two calls have symbols of their own") {
  const InferredModel model(kHeader +
                            "g (float[N] x, float[N] z) => (y, w) { y = my.F(x) w = my.F(z) }\n" +
                            kFunction + "F (a) => (b) { b = NonZero(a) }");
  const auto dim = [&](const char* name) {
    return (*model.inference.facts[model.loaded.value(name)]->shape)[1];
  };
  CHECK(dim("y").known());
  CHECK(dim("w").known());
  CHECK(dim("y") != dim("w"));
}

TEST_CASE("Inside a function only what holds for every call is known") {
  const InferredModel model(
      kHeader + "g (float[N, 3] x, float[M, 3] z) => (y, w) { y = my.F(x) w = my.F(z) }\n" +
      kFunction + "F (a) => (b) { t = Neg(a) b = Abs(t) }");
  CHECK(model.fact("t", "function my:F") == "float[?, 3]");
}

TEST_CASE("Attribute references are those of the call, or the default") {
  const std::string function = kFunction +
                               "F <to, axis : int = 1> (a) => (b) { c = Cast<to : int = @to>(a)"
                               " b = Concat<axis : int = @axis>(c, c) }";
  CHECK(inferred(kHeader + "g (float[N, 3] x) => (y) { y = my.F<to = 7>(x) }\n" + function) ==
        "int64[N, 6]");
  CHECK(inferred(kHeader + "g (float[N, 3] x) => (y) { y = my.F<to = 7, axis = 0>(x) }\n" +
                 function) == "int64[2*N, 3]");
}

TEST_CASE(
    "A reference to an attribute that the call leaves out is an attribute that is not there") {
  // Without `axis` Flatten's default is 1.
  CHECK(inferred(kHeader + "g (float[N, 3, 5] x) => (y) { y = my.F(x) }\n" + kFunction +
                 "F <axis> (a) => (b) { b = Flatten<axis : int = @axis>(a) }") == "float[N, 15]");
}

TEST_CASE("Trailing inputs may be left out") {
  const std::string function =
      kFunction + "F (a, low, high) => (b) { c = Clip(a, low, high) b = Neg(c) }";
  CHECK(inferred(kHeader + "g (float[N] x) => (y) { y = my.F(x) }\n" + function) == "float[N]");
  CHECK(inferred(kHeader + "g (float[N] x, float h) => (y) { y = my.F(x, , h) }\n" + function) ==
        "float[N]");
  // Resize with sizes only where the call gives them.
  const std::string resize = kFunction +
                             "F (a, roi, scales, sizes) => (b)"
                             " { b = Resize(a, roi, scales, sizes) }";
  CHECK(inferred(kHeader +
                 "g (float[N, 4] x) => (y) { s = Constant<value_floats = [1.0, 2.0]>()"
                 " y = my.F(x, , s) }\n" +
                 resize) == "float[N, 8]");
}

TEST_CASE("Functions call functions") {
  CHECK(inferred(kHeader + "g (float[N, 3] x) => (y) { y = my.Twice<by = 1>(x) }\n" + kFunction +
                 "Twice <by> (a) => (b) { t = my.Once<axis : int = @by>(a)"
                 " b = my.Once<axis : int = @by>(t) }\n" +
                 kFunction + "Once <axis> (a) => (b) { b = Concat<axis : int = @axis>(a, a) }") ==
        "float[N, 12]");
}

TEST_CASE("A function has its own opset") {
  // In opset 12 the axes of Squeeze are an attribute.
  CHECK(inferred(kHeader + "g (float[N, 1, 3] x) => (y) { y = my.F(x) }\n"
                           "<domain: \"my\", opset_import: [\"\" : 12]>\n"
                           "F (a) => (b) { b = Squeeze<axes = [1]>(a) }") == "float[N, 3]");
  // In opset 13 they are an input: the main graph's node of that name is another operator.
  CHECK(inferred(kHeader + "g (float[N, 1, 3] x) => (y, z) <int64[1] axes = {1}>"
                           " { y = Squeeze(x, axes) z = my.F(x) }\n"
                           "<domain: \"my\", opset_import: [\"\" : 12]>\n"
                           "F (a) => (b) { b = Squeeze<axes = [1]>(a) }") ==
        "float[N, 3]; float[N, 3]");
}

TEST_CASE("A call may take outputs that an earlier one of the same inputs leaves out") {
  CHECK(inferred(kHeader + "g (float[N, 3] x) => (y, z, w) { y = my.F(x) z, w = my.F(x) }\n" +
                 kFunction + "F (a) => (b, c) { b = Neg(a) c = Concat<axis = 1>(a, a) }") ==
        "float[N, 3]; float[N, 3]; float[N, 6]");
}

TEST_CASE("Overloads are functions of their own") {
  const InferredModel model(
      kHeader + "g (float[N, 3] x) => (y, z) { y = my.F(x) z = my.F:wide(x) }\n" + kFunction +
      "F (a) => (b) { b = Neg(a) }\n"
      "<domain: \"my\", overload: \"wide\", opset_import: [\"\" : 21]>\n"
      "F (a) => (b) { b = Concat<axis = 1>(a, a) }");
  CHECK(model.outputs() == "float[N, 3]; float[N, 6]");
}

TEST_CASE("A model's function stands for the operator of its name, but for those of the standard") {
  const auto of_domain = [](const std::string& domain, const std::string& op) {
    return inferred(
        "<ir_version: 10, opset_import: [\"\" : 21, \"com.microsoft\" : 1]>\n"
        "g (float[N, 3] x) => (y) { y = " +
        (domain.empty() ? op : domain + "." + op) + "(x) }\n<domain: \"" + domain +
        "\", opset_import: [\"\" : 21]>\n" + op + " (a) => (b) { b = Concat<axis = 1>(a, a) }");
  };
  CHECK(of_domain("com.microsoft", "FastGelu") == "float[N, 6]");
  CHECK(of_domain("com.microsoft", "Unheard") == "float[N, 6]");
  CHECK(of_domain("", "Mish") == "float[N, 3]");
}

TEST_CASE("A chain of calls that doubles ends at the budget") {
  std::string text = kHeader + "g (float[N] x) => (y) { y = my.F0(x) }\n";
  for (int i = 0; i < 30; ++i) {
    const auto next = std::to_string(i + 1);
    text += kFunction + "F" + std::to_string(i) + " (a) => (b) { c = my.F" + next + "(a) d = my.F" +
            next + "(c) b = Add(c, d) }\n";
  }
  InferOptions options;
  options.max_node_visits = 100'000;
  // Each call has a NonZero of its own, so that no call is like another.
  const InferredModel model(text + kFunction + "F30 (a) => (b) { n = NonZero(a) b = Neg(a) }",
                            options);
  CHECK_THAT(model.report(), ContainsSubstring("SHP606"));
  CHECK(model.inference.node_visits <= 100'001);
  // Calls that are like each other are inferred once.
  CHECK(inferred(text + kFunction + "F30 (a) => (b) { b = Neg(a) }", options) == "float[N]");
}

TEST_CASE("A function that calls itself is reported and not followed") {
  const InferredModel model(kHeader + "g (float[N] x) => (y) { y = my.F(x) }\n" + kFunction +
                            "F (a) => (b) { b = my.F(a) }");
  CHECK_THAT(model.report(), ContainsSubstring("SHP502"));
  CHECK(model.outputs() == "?");
}

}  // namespace
}  // namespace onnx_shapes
