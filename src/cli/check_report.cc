#include "cli/check_report.h"

#include <fmt/format.h>

#include "diag/printable.h"
#include "model/annotate.h"

namespace onnx_shapes {
namespace {

std::string place_text(const Model& model, uint32_t annotation) {
  const Annotation& a = model.annotations()[annotation];
  Place place = model.place_of_value(a.value);
  place.role = role_name(a.role);
  return to_string(place);
}

std::string verdicts(const Model& model, const Checked& checked) {
  std::string text;
  for (const Judgement& judgement : checked.result.judgements) {
    text += fmt::format("{}: {}{}\n", printable(place_text(model, judgement.annotation)),
                        verdict_name(judgement.verdict),
                        judgement.reason.empty() ? "" : ": " + printable(judgement.reason));
  }
  return text;
}

std::string bindings(const Model& model, const Checked& checked) {
  std::string text;
  for (const NameBinding& binding : checked.result.bindings) {
    const Place place = model.place_of_value(binding.value, static_cast<int64_t>(binding.axis));
    text += fmt::format("{} = {}  ({})\n", printable(binding.name), printable(binding.size),
                        to_string(place));
  }
  return text;
}

std::string summary(const Checked& checked) {
  const CheckResult& result = checked.result;
  std::string text =
      fmt::format("{}{} annotations: {} proved, {} refuted, {} undetermined",
                  checked.source.empty() ? std::string() : printable(checked.source) + ": ",
                  result.judgements.size(), result.count(Verdict::kProved),
                  result.count(Verdict::kRefuted), result.count(Verdict::kUndetermined));
  if (result.unreached > 0) text += fmt::format("; {} of values never computed", result.unreached);
  if (checked.executed && checked.executed->slices > 0) {
    text += fmt::format("; {} node{} run for it", checked.executed->nodes,
                        checked.executed->nodes == 1 ? "" : "s");
  }
  return text + "\n";
}

nlohmann::ordered_json to_json(const Counterexample& example) {
  auto inputs = nlohmann::ordered_json::object();
  for (const NamedSize& size : example.inputs) inputs[size.name] = size.number;
  return {{"axis", example.axis},
          {"inputs", std::move(inputs)},
          {"declared", example.declared},
          {"actual", example.found}};
}

nlohmann::ordered_json to_json(const Model& model, const Checked& checked) {
  nlohmann::ordered_json run;
  if (!checked.source.empty()) run["inputs"] = checked.source;
  auto& verdicts = run["verdicts"] = nlohmann::ordered_json::array();
  for (const Judgement& judgement : checked.result.judgements) {
    nlohmann::ordered_json verdict = {{"path", place_text(model, judgement.annotation)},
                                      {"verdict", verdict_name(judgement.verdict)}};
    if (!judgement.reason.empty()) verdict["reason"] = judgement.reason;
    if (judgement.example) verdict["counterexample"] = to_json(*judgement.example);
    verdicts.push_back(std::move(verdict));
  }
  auto& bindings = run["bindings"] = nlohmann::ordered_json::array();
  for (const NameBinding& binding : checked.result.bindings) {
    bindings.push_back({{"name", binding.name},
                        {"size", binding.size},
                        {"path", to_string(model.place_of_value(
                                     binding.value, static_cast<int64_t>(binding.axis)))}});
  }
  run["counts"] = {{"proved", checked.result.count(Verdict::kProved)},
                   {"refuted", checked.result.count(Verdict::kRefuted)},
                   {"undetermined", checked.result.count(Verdict::kUndetermined)},
                   {"unreached", checked.result.unreached}};
  if (checked.executed) {
    run["executed"] = {{"slices", checked.executed->slices},
                       {"nodes", checked.executed->nodes},
                       {"values", checked.executed->values}};
  }
  return run;
}

}  // namespace

RunReport report_of(const Model& model, const Checked& checked, const CheckArguments& arguments) {
  RunReport report;
  if (arguments.verbose) report.verdicts = verdicts(model, checked);
  if (arguments.bindings) report.bindings = bindings(model, checked);
  if (arguments.format == "json") report.json = to_json(model, checked);
  report.summary = summary(checked);
  return report;
}

}  // namespace onnx_shapes
