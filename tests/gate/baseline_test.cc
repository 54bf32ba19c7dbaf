// Baselines: what is known, what is new, what is no longer there, and what is said of a bad file.
#include "gate/baseline.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/support/catch.h"
#include "tests/wire/folder.h"

namespace onnx_shapes::test {
namespace {

namespace fs = std::filesystem;
using Catch::Matchers::ContainsSubstring;

Finding finding(const std::string& value, std::optional<int64_t> axis = {},
                Code code = Code::kDimContradiction, const std::string& node = "Add_1") {
  Place place;
  place.graph = "graph";
  place.node = node;
  place.value = value;
  place.axis = axis;
  return make_finding(code, std::move(place), "message of " + node);
}

Findings collected(const std::vector<Finding>& list) {
  Findings findings;
  for (const Finding& each : list) findings.add(each);
  return findings;
}

std::string unknown(const Baseline& baseline, const Findings& findings,
                    const std::string& model = "m.onnx") {
  std::string text;
  const Findings left = baseline.unknown(model, findings);
  for (const Finding& each : left.all()) {
    text += code_id(each.code) + " " + each.place.value + ";";
  }
  return text;
}

Baseline baseline_of(const std::vector<Finding>& list) {
  Baseline baseline("base.json");
  baseline.set("m.onnx", collected(list));
  return baseline;
}

std::string complaint(const std::string& text) {
  const auto baseline = Baseline::parse(text, "base.json");
  return baseline ? "accepted" : baseline.reason();
}

}  // namespace

TEST_CASE("Known findings are left out, and new ones stay") {
  const Baseline baseline = baseline_of({finding("y", 0), finding("z", 1)});
  CHECK(unknown(baseline, collected({finding("y", 0), finding("z", 1)})).empty());
  CHECK(unknown(baseline, collected({finding("y", 0), finding("z", 1), finding("x", 0)})) ==
        "SHP203 x;");
  CHECK(unknown(baseline, collected({finding("y", 0), finding("z", 1),
                                     finding("y", 0, Code::kRankContradiction)})) == "SHP201 y;");
  // Nothing is known of another model, and none of its entries is stale.
  CHECK(unknown(baseline, collected({finding("y", 0)}), "other.onnx") == "SHP203 y;");
}

TEST_CASE("It survives that nodes move and numbers change") {
  const Baseline baseline = baseline_of({finding("y", 0), finding("z", 1)});
  const Findings moved = collected({finding("z", 1, Code::kDimContradiction, "Add_8"),
                                    finding("y", 0, Code::kDimContradiction, "Add_9")});
  CHECK(unknown(baseline, moved).empty());
}

TEST_CASE("Of findings with one key as many are known as were found") {
  const auto in_branch = [](const std::string& node) {
    return finding("y", 0, Code::kDimContradiction, node);
  };
  const Baseline baseline = baseline_of({in_branch("a"), in_branch("b")});
  CHECK(baseline.size() == 2);
  CHECK(unknown(baseline, collected({in_branch("c"), in_branch("d")})).empty());
  CHECK(unknown(baseline, collected({in_branch("a"), in_branch("b"), in_branch("c")})) ==
        "SHP203 y;");
}

TEST_CASE("What is no longer found is told as a note") {
  const Baseline baseline = baseline_of({finding("y", 0), finding("z", 1)});
  const Findings left = baseline.unknown("m.onnx", collected({finding("y", 0)}));
  REQUIRE(left.all().size() == 1);
  const Finding& note = left.all()[0];
  CHECK(note.code == Code::kBaselineStale);
  CHECK(note.severity == Severity::kNote);
  CHECK(note.place.file == "m.onnx");
  CHECK(note.message ==
        "base.json lists SHP203 dim-contradiction of 'z' axis 1, which is no longer found");
}

TEST_CASE("A model that was not checked to its end has no stale entries, and is never known") {
  const Baseline baseline = baseline_of({finding("y", 0), finding("", {}, Code::kLimitTime)});
  CHECK(baseline.size() == 0);
  const Baseline before = baseline_of({finding("y", 0)});
  CHECK(unknown(before, collected({finding("", {}, Code::kLimitTime)})) == "SHP607 ;");
}

TEST_CASE("Entries of a model that could not be checked stay") {
  Baseline baseline = baseline_of({finding("y", 0)});
  baseline.set("m.onnx", collected({finding("", {}, Code::kNotAModel)}));
  CHECK(baseline.size() == 1);
  baseline.set("m.onnx", Findings());
  CHECK(baseline.models().empty());
}

TEST_CASE("A baseline reads back as it was written") {
  Baseline baseline("sub/base.json");
  baseline.set("sub/models/a.onnx", collected({finding("y", 0), finding("\"\\\n\x7f", {})}));
  baseline.set("b.onnx", collected({finding("y", 0, Code::kDimContradiction, "1"),
                                    finding("y", 0, Code::kDimContradiction, "2")}));
  const std::string text = baseline.to_json();
  const auto again = Baseline::parse(text, "sub/base.json");
  REQUIRE(again.ok());
  CHECK(again->to_json() == text);
  CHECK(again->size() == 4);
  const auto document = nlohmann::json::parse(text);
  CHECK(document["version"] == 1);
  // Relative to the baseline's folder, so that it does not matter where the tool runs.
  CHECK(document["findings"][0]["model"] == "../b.onnx");
  CHECK(document["findings"][0]["count"] == 2);
  CHECK(document["findings"][1]["model"] == "models/a.onnx");
  CHECK(unknown(*again, collected({finding("y", 0), finding("\"\\\n\x7f", {})}),
                "./sub/models/a.onnx")
            .empty());
}

TEST_CASE("A path may be spelt as people do") {
  const auto baseline = Baseline::parse(
      R"({"version": 1, "findings": [{"model": "./d/../m.onnx", "code": "SHP203", "value": "y"}]})",
      "base.json");
  REQUIRE(baseline.ok());
  CHECK(unknown(*baseline, collected({finding("y")})).empty());
}

TEST_CASE("The order in which findings came does not show in the file") {
  const std::string text = baseline_of({finding("y", 0), finding("z", 1)}).to_json();
  CHECK(baseline_of({finding("z", 1), finding("y", 0)}).to_json() == text);
}

TEST_CASE("Names that are no UTF-8 do not make the file unreadable") {
  const Baseline baseline = baseline_of({finding("\xff\xfe", 0)});
  const auto again = Baseline::parse(baseline.to_json(), "base.json");
  REQUIRE(again.ok());
  CHECK(unknown(*again, collected({finding("\xff\xfe", 0)})).empty());
}

TEST_CASE("A bad baseline is one line that says what is wrong") {
  struct Row {
    std::string text;
    const char* says;
  };
  const auto entry = [](const std::string& members) {
    return "{\"version\": 1, \"findings\": [" + members + "]}";
  };
  const Row rows[] = {
      {"", "is no JSON"},
      {"{\"version\": 1, \"findings\": [", "is no JSON, from byte"},
      {std::string("\x08\x0a\x12\x00", 4), "is no JSON"},
      {"{\"version\": 1e999}", "has a number that is too large"},
      {"[]", "is no baseline"},
      {"{}", "is no baseline"},
      {"{\"version\": \"1\", \"findings\": []}", "is no baseline"},
      {"{\"version\": 1, \"findings\": {}}", "is no baseline"},
      {"{\"version\": 2, \"findings\": []}", "has the version 2; this tool reads 1"},
      {entry("1"), "its finding number 0 is no object"},
      {entry("{}"), "number 0 needs 'model', a text"},
      {entry("{\"model\": \"m\"}"), "needs 'code', a text"},
      {entry("{\"model\": 1, \"code\": \"SHP203\"}"), "needs 'model', a text"},
      {entry("{\"model\": \"\", \"code\": \"SHP203\"}"), "has an empty 'model'"},
      {entry("{\"model\": \"m\", \"code\": \"SHP999\"}"), "the code 'SHP999'"},
      {entry("{\"model\": \"m\", \"code\": \"dim-contradiction\"}"),
       "the code 'dim-contradiction'"},
      {entry("{\"model\": \"m\", \"code\": \"SHP203\", \"value\": 1}"), "needs 'value', a text"},
      {entry("{\"model\": \"m\", \"code\": \"SHP203\", \"axis\": -1}"), "'axis' is no whole"},
      {entry("{\"model\": \"m\", \"code\": \"SHP203\", \"axis\": 1.5}"), "'axis' is no whole"},
      {entry("{\"model\": \"m\", \"code\": \"SHP203\", \"axis\": 18446744073709551615}"),
       "'axis' is no whole"},
      {entry("{\"model\": \"m\", \"code\": \"SHP203\", \"count\": 0}"), "'count' is no whole"},
      {entry("{\"model\": \"m\", \"code\": \"SHP203\", \"axes\": 0}"), "a member 'axes'"},
      {entry("{\"model\": \"m\", \"code\": \"SHP203\"}, 7"), "its finding number 1 is no object"},
  };
  for (const Row& row : rows) {
    INFO(row.text);
    const std::string said = complaint(row.text);
    CHECK_THAT(said, ContainsSubstring(row.says));
    CHECK(said.starts_with("the baseline base.json "));
    CHECK(said.find('\n') == std::string::npos);
  }
  CHECK(complaint(std::string(200'000, '[')).starts_with("the baseline base.json is no JSON"));
}

TEST_CASE("Counts of a damaged file do not wrap") {
  const std::string entry =
      R"({"model": "m.onnx", "code": "SHP203", "value": "y", "axis": 0, "count": 9223372036854775807})";
  const auto baseline = Baseline::parse(
      "{\"version\": 1, \"findings\": [" + entry + "," + entry + "," + entry + "]}", "base.json");
  REQUIRE(baseline.ok());
  CHECK(baseline->models().at("m.onnx").begin()->second.count == INT64_MAX);
}

TEST_CASE("It is written whole, and tells of models that are gone") {
  const Folder folder;
  folder.write("a.onnx", "");
  Baseline baseline(folder / "base.json");
  baseline.set(folder / "a.onnx", collected({finding("y", 0)}));
  baseline.set(folder / "b.onnx", collected({finding("y", 0)}));
  REQUIRE(baseline.write().ok());
  CHECK(folder.names() == std::vector<std::string>{"a.onnx", "base.json"});
  const auto again = Baseline::read(folder / "base.json");
  REQUIRE(again.ok());
  CHECK(again->to_json() == baseline.to_json());
  CHECK(again->gone() == std::vector<std::string>{"b.onnx"});
  CHECK(!Baseline::read(folder / "none.json").ok());
  const auto unwritable = Baseline(folder / "none/base.json").write();
  REQUIRE(!unwritable.ok());
  CHECK(unwritable.reason().code == Code::kFileUnwritable);
}

}  // namespace onnx_shapes::test
