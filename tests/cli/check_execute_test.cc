// `check --execute`, with ONNX Runtime where it is there and without.
#include <nlohmann/json.hpp>

#include "tests/cli/tool.h"
#include "tests/support/text_model.h"

namespace onnx_shapes::test {
namespace {

using Catch::Matchers::ContainsSubstring;
using nlohmann::json;

/// model.onnx, whose y has as many columns as x has positive elements; x.npy with three of them
/// among 8,192.
class MaskedModel : public Folder {
 public:
  explicit MaskedModel(const std::string& columns) {
    const std::string graph = "g (float[N] x) => (int64[1, " + columns +
                              "] y, float[N] z) { h = Relu(x) y = NonZero(h) z = Exp(x) }";
    write("model.onnx", parse_model(with_header(graph)).SerializeAsString());
    std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (8192,), }";
    header.resize(117, ' ');
    header += '\n';
    std::string data(size_t{4} * 8192, '\0');
    for (const size_t at : {size_t{17}, size_t{4000}, size_t{8191}})
      data.replace(4 * at, 4, std::string("\0\0\x80\x3f", 4));
    write("x.npy", "\x93NUMPY" + std::string("\x01\x00\x76\x00", 4) + header + data);
  }
};

/// Sets the variable for a while.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) { ::setenv(name, value, 1); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { ::unsetenv(name_); }

 private:
  const char* name_;
};

}  // namespace

TEST_CASE("Without ONNX Runtime --execute says how to get it, and nothing is checked") {
  const Variable missing("ONNX_SHAPES_ONNXRUNTIME", "/nonexistent/libonnxruntime.so");
  const MaskedModel folder("4");
  const Ran ran = run(folder, "check model.onnx --inputs x.npy --execute --format json");
  CHECK(ran.exit == 2);
  const json report = json::parse(ran.out);
  REQUIRE(report["findings"].size() == 1);
  CHECK(report["findings"][0]["code"] == "SHP707");
  const std::string help = report["findings"][0]["help"];
  CHECK_THAT(help,
             ContainsSubstring("libonnxruntime-dev") && ContainsSubstring("ONNXRUNTIME_ROOT"));
  CHECK(report["runs"].empty());
}

TEST_CASE("--execute without inputs is wrong use") {
  const MaskedModel folder("4");
  CHECK(run(folder, "check model.onnx --execute").exit == 2);
}

TEST_CASE("With ONNX Runtime what depends on data is decided") {
  const MaskedModel right("3");
  const Ran ran = run(right, "check model.onnx --inputs x.npy --execute -v --bindings");
  if (ran.out.find("SHP707") != std::string::npos) {
    WARN("there is no ONNX Runtime to try this with");
    return;
  }
  CHECK(ran.exit == 0);
  CHECK_THAT(ran.out, ContainsSubstring("output y: proved"));
  CHECK_THAT(ran.out, ContainsSubstring("0 undetermined; 2 nodes run for it"));
  const MaskedModel wrong("4");
  const Ran refuted = run(wrong, "check model.onnx --inputs x.npy --execute --format json");
  CHECK(refuted.exit == 1);
  const json report = json::parse(refuted.out);
  REQUIRE(report["findings"].size() == 1);
  CHECK(report["findings"][0]["code"] == "SHP203");
  CHECK(report["runs"][0]["executed"]["nodes"] == 2);
  CHECK_THAT(run(wrong, "check model.onnx --inputs x.npy -v").out,
             ContainsSubstring("output y: undetermined"));
}

}  // namespace onnx_shapes::test
