#include "cli/check_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>

#include "anchors/merge.h"
#include "anchors/placeholders.h"
#include "check/check.h"
#include "check/execute.h"
#include "check/fixes.h"
#include "check/inputs.h"
#include "cli/check_report.h"
#include "diag/printable.h"
#include "gate/requirement.h"
#include "infer/infer.h"
#include "infer/schema_fallback.h"
#include "rules/rules.h"
#include "support/heap.h"
#include "wire/splice.h"

namespace onnx_shapes {
namespace {

using Clock = std::chrono::steady_clock;

struct Run {
  const CheckArguments& arguments;
  Findings findings;
  std::vector<Checked> checked;
  std::unique_ptr<Runner> runner = nullptr;  // with --execute
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
class Judge {
 public:
  Judge(Model& model, CheckOptions check, Findings& findings)
      : model_(model),
        check_(check),
        fallback_(make_schema_fallback(model)),
        findings_(findings),
        mark_(findings.mark()) {}

  /// Takes back what it has found before.
  Judged operator()(const InferOptions& options) {
    findings_.roll_back(mark_);
    Judged judged{.inference = infer_with(options, findings_), .result = {}};
    judged.result = check_annotations(model_, judged.inference, check_, findings_);
    const auto infer_again = [&](const std::map<NodeId, bool>& branches, Findings& findings) {
      InferOptions taken = options;
      taken.branches = branches;
      return infer_with(taken, findings);
    };
    check_branches(model_, judged.inference, check_, infer_again, judged.result, findings_);
    return judged;
  }

 private:
  [[nodiscard]] Inference infer_with(const InferOptions& options, Findings& findings) {
    return infer(model_, default_rules(), fallback_.get(), options, findings);
  }

  Model& model_;
  CheckOptions check_;
  std::unique_ptr<Fallback> fallback_;  // one for all, since the model keeps what it adds
  Findings& findings_;
  size_t mark_;
};

void check_all_runs(Run& run, Model& model, InferOptions options) {
  options.declare.inputs_declare_compounds = true;
  Judged judged = Judge(model, {}, run.findings)(options);
  report_implied(model, judged.inference, run.findings);
  report_imprecise_outputs(model, judged.inference, judged.result, run.findings);
  require(run, model, judged.inference);
  report_placeholders(model, run.findings);
  if (run.arguments.only_run) keep_until_exit(std::move(judged.inference));
  run.checked.push_back({"", std::move(judged.result), {}});
}

/// The contents of inputs are read when a slice needs them: those of the file, not of --shape.
RunInputs contents_of(const Model& model, const std::string& source,
                      const std::vector<GivenArray>& arrays) {
  RunInputs inputs;
  inputs.given = [&model, &arrays](ValueId id) {
    return std::any_of(arrays.begin(), arrays.end(), [&](const GivenArray& array) {
      return array.name == model.value(id).name && array.kind != FactKind::kUnknown;
    });
  };
  inputs.read = [&model,
                 source](const std::vector<ValueId>& ids) -> Expected<std::vector<RunInput>> {
    std::set<std::string> names;
    for (const ValueId id : ids) names.emplace(model.value(id).name);
    Findings findings;
    std::map<std::string, RunInput> contents;
    if (!names.empty()) contents = read_contents(source, model, names, findings);
    std::vector<RunInput> ordered;
    for (const ValueId id : ids) {
      const auto found = contents.find(std::string(model.value(id).name));
      if (found == contents.end()) {
        if (!findings.empty()) return Failure{findings.all().front()};
        return Failure{make_finding(Code::kInputsUnreadable, place_in(source),
                                    fmt::format("{} has changed while it was read", source))};
      }
      ordered.push_back(std::move(found->second));
    }
    return ordered;
  };
  return inputs;
}

/// One run with the arrays of a file and the shapes of the command line.
void check_run(Run& run, Model& model, InferOptions options, const std::string& source,
               const std::vector<GivenArray>& shapes) {
  const size_t errors = run.findings.count(Severity::kError);
  std::vector<GivenArray> arrays;
  if (!source.empty()) arrays = read_arrays(source, model, run.findings);
  if (arrays.empty() && run.findings.count(Severity::kError) > errors) return;
  const std::vector<GivenArray> with_contents = arrays;
  arrays.insert(arrays.end(), shapes.begin(), shapes.end());
  options.inputs = match_inputs(model, arrays, source, run.findings);
  complete_inputs(model, options.declare.numbers, source.empty(), source, *options.inputs,
                  run.findings);
  if (run.findings.count(Severity::kError) > errors) return;
  options.max_unrolled_visits = run.arguments.max_unrolled;
  Judge judge(model, {.run = true}, run.findings);
  Checked checked;
  checked.source = source;
  Judged judged;
  if (run.runner) {
    const auto judge_with = [&](const Computed& computed) {
      options.computed = computed.values;
      options.iterations = computed.iterations;
      return judge(options);
    };
    judged =
        judge_by_running(model, *run.runner, contents_of(model, source, with_contents), judge_with,
                         options.deadline, checked.executed.emplace(), run.findings);
  } else {
    judged = judge(options);
  }
  require(run, model, judged.inference);
  if (run.arguments.only_run) keep_until_exit(std::move(judged.inference));
  checked.result = std::move(judged.result);
  run.checked.push_back(std::move(checked));
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
  if (arguments.execute) {
    Expected<std::unique_ptr<Runner>> runner = load_onnxruntime();
    if (!runner) {
      ModelReport report;
      Finding finding = runner.reason();
      finding.place.file = path;
      report.findings.add(std::move(finding));
      return report;
    }
    run.runner = std::move(*runner);
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
  if (arguments.only_run) keep_until_exit(std::move(*model));
  return report;
}

}  // namespace onnx_shapes
