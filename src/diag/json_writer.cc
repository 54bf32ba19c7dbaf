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

}  // namespace

std::string to_json(const Findings& findings) {
  Json list = Json::array();
  for (const Finding& finding : findings.all()) list.push_back(finding_json(finding));
  const size_t errors = findings.count(Severity::kError);
  const size_t warnings = findings.count(Severity::kWarning) - errors;
  const Json document = {{"version", kJsonVersion},
                         {"findings", std::move(list)},
                         {"counts",
                          {{"error", errors},
                           {"warning", warnings},
                           {"note", findings.all().size() - errors - warnings},
                           {"suppressed", findings.suppressed()}}}};
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace onnx_shapes
