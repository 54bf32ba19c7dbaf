#include "cli/check_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "anchors/placeholders.h"
#include "check/check.h"
#include "check/inputs.h"
#include "cli/cli.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "diag/json_writer.h"
#include "diag/printable.h"
#include "infer/infer.h"
#include "infer/schema_fallback.h"
#include "rules/rules.h"

namespace onnx_shapes {
namespace {

using Clock = std::chrono::steady_clock;

/// The verdicts of one run, or of all runs at once.
struct Checked {
  std::string source;  // the file with the inputs; empty for all runs
  CheckResult result;
};

struct Run {
  const CheckArguments& arguments;
  Findings findings;
  const Model* model = nullptr;
  std::vector<Checked> checked;
  Clock::time_point start = Clock::now();
};

std::string place_text(const Model& model, uint32_t annotation) {
  const Annotation& a = model.annotations()[annotation];
  Place place = model.place_of_value(a.value);
  place.role = a.role == Annotation::Role::kInput    ? "input"
               : a.role == Annotation::Role::kOutput ? "output"
                                                     : "value_info";
  return to_string(place);
}

void print_verdicts(FILE* stream, const Run& run, const Checked& checked) {
  for (const Judgement& judgement : checked.result.judgements) {
    fmt::print(stream, "{}: {}{}\n", printable(place_text(*run.model, judgement.annotation)),
               verdict_name(judgement.verdict),
               judgement.reason.empty() ? std::string() : ": " + printable(judgement.reason));
  }
}

void print_bindings(FILE* stream, const Run& run, const Checked& checked) {
  for (const NameBinding& binding : checked.result.bindings) {
    Place place = run.model->place_of_value(binding.value, static_cast<int64_t>(binding.axis));
    fmt::print(stream, "{} = {}  ({})\n", printable(binding.name), printable(binding.size),
               printable(to_string(place)));
  }
}

std::string summary(const Checked& checked) {
  const CheckResult& result = checked.result;
  std::string text =
      fmt::format("{}{} annotations: {} proved, {} refuted, {} undetermined",
                  checked.source.empty() ? std::string() : printable(checked.source) + ": ",
                  result.judgements.size(), result.count(Verdict::kProved),
                  result.count(Verdict::kRefuted), result.count(Verdict::kUndetermined));
  if (result.unreached > 0) text += fmt::format("; {} of values never computed", result.unreached);
  return text;
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
  return run;
}

void print_json(const Run& run) {
  auto report = nlohmann::ordered_json::parse(to_json(run.findings));
  auto& runs = report["runs"] = nlohmann::ordered_json::array();
  for (const Checked& checked : run.checked) runs.push_back(to_json(*run.model, checked));
  fmt::print("{}\n", report.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

int finish(const Run& run) {
  const CheckArguments& arguments = run.arguments;
  const int code = exit_code(run.findings, arguments.fail_on);
  if (arguments.format == "json") {
    print_json(run);
    return code;
  }
  print_findings(stdout, run.findings, arguments.format, least_shown(arguments));
  for (const Checked& checked : run.checked) {
    if (arguments.verbose) print_verdicts(stdout, run, checked);
    if (arguments.bindings) print_bindings(stdout, run, checked);
    if (arguments.quiet || arguments.format != "text") continue;
    const bool wanted = arguments.verbose || isatty(STDOUT_FILENO) == 1 || code != kExitClean;
    if (wanted) fmt::print("{}\n", summary(checked));
  }
  return code;
}

/// Infers the model and judges its annotations, also by the branches of Ifs.
CheckResult check_model(Run& run, Model& model, const InferOptions& options,
                        const CheckOptions& check) {
  const std::unique_ptr<Fallback> fallback = make_schema_fallback(model);
  const Inference inference = infer(model, default_rules(), fallback.get(), options, run.findings);
  CheckResult result = check_annotations(model, inference, check, run.findings);
  const auto infer_again = [&](const std::map<NodeId, bool>& branches, Findings& findings) {
    InferOptions taken = options;
    taken.branches = branches;
    return infer(model, default_rules(), fallback.get(), taken, findings);
  };
  check_branches(model, inference, check, infer_again, result, run.findings);
  if (!check.run) report_implied_equalities(model, inference, run.findings);
  return result;
}

void check_all_runs(Run& run, Model& model, InferOptions options) {
  options.declare.inputs_declare_compounds = true;
  CheckResult result = check_model(run, model, options, {});
  report_placeholders(model, run.findings);
  run.checked.push_back({"", std::move(result)});
}

/// One run with the arrays of a file and the shapes of the command line.
void check_run(Run& run, Model& model, InferOptions options, const std::string& source,
               const std::vector<GivenArray>& shapes) {
  const size_t errors = run.findings.count(Severity::kError);
  std::vector<GivenArray> arrays;
  if (!source.empty()) arrays = read_arrays(source, run.findings);
  arrays.insert(arrays.end(), shapes.begin(), shapes.end());
  options.inputs = match_inputs(model, arrays, source, run.findings);
  complete_inputs(model, options.declare.numbers, source.empty(), source, *options.inputs,
                  run.findings);
  if (run.findings.count(Severity::kError) > errors) return;
  options.max_unrolled_visits = run.arguments.max_unrolled;
  run.checked.push_back({source, check_model(run, model, options, {.run = true})});
}

}  // namespace

int run_check(const CheckArguments& arguments) {
  if (arguments.model.empty()) return usage("name the model: onnx-shapes check MODEL");
  Run run{.arguments = arguments, .findings = Findings(), .model = nullptr, .checked = {}};
  const auto refuse = [&](Finding finding) {
    run.findings.add(std::move(finding));
    return finish(run);
  };
  Expected<Model> model = load_model(arguments.model, arguments, run.findings);
  if (!model) return refuse(model.reason());
  run.model = &*model;
  InferOptions options = infer_options(arguments, run.start);
  options.observe = true;
  if (const auto complaint = read_dims(arguments.dims, *model, options.declare)) {
    return usage(*complaint);
  }
  Progress progress(!arguments.quiet);
  options.progress = [&](uint64_t nodes) { progress(nodes); };
  std::vector<GivenArray> shapes;
  for (const std::string& text : arguments.shapes) {
    std::optional<GivenArray> shape = read_shape_text(text);
    if (!shape) return usage(fmt::format("--shape takes NAME=2,3,224, not '{}'", text));
    shapes.push_back(std::move(*shape));
  }
  if (arguments.inputs.empty() && shapes.empty()) {
    check_all_runs(run, *model, options);
  } else if (arguments.inputs.empty()) {
    check_run(run, *model, options, "", shapes);
  }
  for (const std::string& source : arguments.inputs) {
    check_run(run, *model, options, source, shapes);
  }
  return finish(run);
}

}  // namespace onnx_shapes
