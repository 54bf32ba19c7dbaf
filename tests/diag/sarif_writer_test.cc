// The SARIF log against what the standard (SARIF 2.1.0, OASIS) and GitHub ask for.
#include "diag/sarif_writer.h"

#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "tests/support/catch.h"

namespace onnx_shapes {
namespace {

using nlohmann::json;

Place place(const std::string& file) {
  Place result;
  result.file = file;
  result.graph = "graph";
  result.node = "Add_1";
  result.role = "output";
  result.value = "y";
  result.axis = 0;
  return result;
}

json log_of(const Findings& findings, const std::string& file = "m.onnx", int exit_code = 1) {
  const FileFindings files[] = {{.file = file, .findings = findings}};
  SarifOptions options;
  options.version = "1.2.3";
  options.exit_code = exit_code;
  options.page = [](Code code) { return code == Code::kDimContradiction ? "# page" : ""; };
  return json::parse(to_sarif(files, options));
}

Findings one_of(Place at) {
  Findings findings;
  Finding finding = make_finding(Code::kDimContradiction, std::move(at), "it is 8", "write 8");
  finding.notes = {{"bound here", place("m.onnx")}, {"nowhere", {}}};
  findings.add(std::move(finding));
  return findings;
}

std::string uri_of(const std::string& file) {
  const json log = log_of(one_of(place(file)), file);
  return log["runs"][0]["artifacts"][0]["location"]["uri"];
}

/// Appends each value of a member of that name, at any depth.
void collect(const json& value, const std::string& name, std::vector<json>& found) {
  if (value.is_object() && value.contains(name)) found.push_back(value[name]);
  if (!value.is_structured()) return;
  for (const json& part : value) collect(part, name, found);
}

}  // namespace

TEST_CASE("The log has the version and one run of this tool") {
  const json log = log_of(Findings(), "m.onnx", 0);
  CHECK(log["version"] == "2.1.0");
  CHECK(log["$schema"].get<std::string>().ends_with("sarif-schema-2.1.0.json"));
  REQUIRE(log["runs"].size() == 1);
  const json& run = log["runs"][0];
  CHECK(run["tool"]["driver"]["name"] == "onnx-shapes");
  CHECK(run["tool"]["driver"]["version"] == "1.2.3");
  // 3.14.23: an empty array says that nothing was found; without one, that nothing was looked for.
  CHECK(run["results"] == json::array());
  CHECK(run["invocations"] == json({{{"executionSuccessful", true}, {"exitCode", 0}}}));
  CHECK(run["artifacts"][0]["location"]["uri"] == "m.onnx");
}

TEST_CASE("The rules are the codes") {
  const json rules = log_of(Findings())["runs"][0]["tool"]["driver"]["rules"];
  REQUIRE(rules.size() == all_codes().size());
  std::set<std::string> ids;
  for (const json& rule : rules) {
    ids.insert(rule["id"]);
    CHECK(!rule["name"].get<std::string>().empty());
    CHECK(!rule["shortDescription"]["text"].get<std::string>().empty());
    CHECK(!rule["help"]["text"].get<std::string>().empty());
    const std::string level = rule["defaultConfiguration"]["level"];
    CHECK((level == "error" || level == "warning" || level == "note"));
    if (rule["id"] == "SHP203") {
      CHECK(rule["name"] == "dim-contradiction");
      CHECK(rule["help"]["markdown"] == "# page");
    } else {
      CHECK(!rule["help"].contains("markdown"));
    }
  }
  CHECK(ids.size() == rules.size());
}

TEST_CASE("A result names its rule, level, message and places") {
  const json run = log_of(one_of(place("m.onnx")))["runs"][0];
  REQUIRE(run["results"].size() == 1);
  const json& result = run["results"][0];
  CHECK(result["ruleId"] == "SHP203");
  // 3.27.6: the index leads to the rule of that id.
  const size_t index = result["ruleIndex"];
  CHECK(run["tool"]["driver"]["rules"][index]["id"] == "SHP203");
  CHECK(result["level"] == "error");
  CHECK(result["message"]["text"] == "it is 8\nhelp: write 8");
  const json& location = result["locations"][0];
  CHECK(location["physicalLocation"]["artifactLocation"] ==
        json({{"uri", "m.onnx"}, {"index", 0}}));
  CHECK(location["physicalLocation"]["region"]["startLine"] == 1);
  CHECK(location["logicalLocations"] ==
        json({{{"fullyQualifiedName", "graph/Add_1:output y[axis 0]"},
               {"name", "y"},
               {"kind", "value"}}}));
  REQUIRE(result["relatedLocations"].size() == 2);
  CHECK(result["relatedLocations"][0]["message"]["text"] == "bound here");
  CHECK(result["relatedLocations"][0].contains("physicalLocation"));
  CHECK(result["relatedLocations"][1] == json({{"message", {{"text", "nowhere"}}}}));
}

TEST_CASE("Results of one key have fingerprints of their own") {
  Findings findings;
  findings.add(make_finding(Code::kDimContradiction, place("m.onnx"), "1"));
  findings.add(make_finding(Code::kDimContradiction, place("m.onnx"), "2"));
  const json results = log_of(findings)["runs"][0]["results"];
  const std::string first = results[0]["partialFingerprints"]["primaryLocationLineHash"];
  const std::string second = results[1]["partialFingerprints"]["primaryLocationLineHash"];
  CHECK(first.ends_with(":1"));
  CHECK(second.ends_with(":2"));
  CHECK(first.substr(0, 16) == second.substr(0, 16));
}

TEST_CASE("Paths are URI references") {
  CHECK(uri_of("models/a.onnx") == "models/a.onnx");
  CHECK(uri_of("./models//a.onnx") == "models/a.onnx");
  CHECK(uri_of("/data/a b.onnx") == "file:///data/a%20b.onnx");
  // RFC 3986, 4.2: a colon in the first part of a relative reference would make it a scheme.
  CHECK(uri_of("a:b%c.onnx") == "a%3Ab%25c.onnx");
  CHECK(uri_of("\xc3\xa9.onnx") == "%C3%A9.onnx");
  CHECK(uri_of("bad\xff.onnx") == "bad%FF.onnx");
}

TEST_CASE("A run that did not go to its end says so") {
  Findings findings;
  Place at;
  at.file = "none.onnx";
  findings.add(make_finding(Code::kFileUnreadable, at, "no such file"));
  const json run = log_of(findings, "none.onnx", 2)["runs"][0];
  CHECK(run["invocations"][0]["executionSuccessful"] == false);
  CHECK(run["invocations"][0]["exitCode"] == 2);
  CHECK(!run["results"][0]["locations"][0].contains("logicalLocations"));
}

TEST_CASE("Hostile names make no log that cannot be read") {
  Place at = place("m\x1b\xff.onnx");
  at.value = "\x01\xff\n";
  Findings findings;
  findings.add(make_finding(Code::kDimContradiction, at, "\x02 \xfe"));
  const json log = log_of(findings, at.file);
  CHECK(log["runs"][0]["results"][0]["message"]["text"] == "\\x02 \\xfe");
  std::vector<json> names;
  collect(log, "fullyQualifiedName", names);
  REQUIRE(names.size() == 1);
  CHECK(names[0] == "graph/Add_1:output \\x01\\xff\\x0a[axis 0]");
}

TEST_CASE("A file is one artifact, however many findings it has") {
  Findings findings, none;
  findings.add(make_finding(Code::kDimContradiction, place("a.onnx"), "1"));
  findings.add(make_finding(Code::kDimContradiction, place("a.onnx"), "2"));
  const FileFindings files[] = {{.file = "a.onnx", .findings = findings},
                                {.file = "b.onnx", .findings = none}};
  const json run = json::parse(to_sarif(files, {}))["runs"][0];
  REQUIRE(run["artifacts"].size() == 2);
  for (const json& result : run["results"]) {
    const json& artifact = result["locations"][0]["physicalLocation"]["artifactLocation"];
    const size_t index = artifact["index"];
    CHECK(run["artifacts"][index]["location"]["uri"] == artifact["uri"]);
  }
}

}  // namespace onnx_shapes
