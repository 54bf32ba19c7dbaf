#include "cli/explain_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>

#include "anchors/merge.h"
#include "cli/cli.h"
#include "cli/explain_value.h"
#include "cli/finding_pages.h"
#include "cli/report.h"
#include "diag/printable.h"
#include "diag/text_writer.h"
#include "infer/schema_fallback.h"
#include "rules/rules.h"

namespace onnx_shapes {
namespace {

const CodeInfo* find_code(const std::string& text) {
  const std::vector<CodeInfo>& codes = all_codes();
  const auto found = std::find_if(codes.begin(), codes.end(), [&](const CodeInfo& info) {
    const std::string id = code_id(info.code);
    return text == id || text == code_name(info.code) || text == id.substr(3);
  });
  return found == codes.end() ? nullptr : &*found;
}

int explain_code(const std::string& text) {
  const CodeInfo* info = find_code(text);
  if (info == nullptr) {
    return usage(
        fmt::format("there is no code '{}' (onnx-shapes rules lists them); of a model a value is "
                    "explained: onnx-shapes explain MODEL VALUE[:AXIS]",
                    printable(text)));
  }
  for (const auto& [code, page] : kFindingPages) {
    if (code == code_id(info->code)) fmt::print("{}", page);
  }
  return kExitClean;
}

/// The rank of the tensor, or of the tensors in the sequence or optional.
std::optional<size_t> rank_of(const Inference& inference, ValueId value) {
  if (!inference.facts[value]) return std::nullopt;
  const Fact* tensor = &*inference.facts[value];
  while (tensor->element) tensor = tensor->element.get();
  return tensor->shape ? std::optional(tensor->shape->size()) : std::nullopt;
}

int explain_value(const ExplainArguments& arguments) {
  Findings findings;
  const auto refuse = [&](Finding finding) {
    findings.add(std::move(finding));
    const int code = exit_code(findings, "never");
    print_findings(stdout, {.file = arguments.subject, .findings = findings}, "text",
                   Severity::kError, code);
    return code;
  };
  Expected<Model> model = load_model(arguments.subject, arguments, findings);
  if (!model) return refuse(model.reason());
  InferOptions options = infer_options(arguments, std::chrono::steady_clock::now());
  options.use_value_info = !arguments.fresh;
  if (const auto complaint = read_dims(arguments.dims, *model, options.declare)) {
    return usage(*complaint);
  }
  const Result<Target, std::string> target = find_target(*model, arguments.value);
  if (!target) return usage(target.reason());
  const RuleTable& rules = default_rules();
  const std::unique_ptr<Fallback> fallback = make_schema_fallback(*model);
  Inference inference = infer(*model, rules, fallback.get(), options, findings);
  merge_anchors(*model, inference,
                {.trust = trust_of(arguments.trust), .use_value_info = !arguments.fresh}, findings);
  const std::optional<size_t> rank = rank_of(inference, target->value);
  if (target->axis && rank && *target->axis >= *rank) {
    return usage(fmt::format("'{}' has rank {}, so there is no axis {}",
                             printable(model->value(target->value).name), *rank, *target->axis));
  }
  Probe probe(*model, rules, fallback.get(), options, inference);
  fmt::print("{}", explanation_text(*model, inference, probe, *target));
  return exit_code(findings, "never");
}

}  // namespace

CLI::App* add_explain_command(CLI::App& app, ExplainArguments& arguments) {
  CLI::App* explain = app.add_subcommand(
      "explain", "Say what the code of a finding means, or why a dim of a model reads as it does");
  explain
      ->add_option("subject", arguments.subject,
                   "A code (SHP203, 203 or dim-contradiction), or a model")
      ->required();
  explain->add_option("value", arguments.value,
                      "A value of the model, or one axis of it: VALUE:AXIS");
  explain->add_flag("--fresh", arguments.fresh, "Forget existing value_info before inference")
      ->group(kAnnotationOptions);
  add_trust_option(*explain, arguments.trust);
  add_reading_options(*explain, arguments);
  add_limit_options(*explain, arguments);
  return explain;
}

CLI::App* add_rules_command(CLI::App& app) {
  return app.add_subcommand("rules", "List the codes of all findings");
}

int run_explain(const ExplainArguments& arguments) {
  return arguments.value.empty() ? explain_code(arguments.subject) : explain_value(arguments);
}

int run_rules() {
  for (const CodeInfo& info : all_codes()) {
    fmt::print("{}  {:<8} {:<24} {}\n", code_id(info.code), severity_name(info.severity),
               code_name(info.code), info.summary);
  }
  return kExitClean;
}

}  // namespace onnx_shapes
