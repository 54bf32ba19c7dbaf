// The JSON form of findings, read back by a JSON parser.
#include "diag/json_writer.h"

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "tests/support/catch.h"

namespace onnx_shapes {
namespace {

using nlohmann::json;

json report(const Findings& findings) { return json::parse(to_json(findings)); }

}  // namespace

TEST_CASE("An empty report has its version and counts") {
  CHECK(report(Findings()) ==
        json({{"version", 1},
              {"findings", json::array()},
              {"counts", {{"error", 0}, {"warning", 0}, {"note", 0}, {"suppressed", 0}}}}));
}

TEST_CASE("A finding has all its parts in JSON") {
  Place place;
  place.file = "m.onnx";
  place.graph = "graph";
  place.node = "Add_1";
  place.role = "output";
  place.value = "y";
  place.axis = 0;
  place.node_text = "y = Add(a, b)";
  Finding finding = make_finding(Code::kDimContradiction, place, "it is 8", "write 8");
  Place bytes;
  bytes.file = "m.onnx";
  bytes.offset = 0;
  finding.notes = {{"here", bytes}, {"there", {}}};
  Findings findings;
  findings.add(finding);
  const json document = report(findings);
  REQUIRE(document["findings"].size() == 1);
  CHECK(document["findings"][0] ==
        json({{"code", "SHP203"},
              {"name", "dim-contradiction"},
              {"severity", "error"},
              {"message", "it is 8"},
              {"help", "write 8"},
              {"place",
               {{"path", "m.onnx:graph/Add_1:output y[axis 0]"},
                {"file", "m.onnx"},
                {"graph", "graph"},
                {"node", "Add_1"},
                {"role", "output"},
                {"value", "y"},
                {"axis", 0},
                {"node_text", "y = Add(a, b)"}}},
              {"notes",
               {{{"message", "here"},
                 {"place", {{"path", "m.onnx:byte 0"}, {"file", "m.onnx"}, {"offset", 0}}}},
                {{"message", "there"}}}}}));
  CHECK(document["counts"]["error"] == 1);
}

TEST_CASE("What has no value is left out") {
  Findings findings;
  findings.add(make_finding(Code::kNodeOrder, {}, "message"));
  const json finding = report(findings)["findings"][0];
  CHECK(finding["place"] == json::object());
  CHECK(!finding.contains("help"));
  CHECK(!finding.contains("notes"));
}

TEST_CASE("Names of any bytes make valid JSON") {
  Findings findings;
  Place place;
  place.value = "a\xff\x1b\"\\\n\xc3\xa9";
  findings.add(make_finding(Code::kNodeOrder, place, "\x80"));
  const json finding = report(findings)["findings"][0];
  CHECK(finding["place"]["value"] == "a\xef\xbf\xbd\x1b\"\\\n\xc3\xa9");
  CHECK(finding["message"] == "\xef\xbf\xbd");
}

TEST_CASE("What the cap dropped is counted in JSON") {
  Findings findings(1);
  findings.add(make_finding(Code::kCycle, {}, "a"));
  findings.add(make_finding(Code::kCycle, {}, "b"));
  findings.add(make_finding(Code::kUnknownRank, {}, "c"));
  CHECK(report(findings)["counts"] ==
        json({{"error", 1}, {"warning", 0}, {"note", 1}, {"suppressed", 1}}));
}

TEST_CASE("The findings of several files are in one report") {
  Findings first, second, none;
  first.add(make_finding(Code::kDimContradiction, {}, "1"));
  second.add(make_finding(Code::kNodeOrder, {}, "2"));
  second.add(make_finding(Code::kUnknownRank, {}, "3"));
  const FileFindings files[] = {
      {.file = "a.onnx", .findings = first},
      {.file = "b.onnx", .findings = second},
      {.file = "c.onnx", .findings = none},
  };
  const json document = json::parse(to_json(files));
  CHECK(document["version"] == 1);
  REQUIRE(document["findings"].size() == 3);
  CHECK(document["findings"][2]["message"] == "3");
  CHECK(document["counts"] == json({{"error", 1}, {"warning", 1}, {"note", 1}, {"suppressed", 0}}));
  REQUIRE(document["files"].size() == 3);
  CHECK(document["files"][1]["file"] == "b.onnx");
  CHECK(document["files"][1]["counts"]["warning"] == 1);
  CHECK(document["files"][2]["counts"]["error"] == 0);
}

}  // namespace onnx_shapes
