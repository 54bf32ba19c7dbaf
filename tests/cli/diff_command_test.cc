// `diff`: exit codes and what is printed.
#include "tests/cli/tool.h"
#include "tests/support/text_model.h"

namespace onnx_shapes::test {
namespace {

using Catch::Matchers::ContainsSubstring;

std::string bytes_of(const std::string& graph) {
  return parse_model(with_header(graph)).SerializeAsString();
}

/// old.onnx, and models to take its place.
class Versions : public Folder {
 public:
  Versions() {
    write("old.onnx", bytes_of("g (float[N, 4] x) => (float[N, 4] y) { y = Neg(x) }"));
    write("same.onnx", bytes_of("g (float[N, 4] x) => (float[N, 4] y) { y = Abs(x) }"));
    write("wider.onnx", bytes_of("g (float[N, M] x) => (float[N, M] y) { y = Neg(x) }"));
    write("narrower.onnx", bytes_of("g (float[8, 4] x) => (float[8, 4] y) { y = Neg(x) }"));
  }
};

}  // namespace

TEST_CASE("Versions with the same contract differ in nothing") {
  const Versions folder;
  const Ran ran = run(folder, "diff old.onnx same.onnx");
  CHECK(ran.exit == 0);
  CHECK(ran.out == "the contract is the same\n");
  CHECK(run(folder, "diff -q old.onnx same.onnx").out == "");
}

TEST_CASE("What breaks callers fails, what widens does not") {
  const Versions folder;
  const Ran wider = run(folder, "diff old.onnx wider.onnx");
  CHECK(wider.exit == 0);
  CHECK_THAT(wider.out, ContainsSubstring("wider.onnx:graph:input x[axis 1]: note SHP817 "
                                          "contract-widened: it was 4, and may be any size"));
  CHECK(run(folder, "diff --fail-on note old.onnx wider.onnx").exit == 1);
  const Ran narrower = run(folder, "diff old.onnx narrower.onnx");
  CHECK(narrower.exit == 1);
  CHECK_THAT(narrower.out, ContainsSubstring("narrower.onnx:graph:input x[axis 0]: error SHP813 "
                                             "input-narrowed: it was N, and is 8"));
  CHECK(run(folder, "diff --ignore SHP81 old.onnx narrower.onnx").exit == 0);
  CHECK(run(folder, "diff --fail-on never old.onnx narrower.onnx").exit == 0);
}

TEST_CASE("A version that cannot be read is no version") {
  const Versions folder;
  const Ran ran = run(folder, "diff old.onnx gone.onnx");
  CHECK(ran.exit == 2);
  CHECK_THAT(ran.out, ContainsSubstring("gone.onnx") && ContainsSubstring("SHP001"));
  CHECK(run(folder, "diff old.onnx").exit == 2);
}

}  // namespace onnx_shapes::test
