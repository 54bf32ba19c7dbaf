// `explain`: pages of codes, values of models, and what is said of wrong use. What is explained is
// in the golden files.
#include <nlohmann/json.hpp>

#include "tests/cli/tool.h"
#include "tests/support/text_model.h"

namespace onnx_shapes::test {
namespace {

using Catch::Matchers::ContainsSubstring;

std::string bytes_of(const std::string& graph) {
  return parse_model(with_header(graph)).SerializeAsString();
}

constexpr char kModel[] =
    "g (bool c, float[N, 4] x) => (y, z) {"
    " y = If(c) <then_branch = t () => (h) { h = Neg(x) },"
    "           else_branch = f () => (h) { h = Abs(x) }> z = Neg(y) }";

TEST_CASE("A code alone is a page") {
  const Folder folder;
  for (const char* code : {"SHP203", "203", "dim-contradiction"}) {
    const Ran ran = run(folder, std::string("explain ") + code);
    CHECK(ran.exit == 0);
    CHECK_THAT(ran.out, ContainsSubstring("# SHP203 dim-contradiction"));
  }
}

TEST_CASE("A model and a value are an explanation") {
  const Folder folder;
  folder.write("m.onnx", bytes_of(kModel));
  const Ran ran = run(folder, "explain m.onnx z:1");
  CHECK(ran.exit == 0);
  CHECK(ran.err == "");
  CHECK_THAT(ran.out, ContainsSubstring("z axis 1: 4\n") && ContainsSubstring("x axis 1: 4\n") &&
                          !ContainsSubstring("axis 0"));
  // A model that has a code's name is one all the same.
  folder.write("203", bytes_of(kModel));
  CHECK_THAT(run(folder, "explain 203 z").out, ContainsSubstring("z axis 0: N\n"));
  CHECK_THAT(run(folder, "explain m.onnx graph/If_0.else_branch/h:0").out,
             ContainsSubstring("graph/If_0.else_branch/h axis 0: N\n"));
  CHECK_THAT(run(folder, "explain m.onnx z:0 --dim N=7").out, ContainsSubstring("z axis 0: 7\n"));
  CHECK_THAT(run(folder, "explain - z:0", folder / "m.onnx").out,
             ContainsSubstring("z axis 0: N\n"));
}

TEST_CASE("A name with a colon is a name first") {
  const Folder folder;
  onnx::ModelProto model = parse_model(with_header("g (float[N, M] x) => (y) { y = Neg(x) }"));
  model.mutable_graph()->mutable_node(0)->set_output(0, "y:1");
  model.mutable_graph()->mutable_output(0)->set_name("y:1");
  folder.write("m.onnx", model.SerializeAsString());
  CHECK_THAT(run(folder, "explain m.onnx y:1").out,
             ContainsSubstring("y:1 axis 0: N\n") && ContainsSubstring("y:1 axis 1: M\n"));
  CHECK_THAT(run(folder, "explain m.onnx y:1:1").out,
             ContainsSubstring("y:1 axis 1: M\n") && !ContainsSubstring("y:1 axis 0"));
}

TEST_CASE("Wrong use of explain is told in a line") {
  const Folder folder;
  folder.write("m.onnx", bytes_of(kModel));
  struct Row {
    const char* arguments;
    const char* says;
  };
  const Row rows[] = {
      {"explain", "subject"},
      {"explain SHP999", "SHP999"},
      {"explain m.onnx", "VALUE"},
      {"explain m.onnx nothing", "no value 'nothing'"},
      {"explain m.onnx h", "graph/If_0.then_branch/h"},
      {"explain m.onnx z:2", "rank 2"},
      {"explain m.onnx z:-1", "no value"},
      {"explain m.onnx z:99999999999999", "no value"},
      {"explain m.onnx z:", "no value"},
      {"explain m.onnx z --dim K=3", "'K'"},
      {"explain m.onnx z more", "more"},
  };
  for (const Row& row : rows) {
    INFO(row.arguments);
    const Ran ran = run(folder, row.arguments);
    CHECK(ran.exit == 2);
    CHECK(ran.out == "");
    CHECK_THAT(ran.err, ContainsSubstring(row.says));
    CHECK(ran.err.find("onnx-shapes: ") == 0);
  }
  CHECK(run(folder, "explain none.onnx z").exit == 2);
  CHECK_THAT(run(folder, "explain none.onnx z").out, ContainsSubstring("SHP001"));
  CHECK(run(folder, "explain m.onnx z --max-visits 1").exit == 3);
}

TEST_CASE("The report is JSON or text by its name, and by the format where it has none") {
  const Folder folder;
  folder.write("m.onnx", bytes_of(kModel));
  REQUIRE(run(folder, "infer m.onnx -n --report r.json").exit == 0);
  REQUIRE(run(folder, "infer m.onnx -n --report r.txt --format json").exit == 0);
  const auto json = nlohmann::json::parse(folder.read("r.json"));
  CHECK(json.at("version") == 1);
  CHECK(json.at("public_changes").size() == 2);
  CHECK_THAT(folder.read("r.txt"), ContainsSubstring("names\n  N  input 'x' axis 0\n"));
  CHECK(run(folder, "infer m.onnx --report -").out == folder.read("r.txt"));
  CHECK(run(folder, "infer m.onnx --report - --format json").out == folder.read("r.json"));
  CHECK(run(folder, "infer m.onnx --report nowhere/r.txt").exit == 2);
}

TEST_CASE("--bounds comes and goes") {
  const Folder folder;
  const std::string bytes = bytes_of("g (float[N] x) => (int64[1, K] y) { y = NonZero(x) }");
  folder.write("m.onnx", bytes);
  REQUIRE(run(folder, "infer m.onnx -o bounds.onnx --bounds").exit == 0);
  CHECK_THAT(folder.read("bounds.onnx"), ContainsSubstring("onnx_shapes.bounds"));
  REQUIRE(run(folder, "infer bounds.onnx -o again.onnx --bounds").exit == 0);
  CHECK((folder.read("again.onnx") == folder.read("bounds.onnx")));
  // Without the option they stay as they are.
  REQUIRE(run(folder, "infer bounds.onnx -o kept.onnx").exit == 0);
  CHECK((folder.read("kept.onnx") == folder.read("bounds.onnx")));
  REQUIRE(run(folder, "infer bounds.onnx -o fresh.onnx --fresh").exit == 0);
  CHECK((folder.read("fresh.onnx") == bytes));
  REQUIRE(run(folder, "infer bounds.onnx -o stripped.onnx --strip").exit == 0);
  CHECK((folder.read("stripped.onnx") == bytes));
}

}  // namespace
}  // namespace onnx_shapes::test
