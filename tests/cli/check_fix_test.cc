// `check --fix` and `--diff`: files, output and exit codes.
#include "tests/cli/tool.h"
#include "tests/support/text_model.h"

namespace onnx_shapes::test {
namespace {

using Catch::Matchers::ContainsSubstring;

/// One contradicted value_info.
std::string stale_model() {
  return parse_model(with_header("g (float[N, 4] x) => (float[N, 4] y) <float[N, 5] h>"
                                 " { h = Neg(x) y = Abs(h) }"))
      .SerializeAsString();
}

/// The same without it.
std::string mended_model() {
  onnx::ModelProto model;
  REQUIRE(model.ParseFromString(stale_model()));
  model.mutable_graph()->clear_value_info();
  return model.SerializeAsString();
}

}  // namespace

TEST_CASE("check --diff shows what --fix would do, and writes nothing") {
  const Folder folder;
  folder.write("model.onnx", stale_model());
  const Ran ran = run(folder, "check --diff model.onnx");
  CHECK(ran.exit == 1);
  CHECK_THAT(ran.out, ContainsSubstring("--- model.onnx\n+++ model.onnx\n"
                                        "-graph:value_info h: float[\"N\", 5]\n"));
  CHECK(run(folder, "check --fix --diff model.onnx").out == ran.out);
  CHECK(folder.read("model.onnx") == stale_model());
}

TEST_CASE("check --fix mends in place, and reports what is left") {
  const Folder folder;
  folder.write("model.onnx", stale_model());
  const Ran ran = run(folder, "check --fix model.onnx");
  CHECK(ran.exit == 0);
  CHECK(ran.out == "model.onnx:graph:value_info h: removed float[\"N\", 5]\n");
  CHECK(folder.read("model.onnx") == mended_model());
  // The second time there is nothing to do.
  CHECK(run(folder, "check --fix model.onnx").out == "");
  CHECK(folder.read("model.onnx") == mended_model());
}

TEST_CASE("check --fix goes on with what a mended annotation shows") {
  const Folder folder;
  onnx::ModelProto model;
  REQUIRE(model.ParseFromString(stale_model()));
  model.mutable_graph()
      ->mutable_value_info(0)
      ->mutable_type()
      ->mutable_tensor_type()
      ->mutable_shape()
      ->mutable_dim(0)
      ->set_dim_value(-1);
  folder.write("model.onnx", model.SerializeAsString());
  const Ran ran = run(folder, "check --fix model.onnx");
  CHECK(ran.exit == 0);
  CHECK(ran.out ==
        "model.onnx:graph:value_info h: float[-1, 5] is float[?, 5] now\n"
        "model.onnx:graph:value_info h: removed float[?, 5]\n");
  CHECK(folder.read("model.onnx") == mended_model());
}

TEST_CASE("check --fix keeps a document in one piece") {
  const Folder folder;
  folder.write("model.onnx", stale_model());
  const Ran ran = run(folder, "check --fix --format json model.onnx");
  CHECK(ran.exit == 0);
  CHECK(ran.out.starts_with("{"));
  CHECK_THAT(ran.err, ContainsSubstring("removed"));
}

TEST_CASE("check --fix is for files and for all inputs") {
  const Folder folder;
  folder.write("model.onnx", stale_model());
  CHECK(run(folder, "check --fix --shape x=1,4 model.onnx").exit == 2);
  const Ran ran = run(folder, "check --fix -", std::string(folder.path()) + "/model.onnx");
  CHECK(ran.exit == 2);
  CHECK_THAT(ran.err, ContainsSubstring("--fix needs a file"));
}

}  // namespace onnx_shapes::test
