// Builds the SARIF log. Numbers such as 3.27 are sections of the standard.
#include "diag/sarif_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "diag/finding_key.h"
#include "diag/printable.h"
#include "diag/text_writer.h"

namespace onnx_shapes {
namespace {

using Json = nlohmann::ordered_json;

/// A path as a URI reference (3.4.3): relative to where the tool ran, or with the scheme `file`.
std::string uri_of(const std::string& path) {
  constexpr std::string_view kPlain = "-._~/";
  const std::string normal = std::filesystem::path(path).lexically_normal().string();
  std::string uri = normal.starts_with('/') ? "file://" : "";
  for (const char c : normal) {
    const bool alphanumeric =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (alphanumeric || kPlain.find(c) != std::string_view::npos) {
      uri += c;
    } else {
      uri += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return uri;
}

Json text_message(const std::string& text) {
  return {{"text", printable(text, LineBreaks::kKeep)}};
}

class SarifLog {
 public:
  SarifLog(std::span<const FileFindings> files, const SarifOptions& options)
      : files_(files), options_(options) {}

  Json document();

 private:
  [[nodiscard]] Json rule(const CodeInfo& code) const;
  [[nodiscard]] Json driver() const;
  Json artifact_location(const std::string& file);
  Json location(const Place& place);
  Json result(const Finding& finding, size_t occurrence);

  std::span<const FileFindings> files_;
  const SarifOptions& options_;
  std::map<std::string, size_t> artifact_index_;  // by URI
  Json artifacts_ = Json::array();
};

Json SarifLog::rule(const CodeInfo& code) const {
  Json rule = {{"id", code_id(code.code)},
               {"name", code_name(code.code)},
               {"shortDescription", {{"text", code.summary}}},
               {"defaultConfiguration", {{"level", severity_name(code.severity)}}}};
  const std::string_view page = options_.page ? options_.page(code.code) : std::string_view();
  // Markdown reads well as plain text too, which every help must have (3.11.4).
  rule["help"] = {{"text", page.empty() ? code.summary : page}};
  if (!page.empty()) rule["help"]["markdown"] = page;
  return rule;
}

Json SarifLog::driver() const {
  Json rules = Json::array();
  for (const CodeInfo& code : all_codes()) rules.push_back(rule(code));
  return {{"name", "onnx-shapes"}, {"version", options_.version}, {"rules", std::move(rules)}};
}

Json SarifLog::artifact_location(const std::string& file) {
  const std::string uri = uri_of(file);
  const auto [known, is_new] = artifact_index_.try_emplace(uri, artifacts_.size());
  if (is_new) artifacts_.push_back({{"location", {{"uri", uri}}}});
  return {{"uri", uri}, {"index", known->second}};
}

Json SarifLog::location(const Place& place) {
  Json location = Json::object();
  if (!place.file.empty()) {
    location["physicalLocation"] = {{"artifactLocation", artifact_location(place.file)},
                                    {"region", {{"startLine", 1}}}};
  }
  Place within = place;
  within.file.clear();
  const std::string path = to_string(within);
  if (path.empty()) return location;
  Json logical = {{"fullyQualifiedName", path}};
  const std::string& name = !place.value.empty()  ? place.value
                            : !place.node.empty() ? place.node
                                                  : place.graph;
  if (!name.empty()) logical["name"] = printable(name);
  // 3.33.7: any string may say what kind of thing it is.
  if (!place.value.empty()) {
    logical["kind"] = "value";
  } else if (!place.node.empty()) {
    logical["kind"] = "node";
  } else if (!place.graph.empty()) {
    logical["kind"] = "graph";
  }
  location["logicalLocations"] = Json::array({std::move(logical)});
  return location;
}

Json SarifLog::result(const Finding& finding, size_t occurrence) {
  const std::vector<CodeInfo>& codes = all_codes();
  const auto row = std::find_if(codes.begin(), codes.end(), [&](const CodeInfo& candidate) {
    return candidate.code == finding.code;
  });
  std::string text = finding.message;
  if (!finding.help.empty()) text += "\nhelp: " + finding.help;
  Json result = {{"ruleId", code_id(finding.code)},
                 {"ruleIndex", row - codes.begin()},
                 {"level", severity_name(finding.severity)},
                 {"message", text_message(text)}};
  if (Json place = location(finding.place); !place.empty()) {
    result["locations"] = Json::array({std::move(place)});
  }
  for (const Note& note : finding.notes) {
    Json related = note.place ? location(*note.place) : Json::object();
    related["message"] = text_message(note.message);
    result["relatedLocations"].push_back(std::move(related));
  }
  // GitHub tells results apart by the value of this name, with the occurrence after the colon.
  result["partialFingerprints"] = {
      {"primaryLocationLineHash", fmt::format("{}:{}", fingerprint(key_of(finding)), occurrence)}};
  return result;
}

Json SarifLog::document() {
  Json results = Json::array();
  for (const FileFindings& file : files_) {
    (void)artifact_location(file.file);  // also of a file without findings: it was looked at
    std::map<FindingKey, size_t> occurrences;
    for (const Finding& finding : file.findings.all()) {
      results.push_back(result(finding, ++occurrences[key_of(finding)]));
    }
  }
  const Json invocation = {{"executionSuccessful", options_.exit_code <= 1},
                           {"exitCode", options_.exit_code}};
  Json run = {{"tool", {{"driver", driver()}}},
              {"invocations", Json::array({invocation})},
              {"artifacts", std::move(artifacts_)},
              {"results", std::move(results)},
              {"columnKind", "utf16CodeUnits"}};
  return {{"$schema",
           "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/"
           "sarif-schema-2.1.0.json"},
          {"version", "2.1.0"},
          {"runs", Json::array({std::move(run)})}};
}

}  // namespace

std::string to_sarif(std::span<const FileFindings> files, const SarifOptions& options) {
  return SarifLog(files, options).document().dump(2, ' ', false, Json::error_handler_t::replace) +
         "\n";
}

}  // namespace onnx_shapes
