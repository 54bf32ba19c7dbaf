#include "cli/check_command.h"

#include <fmt/format.h>

#include <chrono>

#include "anchors/merge.h"
#include "anchors/placeholders.h"
#include "check/check.h"
#include "check/fixes.h"
#include "check/inputs.h"
#include "cli/check_report.h"
#include "diag/printable.h"
#include "gate/requirement.h"
#include "infer/infer.h"
#include "infer/schema_fallback.h"
#include "rules/rules.h"
#include "wire/splice.h"

namespace onnx_shapes {
namespace {

using Clock = std::chrono::steady_clock;

struct Run {
  const CheckArguments& arguments;
  Findings findings;
  std::vector<Checked> checked;
  Clock::time_point start = Clock::now();
};

/// After the annotations have been checked, since their names are taken for what they name here.
void require(Run& run, const Model& model, Inference& inference) {
  const auto requirement = read_requirement(run.arguments.require);
  if (!requirement || *requirement == Requirement::kNone) return;
  Findings contradictions;  // check_annotations() has told them better
  merge_anchors(model, inference, {}, contradictions);
  require_known(model, inference, *requirement, run.findings);
}

/// Infers the model and judges its annotations, also by the branches of Ifs.
CheckResult judge(Run& run, Model& model, const InferOptions& options, const CheckOptions& check) {
  const std::unique_ptr<Fallback> fallback = make_schema_fallback(model);
  Inference inference = infer(model, default_rules(), fallback.get(), options, run.findings);
  CheckResult result = check_annotations(model, inference, check, run.findings);
  const auto infer_again = [&](const std::map<NodeId, bool>& branches, Findings& findings) {
    InferOptions taken = options;
    taken.branches = branches;
    return infer(model, default_rules(), fallback.get(), taken, findings);
  };
  check_branches(model, inference, check, infer_again, result, run.findings);
  if (!check.run) report_implied_equalities(model, inference, run.findings);
  require(run, model, inference);
  return result;
}

void check_all_runs(Run& run, Model& model, InferOptions options) {
  options.declare.inputs_declare_compounds = true;
  CheckResult result = judge(run, model, options, {});
  report_placeholders(model, run.findings);
  run.checked.push_back({"", std::move(result)});
}

/// One run with the arrays of a file and the shapes of the command line.
void check_run(Run& run, Model& model, InferOptions options, const std::string& source,
               const std::vector<GivenArray>& shapes) {
  const size_t errors = run.findings.count(Severity::kError);
  std::vector<GivenArray> arrays;
  if (!source.empty()) arrays = read_arrays(source, model, run.findings);
  if (arrays.empty() && run.findings.count(Severity::kError) > errors) return;
  arrays.insert(arrays.end(), shapes.begin(), shapes.end());
  options.inputs = match_inputs(model, arrays, source, run.findings);
  complete_inputs(model, options.declare.numbers, source.empty(), source, *options.inputs,
                  run.findings);
  if (run.findings.count(Severity::kError) > errors) return;
  options.max_unrolled_visits = run.arguments.max_unrolled;
  run.checked.push_back({source, judge(run, model, options, {.run = true})});
}

std::string fix_lines(const Fixes& fixes) {
  std::string lines;
  for (const Fix& fix : fixes.list) {
    const std::string place = printable(to_string(fix.place));
    const std::string before = printable(fix.before);
    lines += fix.after.empty()
                 ? fmt::format("{}: removed {}\n", place, before)
                 : fmt::format("{}: {} is {} now\n", place, before, printable(fix.after));
  }
  return lines;
}

std::string diff_lines(const std::string& path, const Fixes& fixes) {
  if (fixes.list.empty()) return {};
  std::string lines = fmt::format("--- {0}\n+++ {0}\n", printable(path));
  for (const Fix& fix : fixes.list) {
    Place place = fix.place;
    place.file.clear();
    const std::string where = printable(to_string(place));
    lines += fmt::format("-{}: {}\n", where, printable(fix.before));
    if (!fix.after.empty()) lines += fmt::format("+{}: {}\n", where, printable(fix.after));
  }
  return lines;
}

/// What is found in the model after --fix; nothing where it stays as it is.
std::optional<ModelReport> mend(const std::string& path, const Model& model, const Fixes& fixes,
                                const CheckArguments& arguments,
                                const std::function<void(uint64_t)>& progress) {
  if (!arguments.fix || arguments.diff || fixes.list.empty()) return std::nullopt;
  const Expected<void> written =
      splice(model.file(), model.wire(), annotation_edits(model, fixes.changes),
             {.path = path, .in_place = true});
  if (!written) {
    ModelReport report;
    report.findings.add(written.reason());
    return report;
  }
  // What is mended may show more: each time there is less to mend.
  ModelReport report = check_model(path, arguments, progress);
  report.fixes = fix_lines(fixes) + report.fixes;
  return report;
}

}  // namespace

ModelReport check_model(const std::string& path, const CheckArguments& arguments,
                        const std::function<void(uint64_t)>& progress) {
  Run run{.arguments = arguments, .findings = Findings(arguments.max_findings), .checked = {}};
  const auto refuse = [&](std::string complaint) {
    ModelReport report;
    report.complaint = std::move(complaint);
    return report;
  };
  Expected<Model> model = load_model(path, arguments, run.findings);
  if (!model) {
    run.findings.add(model.reason());
    ModelReport report;
    report.findings = std::move(run.findings);
    return report;
  }
  if (path == "-" && arguments.fix && !arguments.diff) {
    return refuse("--fix needs a file, not standard input");
  }
  InferOptions options = infer_options(arguments, run.start);
  options.observe = true;
  options.progress = progress;
  if (auto complaint = read_dims(arguments.dims, *model, options.declare)) {
    return refuse(std::move(*complaint));
  }
  std::vector<GivenArray> shapes;
  for (const std::string& text : arguments.shapes) {
    std::optional<GivenArray> shape = read_shape_text(text);
    if (!shape) return refuse(fmt::format("--shape takes NAME=2,3,224, not '{}'", text));
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
  ModelReport report;
  if (arguments.fix || arguments.diff) {
    const Fixes fixes = safe_fixes(*model, run.checked.front().result);
    if (auto mended = mend(path, *model, fixes, arguments, progress)) return std::move(*mended);
    report.fixes = diff_lines(path, fixes);
  }
  report.findings = std::move(run.findings);
  for (const Checked& checked : run.checked) {
    report.runs.push_back(report_of(*model, checked, arguments));
  }
  return report;
}

}  // namespace onnx_shapes
