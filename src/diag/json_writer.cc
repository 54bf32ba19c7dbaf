// Builds the JSON document of a report.
#include "diag/json_writer.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "diag/text_writer.h"

namespace onnx_shapes {
namespace {

using Json = nlohmann::ordered_json;

void put(Json& object, const char* member, const std::string& text) {
  if (!text.empty()) object[member] = text;
}

Json place_json(const Place& place) {
  Json object = Json::object();
  put(object, "path", to_string(place));
  put(object, "file", place.file);
  put(object, "graph", place.graph);
  put(object, "node", place.node);
  put(object, "role", place.role);
  put(object, "value", place.value);
  if (place.axis) object["axis"] = *place.axis;
  if (place.offset) object["offset"] = *place.offset;
  put(object, "node_text", place.node_text);
  return object;
}

Json finding_json(const Finding& finding) {
  Json object = {{"code", code_id(finding.code)},
                 {"name", code_name(finding.code)},
                 {"severity", severity_name(finding.severity)},
                 {"message", finding.message}};
  put(object, "help", finding.help);
  object["place"] = place_json(finding.place);
  for (const Note& note : finding.notes) {
    Json note_object = {{"message", note.message}};
    if (note.place) note_object["place"] = place_json(*note.place);
    object["notes"].push_back(std::move(note_object));
  }
  return object;
}

struct Counts {
  size_t errors = 0;
  size_t warnings = 0;
  size_t notes = 0;
  size_t suppressed = 0;

  void add(const Findings& findings) {
    const size_t with_warnings = findings.count(Severity::kWarning);
    const size_t failed = findings.count(Severity::kError);
    errors += failed;
    warnings += with_warnings - failed;
    notes += findings.all().size() - with_warnings;
    suppressed += findings.suppressed();
  }
  [[nodiscard]] Json json() const {
    return {{"error", errors}, {"warning", warnings}, {"note", notes}, {"suppressed", suppressed}};
  }
};

std::string text_of(const Json& document) {
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string to_json(const Findings& findings) {
  Json list = Json::array();
  for (const Finding& finding : findings.all()) list.push_back(finding_json(finding));
  Counts counts;
  counts.add(findings);
  return text_of(
      {{"version", kJsonVersion}, {"findings", std::move(list)}, {"counts", counts.json()}});
}

std::string to_json(std::span<const FileFindings> files) {
  Json list = Json::array();
  Json parts = Json::array();
  Counts all;
  for (const FileFindings& file : files) {
    for (const Finding& finding : file.findings.all()) list.push_back(finding_json(finding));
    Counts counts;
    counts.add(file.findings);
    all.add(file.findings);
    parts.push_back({{"file", file.file}, {"counts", counts.json()}});
  }
  return text_of({{"version", kJsonVersion},
                  {"findings", std::move(list)},
                  {"counts", all.json()},
                  {"files", std::move(parts)}});
}

}  // namespace onnx_shapes
