#include "cli/diff_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "anchors/merge.h"
#include "check/contract.h"
#include "cli/report.h"
#include "gate/selection.h"
#include "infer/schema_fallback.h"
#include "rules/rules.h"

namespace onnx_shapes {
namespace {

/// The contract of one of the two models. Of the findings about the model itself, which are those
/// of `check`, only that it could not be examined counts here.
Expected<Contract> read_contract(const std::string& path, const DiffArguments& arguments,
                                 Findings& findings) {
  Findings own;
  Expected<Model> model = load_model(path, arguments, own);
  if (!model) return Failure{model.reason()};
  const InferOptions options = infer_options(arguments, std::chrono::steady_clock::now());
  const std::unique_ptr<Fallback> fallback = make_schema_fallback(*model);
  Inference inference = infer(*model, default_rules(), fallback.get(), options, own);
  merge_anchors(*model, inference, {}, own);
  for (const Finding& finding : own.all()) {
    if (is_unchecked(finding.code)) findings.add(finding);
  }
  return contract_of(*model, inference);
}

int finish(const Findings& found, const Selection& selection, const DiffArguments& arguments) {
  const Findings findings = selection.of(found);
  const int code = exit_code(findings, arguments.fail_on);
  // What changed is what was asked for: notes belong to it.
  const Severity least = arguments.quiet ? Severity::kError : Severity::kNote;
  print_findings(stdout,
                 {.file = arguments.after,
                  .findings = findings,
                  .fail_on = fail_level(arguments.fail_on).value_or(Severity::kError),
                  .may_fail = arguments.fail_on != "never"},
                 arguments.format, least, code);
  if (arguments.format == "text" && !arguments.quiet && findings.empty()) {
    fmt::print("the contract is the same\n");
  }
  return code;
}

}  // namespace

CLI::App* add_diff_command(CLI::App& app, DiffArguments& arguments) {
  CLI::App* diff =
      app.add_subcommand("diff", "Compare what two versions of a model promise their callers");
  diff->add_option("old", arguments.before, "The model that callers know")->required();
  diff->add_option("new", arguments.after, "The model that is to take its place")->required();
  add_report_options(*diff, arguments);
  add_limit_options(*diff, arguments);
  return diff;
}

int run_diff(const DiffArguments& arguments) {
  const Result<Selection, std::string> selection =
      Selection::read(arguments.select, arguments.ignore);
  if (!selection) return usage(selection.reason());
  Findings findings;
  const Expected<Contract> before = read_contract(arguments.before, arguments, findings);
  const Expected<Contract> after = read_contract(arguments.after, arguments, findings);
  if (!before) findings.add(before.reason());
  if (!after) findings.add(after.reason());
  if (before && after) compare_contracts(*before, *after, findings);
  return finish(findings, *selection, arguments);
}

}  // namespace onnx_shapes
