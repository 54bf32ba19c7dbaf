#include "cli/common_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdio>

#include "cli/cli.h"
#include "cli/report.h"

namespace onnx_shapes {

void add_reading_options(CLI::App& command, CommonArguments& arguments) {
  command
      .add_option("--dim", arguments.dims,
                  "NAME=NUMBER: the author's symbol is that number everywhere (repeatable)")
      ->group(kAnnotationOptions)
      ->allow_extra_args(false);
  command
      .add_option("--dim-params", arguments.dim_params,
                  "How declared dim texts are read: as expressions over declared names, or each "
                  "as one opaque name")
      ->group(kAnnotationOptions)
      ->check(CLI::IsMember({"expressions", "opaque"}))
      ->capture_default_str();
  command
      .add_flag("--assume-nonempty", arguments.assume_nonempty,
                "The author's symbols are at least 1 (a dim may be 0 otherwise)")
      ->group(kAnnotationOptions);
}

void add_trust_option(CLI::App& command, std::string& trust) {
  command
      .add_option("--trust", trust,
                  "Whose declared dims may name what inference found: none, those of the outputs, "
                  "or all")
      ->group(kAnnotationOptions)
      ->check(CLI::IsMember({"none", "outputs", "all"}))
      ->capture_default_str();
}

Trust trust_of(std::string_view text) {
  if (text == "none") return Trust::kNone;
  return text == "outputs" ? Trust::kOutputs : Trust::kAll;
}

void add_report_options(CLI::App& command, CommonArguments& arguments) {
  command.add_flag("-q,--quiet", arguments.quiet, "Print no notes, warnings or summary")
      ->group(kReportOptions);
  command.add_flag("-v,--verbose", arguments.verbose, "Print notes and the summary")
      ->group(kReportOptions);
  command
      .add_option("--format", arguments.format,
                  "text, concise (a finding a line), json, sarif, github (workflow commands) or "
                  "junit")
      ->group(kReportOptions)
      ->check(CLI::IsMember(std::vector<std::string>(std::begin(kFormats), std::end(kFormats))))
      ->capture_default_str();
  command
      .add_option("--fail-on", arguments.fail_on,
                  "The severity from which findings make the exit code 1")
      ->group(kReportOptions)
      ->check(CLI::IsMember({"error", "warning", "note", "never"}))
      ->capture_default_str();
  command
      .add_option("--select", arguments.select,
                  "Report only findings of these codes: SHP203, SHP2 or dim-contradiction "
                  "(repeatable, or with commas)")
      ->group(kReportOptions)
      ->delimiter(',')
      ->allow_extra_args(false);
  command
      .add_option("--ignore", arguments.ignore,
                  "Report no findings of these codes; the longer of two that fit decides")
      ->group(kReportOptions)
      ->delimiter(',')
      ->allow_extra_args(false);
}

void add_limit_options(CLI::App& command, CommonArguments& arguments) {
  const auto limit = [&](const char* name, auto& value, const char* text) {
    return command.add_option(name, value, text)->group(kLimitOptions)->capture_default_str();
  };
  limit("--max-rank", arguments.max_rank, "The largest rank");
  limit("--max-nesting", arguments.max_nesting, "How deep graphs may be nested");
  limit("--max-nodes", arguments.max_nodes, "The largest number of nodes");
  limit("--max-visits", arguments.max_visits,
        "How many nodes inference may visit (a function's nodes count once a call)");
  constexpr double kMaxSeconds = 1e9;
  limit("--timeout", arguments.timeout, "Seconds until inference stops; 0: no limit")
      ->check(CLI::Range(0.0, kMaxSeconds));
}

Expected<Model> load_model(const std::string& path, const CommonArguments& arguments,
                           Findings& findings) {
  Expected<MappedFile> file = MappedFile::open(path);
  if (!file) return Failure{file.reason()};
  return Model::load(std::move(*file),
                     {.max_nesting = arguments.max_nesting,
                      .max_nodes = arguments.max_nodes,
                      .max_rank = arguments.max_rank},
                     findings);
}

InferOptions infer_options(const CommonArguments& arguments,
                           std::chrono::steady_clock::time_point start) {
  InferOptions options;
  options.declare.opaque = arguments.dim_params == "opaque";
  options.declare.assume_nonempty = arguments.assume_nonempty;
  options.max_rank = arguments.max_rank;
  options.max_node_visits = arguments.max_visits;
  if (arguments.timeout > 0) {
    options.deadline = start + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                   std::chrono::duration<double>(arguments.timeout));
  }
  return options;
}

std::optional<std::string> read_dims(const std::vector<std::string>& texts, const Model& model,
                                     DeclareOptions& options) {
  for (const std::string& text : texts) {
    const size_t equals = text.rfind('=');
    int64_t number = -1;
    if (equals != std::string::npos) {
      const char* end = text.data() + text.size();
      const auto read = std::from_chars(text.data() + equals + 1, end, number);
      if (read.ec != std::errc() || read.ptr != end) number = -1;
    }
    if (equals == 0 || number < 0) {
      return fmt::format("--dim takes NAME=NUMBER with a number of at least 0, not '{}'", text);
    }
    options.numbers[text.substr(0, equals)] = number;
  }
  std::vector<std::string> unused;
  for (const auto& [name, number] : options.numbers) {
    if (!declares(model, name)) unused.push_back("'" + name + "'");
  }
  if (unused.empty()) return std::nullopt;
  return fmt::format("--dim names {}, which no annotation of the model has",
                     fmt::join(unused, " and "));
}

Severity least_shown(const CommonArguments& arguments) {
  Severity least = arguments.verbose ? Severity::kNote : Severity::kWarning;
  if (arguments.quiet) least = Severity::kError;
  return std::min(least, fail_level(arguments.fail_on).value_or(least));
}

int usage(const std::string& complaint) {
  fmt::print(stderr, "onnx-shapes: {}\n", complaint);
  return kExitUsage;
}

std::optional<Severity> fail_level(std::string_view fail_on) {
  if (fail_on == "never") return std::nullopt;
  return fail_on == "note"      ? Severity::kNote
         : fail_on == "warning" ? Severity::kWarning
                                : Severity::kError;
}

int exit_code(const Findings& findings, std::string_view fail_on) {
  for (const Finding& finding : findings.all()) {
    if (!is_unchecked(finding.code)) continue;
    const bool usage =
        finding.code <= Code::kFileUnwritable || finding.code == Code::kRuntimeMissing;
    return usage ? kExitUsage : kExitInternal;
  }
  const std::optional<Severity> least = fail_level(fail_on);
  return least && findings.count(*least) > 0 ? kExitFindings : kExitClean;
}

}  // namespace onnx_shapes
