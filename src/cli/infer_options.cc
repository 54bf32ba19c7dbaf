// The options of `infer`.
#include <CLI/CLI.hpp>

#include "cli/infer_command.h"

namespace onnx_shapes {
namespace {

void add_output_options(CLI::App* infer, InferArguments& arguments) {
  const std::string where = "Output";
  CLI::Option* output = infer->add_option("-o,--output", arguments.output,
                                          "Where the annotated model goes; - is standard output");
  CLI::Option* in_place =
      infer->add_flag("--in-place", arguments.in_place, "Overwrite the model itself");
  CLI::Option* dry_run = infer->add_flag("-n,--dry-run", arguments.dry_run,
                                         "Write nothing; report what would be found and written");
  for (CLI::Option* option : {output, in_place, dry_run}) option->group(where);
  output->excludes(in_place)->excludes(dry_run);
  in_place->excludes(dry_run);
}

constexpr char kAnnotations[] = "Annotations";

/// What is written.
void add_writing_options(CLI::App* infer, InferArguments& arguments) {
  const std::string what = kAnnotations;
  CLI::Option* fresh = infer->add_flag(
      "--fresh", arguments.fresh, "Forget existing value_info before inference, and replace it");
  CLI::Option* strip =
      infer->add_flag("--strip", arguments.strip, "Remove existing value_info and write none");
  fresh->group(what)->excludes(strip);
  strip->group(what);
  infer
      ->add_option("--dim", arguments.dims,
                   "NAME=NUMBER: the author's symbol is that number everywhere (repeatable)")
      ->group(what)
      ->allow_extra_args(false);
  infer
      ->add_option("--rename", arguments.renames,
                   "OLD=NEW: the author's symbol OLD is called NEW everywhere (repeatable)")
      ->group(what)
      ->allow_extra_args(false);
  infer
      ->add_option(
          "--outputs", arguments.outputs,
          "Declared outputs: fill in what is missing or unnamed, keep them as they are, or "
          "write in full what is known")
      ->group(what)
      ->check(CLI::IsMember({"fill", "keep", "full"}))
      ->capture_default_str();
  infer
      ->add_option("--dims", arguments.dim_style,
                   "expressions, or names: leave compound dims unnamed, for readers of bare names")
      ->group(what)
      ->check(CLI::IsMember({"expressions", "names"}))
      ->capture_default_str();
  infer
      ->add_flag("--override", arguments.override_conflicts,
                 "Where a declaration contradicts what is inferred, write what is inferred")
      ->group(what);
  infer
      ->add_option("--inputs", arguments.inputs,
                   "name: give unnamed input dims a name that others can refer to; keep: do not")
      ->group(what)
      ->check(CLI::IsMember({"name", "keep"}))
      ->capture_default_str();
}

/// How the author's annotations are read.
void add_reading_options(CLI::App* infer, InferArguments& arguments) {
  const std::string what = kAnnotations;
  infer
      ->add_option("--trust", arguments.trust,
                   "Whose declared dims may name what inference found: none, those of the outputs, "
                   "or all")
      ->group(what)
      ->check(CLI::IsMember({"none", "outputs", "all"}))
      ->capture_default_str();
  infer
      ->add_option("--dim-params", arguments.dim_params,
                   "How declared dim texts are read: as expressions over declared names, or each "
                   "as one opaque name")
      ->group(what)
      ->check(CLI::IsMember({"expressions", "opaque"}))
      ->capture_default_str();
  infer
      ->add_flag("--assume-nonempty", arguments.assume_nonempty,
                 "The author's symbols are at least 1 (a dim may be 0 otherwise)")
      ->group(what);
}

void add_report_options(CLI::App* infer, InferArguments& arguments) {
  const std::string report = "Report";
  infer
      ->add_option("--report", arguments.report,
                   "Write values, symbols, equalities and bounds as JSON; - is standard output")
      ->group(report);
  infer->add_flag("-q,--quiet", arguments.quiet, "Print no notes, warnings or summary")
      ->group(report);
  infer->add_flag("-v,--verbose", arguments.verbose, "Print notes and the summary")->group(report);
  infer->add_option("--format", arguments.format, "text, concise (a finding a line) or json")
      ->group(report)
      ->check(CLI::IsMember({"text", "concise", "json"}))
      ->capture_default_str();
  infer
      ->add_option("--fail-on", arguments.fail_on,
                   "The severity from which findings make the exit code 1")
      ->group(report)
      ->check(CLI::IsMember({"error", "warning", "note", "never"}))
      ->capture_default_str();
}

void add_limit_options(CLI::App* infer, InferArguments& arguments) {
  const std::string limits = "Limits";
  const auto limit = [&](const char* name, auto& value, const char* text) {
    return infer->add_option(name, value, text)->group(limits)->capture_default_str();
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

}  // namespace

CLI::App* add_infer_command(CLI::App& app, InferArguments& arguments) {
  CLI::App* infer = app.add_subcommand(
      "infer", "Infer every shape and write the annotated model (-o), or list the shapes");
  infer->add_option("model", arguments.model, "The ONNX model; - is standard input");
  add_output_options(infer, arguments);
  add_writing_options(infer, arguments);
  add_reading_options(infer, arguments);
  add_report_options(infer, arguments);
  add_limit_options(infer, arguments);
  return infer;
}

}  // namespace onnx_shapes
