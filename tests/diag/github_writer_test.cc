// Workflow commands, against how the runner of GitHub Actions takes them apart.
#include "diag/github_writer.h"

#include "tests/support/catch.h"

namespace onnx_shapes {
namespace {

Finding finding(Severity severity, const std::string& file, const std::string& message) {
  Place place;
  place.file = file;
  place.graph = "graph";
  place.value = "y";
  Finding result = make_finding(Code::kDimContradiction, place, message);
  result.severity = severity;
  return result;
}

}  // namespace

TEST_CASE("A finding is a workflow command") {
  CHECK(to_github(finding(Severity::kError, "models/a.onnx", "it is 8")) ==
        "::error file=models/a.onnx,title=SHP203 dim-contradiction::graph:y: it is 8\n");
  CHECK(to_github(finding(Severity::kWarning, "a.onnx", "m")).starts_with("::warning file="));
  CHECK(to_github(finding(Severity::kNote, "a.onnx", "m")).starts_with("::notice file="));
}

TEST_CASE("What separates parts of a command is escaped") {
  const std::string line = to_github(finding(Severity::kError, "a:b,c%.onnx", "100%\nmore: x, y"));
  CHECK(line ==
        "::error file=a%3Ab%2Cc%25.onnx,title=SHP203 dim-contradiction::graph:y: 100%25%0Amore: x, "
        "y\n");
}

TEST_CASE("A hostile name cannot start a command of its own") {
  const std::string line =
      to_github(finding(Severity::kError, "a\r\n::set-env::b.onnx", "m\r\n::error::forged"));
  CHECK(line.find('\n') == line.size() - 1);
  CHECK(line.find('\r') == std::string::npos);
  CHECK(line.starts_with("::error file=a\\x0d\\x0a%3A%3Aset-env%3A%3Ab.onnx,title="));
}

TEST_CASE("Notes and help follow the message; a place without a file has none") {
  Finding with_notes = make_finding(Code::kDimContradiction, {}, "m", "do it");
  Place bound;
  bound.file = "a.onnx";
  bound.graph = "graph";
  with_notes.notes = {{"bound here", bound}};
  CHECK(to_github(with_notes) ==
        "::error title=SHP203 dim-contradiction::m%0Anote: a.onnx:graph: bound here%0Ahelp: do "
        "it\n");
}

}  // namespace onnx_shapes
