#include "cli/infer_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <set>

#include "anchors/decide.h"
#include "anchors/merge.h"
#include "anchors/placeholders.h"
#include "anchors/unknowns.h"
#include "cli/cli.h"
#include "cli/inference_report.h"
#include "cli/listing.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "gate/selection.h"
#include "infer/infer.h"
#include "infer/schema_fallback.h"
#include "model/annotate.h"
#include "rules/rules.h"
#include "support/heap.h"
#include "wire/splice.h"

namespace onnx_shapes {
namespace {

using Clock = std::chrono::steady_clock;

/// Reads OLD=NEW; the complaint if it is something else, or would give two sizes one name.
std::optional<std::string> read_renames(const std::vector<std::string>& texts, const Model& model,
                                        DeclareOptions& options) {
  std::set<std::string> targets;
  for (const std::string& text : texts) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
      return fmt::format("--rename takes OLD=NEW, not '{}'", text);
    }
    const std::string from = text.substr(0, equals);
    const std::string to = text.substr(equals + 1);
    if (!declares(model, from)) {
      return fmt::format("--rename names '{}', which no annotation of the model has", from);
    }
    if (declares(model, to) || !targets.insert(to).second) {
      return fmt::format("--rename {} would give two sizes the name '{}'", text, to);
    }
    options.renames[from] = to;
  }
  return std::nullopt;
}

struct Run {
  const InferArguments& arguments;
  Selection selection;
  Findings findings;
  std::optional<Tally> tally;
  std::string listing;
  std::string report;
  std::string public_changes;
  uint64_t fallback_nodes = 0;
  Clock::time_point start = Clock::now();
};

Outputs outputs_of(const std::string& text) {
  if (text == "keep") return Outputs::kKeep;
  return text == "full" ? Outputs::kFull : Outputs::kFill;
}

/// Without a place for the model, its shapes are listed.
bool writes_nothing(const InferArguments& arguments) {
  return arguments.output.empty() && arguments.report != "-" && !arguments.in_place &&
         !arguments.dry_run;
}

bool reports_json(const InferArguments& arguments) {
  return arguments.report == "-" ? arguments.format == "json"
                                 : std::string_view(arguments.report).ends_with(".json");
}

AnnotationChanges infer_changes(Run& run, Model& model, const InferOptions& options) {
  const std::unique_ptr<Fallback> fallback = make_schema_fallback(model);
  Inference inference = infer(model, default_rules(), fallback.get(), options, run.findings);
  report_placeholders(model, run.findings);
  std::vector<uint32_t> contradicted = merge_anchors(model, inference,
                                                     {.trust = trust_of(run.arguments.trust),
                                                      .use_value_info = !run.arguments.fresh,
                                                      .drop_stale = run.arguments.drop_stale},
                                                     run.findings);
  if (run.arguments.verbose || is_document(run.arguments.format) ||
      run.arguments.fail_on == "note" || !run.arguments.report.empty()) {
    report_unknowns(model, inference, run.findings);
  }
  Decision decision = decide_annotations(model, inference,
                                         {.fresh = run.arguments.fresh,
                                          .name_inputs = run.arguments.inputs == "name",
                                          .outputs = outputs_of(run.arguments.outputs),
                                          .bare_names = run.arguments.dim_style == "names",
                                          .override_conflicts = run.arguments.override_conflicts,
                                          .bounds = run.arguments.bounds,
                                          .drop_stale = run.arguments.drop_stale,
                                          .contradicted = std::move(contradicted),
                                          .declare = &options.declare});
  if (writes_nothing(run.arguments) && !run.arguments.quiet && !is_document(run.arguments.format)) {
    run.listing = listing(model, inference);
  }
  if (!run.arguments.report.empty()) {
    const Reported reported{model, inference, decision.public_changes, run.findings};
    run.report = reports_json(run.arguments) ? json_report(reported) : text_report(reported);
  }
  run.public_changes = public_changes_text(model, decision.public_changes);
  run.tally = decision.tally;
  run.fallback_nodes = inference.fallback_nodes;
  keep_until_exit(std::move(inference));
  return std::move(decision.changes);
}

/// Findings go to standard output, unless the model or the report does.
FILE* report_stream(const InferArguments& arguments) {
  return arguments.output == "-" || arguments.report == "-" ? stderr : stdout;
}

void print_report(const Run& run) {
  const InferArguments& arguments = run.arguments;
  FILE* stream = report_stream(arguments);
  const bool terminal = isatty(fileno(stream)) == 1;
  std::fputs(run.listing.c_str(), stream);
  const std::optional<Severity> level = fail_level(arguments.fail_on);
  print_findings(stream,
                 {.file = arguments.model,
                  .findings = run.findings,
                  .fail_on = level.value_or(Severity::kError),
                  .may_fail = level.has_value()},
                 arguments.format, least_shown(arguments),
                 exit_code(run.findings, arguments.fail_on));
  if (!run.tally || arguments.quiet || arguments.format != "text") return;
  if (!arguments.verbose && !terminal && !arguments.dry_run) return;
  if (!run.public_changes.empty() && !writes_nothing(arguments)) {
    fmt::print(stream, "inputs and outputs of the model:\n{}", run.public_changes);
  }
  if (!arguments.verbose && !terminal) return;
  const Tally& tally = *run.tally;
  const std::chrono::duration<double, std::milli> time = Clock::now() - run.start;
  fmt::print(stream,
             "{} values: {} dims are numbers, {} over the author's names, {} over names made here, "
             "{} unknown; {} values of unknown rank\n",
             tally.values, tally.numbers, tally.author, tally.internal, tally.unknown,
             tally.unknown_rank);
  if (run.fallback_nodes > 0) {
    fmt::print(stream, "{} nodes had no rule of ours and were left to onnx's own inference\n",
               run.fallback_nodes);
  }
  const bool only_said = arguments.dry_run || writes_nothing(arguments);
  fmt::print(stream, "{} annotations {}; {:.1f} ms\n", tally.changes,
             only_said ? "would change" : "changed", time.count());
}

/// False, with a line that says why, if it cannot be written.
bool write_report(const Run& run) {
  const std::string& path = run.arguments.report;
  if (path == "-") return std::fputs(run.report.c_str(), stdout) >= 0;
  FILE* file = std::fopen(path.c_str(), "wb");
  const bool written = file != nullptr && std::fputs(run.report.c_str(), file) >= 0;
  if (file != nullptr && std::fclose(file) == 0 && written) return true;
  fmt::print(stderr, "onnx-shapes: the report cannot be written to {}: {}\n", path,
             std::strerror(errno));
  return false;
}

int finish(Run& run) {
  run.findings = run.selection.of(run.findings);
  print_report(run);
  return exit_code(run.findings, run.arguments.fail_on);
}

}  // namespace

int run_infer(const InferArguments& arguments) {
  if (arguments.model.empty()) return usage("name the model: onnx-shapes infer MODEL -o FILE");
  if (arguments.strip && writes_nothing(arguments)) {
    return usage("--strip needs to know where the model goes: -o FILE or --in-place");
  }
  if (arguments.in_place && arguments.model == "-") {
    return usage("--in-place needs a file, not standard input");
  }
  const auto selection = Selection::read(arguments.select, arguments.ignore);
  if (!selection) return usage(selection.reason());
  Run run{.arguments = arguments,
          .selection = *selection,
          .findings = Findings(),
          .tally = {},
          .listing = {},
          .report = {},
          .public_changes = {}};
  const auto refuse = [&](Finding finding) {
    run.findings.add(std::move(finding));
    return finish(run);
  };
  Expected<Model> model = load_model(arguments.model, arguments, run.findings);
  if (!model) return refuse(model.reason());

  AnnotationChanges changes;
  if (arguments.strip) {
    changes = strip_annotations(*model);
  } else {
    InferOptions options = infer_options(arguments, run.start);
    if (const auto complaint = read_dims(arguments.dims, *model, options.declare)) {
      return usage(*complaint);
    }
    if (const auto complaint = read_renames(arguments.renames, *model, options.declare)) {
      return usage(*complaint);
    }
    Progress progress(!arguments.quiet);
    options.use_value_info = !arguments.fresh;
    options.progress = [&](uint64_t nodes) { progress(nodes); };
    changes = infer_changes(run, *model, options);
  }
  if (!run.report.empty() && !write_report(run)) return kExitUsage;
  if (!arguments.output.empty() || arguments.in_place) {
    const Expected<void> written =
        splice(model->file(), model->wire(), annotation_edits(*model, changes),
               {.path = arguments.in_place ? arguments.model : arguments.output,
                .in_place = arguments.in_place});
    if (!written) return refuse(written.reason());
  }
  keep_until_exit(std::move(changes));
  keep_until_exit(std::move(*model));
  return finish(run);
}

}  // namespace onnx_shapes
