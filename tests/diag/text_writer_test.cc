// The text form of findings, long, concise and coloured.
#include "diag/text_writer.h"

#include <string>
#include <utility>

#include "tests/support/catch.h"

namespace onnx_shapes {
namespace {

Place add_place() {
  Place place;
  place.file = "m.onnx";
  place.graph = "graph";
  place.node = "Add_1";
  place.role = "output";
  place.value = "y";
  place.axis = 1;
  place.node_text = "y = Add(a, b)";
  return place;
}

Finding contradiction() {
  Finding finding =
      make_finding(Code::kDimContradiction, add_place(), "it is 8, declared 9", "write 8");
  Place declared;
  declared.file = "m.onnx";
  declared.graph = "graph";
  declared.role = "output";
  declared.value = "y";
  finding.notes = {{"declared here", declared}, {"8 = 3 + 5", {}}};
  return finding;
}

}  // namespace

TEST_CASE("A finding prints its place, code, message, node, notes and help") {
  CHECK(to_text(contradiction(), {}) ==
        "m.onnx:graph/Add_1:output y[axis 1]: error SHP203 dim-contradiction: it is 8, declared 9\n"
        "    y = Add(a, b)\n"
        "  m.onnx:graph:output y: note: declared here\n"
        "  note: 8 = 3 + 5\n"
        "  help: write 8\n");
}

TEST_CASE("The concise form is one line") {
  CHECK(to_text(contradiction(), {.concise = true}) ==
        "m.onnx:graph/Add_1:output y[axis 1]: error SHP203 dim-contradiction: it is 8, declared "
        "9\n");
  Finding finding = make_finding(Code::kNodeOrder, {}, "two\nlines");
  CHECK(to_text(finding, {.concise = true}) == "warning SHP007 node-order: two\\x0alines\n");
}

TEST_CASE("Lines after the first are indented") {
  Finding finding = make_finding(Code::kNodeOrder, {}, "two\nlines");
  finding.help = "and\nmore";
  CHECK(to_text(finding, {}) ==
        "warning SHP007 node-order: two\n    lines\n  help: and\n    more\n");
}

TEST_CASE("Text of the model cannot steer the terminal") {
  Finding finding = contradiction();
  const std::string escape = "\x1b[2J\r";
  finding.message += escape;
  finding.help += escape;
  finding.place.value += escape;
  finding.place.node_text += escape;
  finding.notes[0].message += escape;
  finding.notes[0].place->graph += escape;
  for (const bool concise : {false, true}) {
    const std::string text = to_text(finding, {.concise = concise});
    CHECK(text.find('\x1b') == std::string::npos);
    CHECK(text.find('\r') == std::string::npos);
  }
}

TEST_CASE("Colours only add sequences, each of which ends") {
  const std::string plain = to_text(contradiction(), {});
  std::string coloured = to_text(contradiction(), {.colour = true});
  CHECK(coloured.find("\x1b[1;31merror\x1b[0m") != std::string::npos);
  bool on = false;
  for (size_t at = coloured.find('\x1b'); at != std::string::npos; at = coloured.find('\x1b')) {
    const size_t end = coloured.find('m', at);
    REQUIRE(end != std::string::npos);
    CHECK((coloured.substr(at, end - at + 1) == "\x1b[0m") == on);
    on = !on;
    coloured.erase(at, end - at + 1);
  }
  CHECK(!on);
  CHECK(coloured == plain);
}

TEST_CASE("A report counts what it shows and what it does not") {
  Findings findings(1);
  CHECK(count_text(findings).empty());
  CHECK(to_text(findings, {}).empty());
  findings.add(make_finding(Code::kCycle, {}, "a"));
  CHECK(count_text(findings) == "1 error");
  findings.add(make_finding(Code::kCycle, {}, "b"));
  findings.add(make_finding(Code::kDimMismatch, {}, "c"));
  findings.add(make_finding(Code::kNodeOrder, {}, "d"));
  findings.add(make_finding(Code::kUnknownRank, {}, "e"));
  CHECK(count_text(findings) == "2 errors, 1 warning, 1 note");
  CHECK(to_text(findings, {.concise = true}) ==
        "error SHP008 cycle: a\n"
        "error SHP105 dim-mismatch: c\n"
        "warning SHP007 node-order: d\n"
        "note SHP402 unknown-rank: e\n"
        "1 further finding of the same kinds not shown\n");
}

TEST_CASE("Nouns have their number") {
  CHECK(counted(0, "error") == "0 errors");
  CHECK(counted(1, "error") == "1 error");
  CHECK(counted(2, "error") == "2 errors");
}

}  // namespace onnx_shapes
