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

/// What is written.
void add_writing_options(CLI::App* infer, InferArguments& arguments) {
  const std::string what = kAnnotationOptions;
  CLI::Option* fresh = infer->add_flag(
      "--fresh", arguments.fresh, "Forget existing value_info before inference, and replace it");
  CLI::Option* strip =
      infer->add_flag("--strip", arguments.strip, "Remove existing value_info and write none");
  fresh->group(what)->excludes(strip);
  strip->group(what);
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
      ->add_flag(
          "--drop-stale", arguments.drop_stale,
          "Replace or remove value_info that the graph contradicts, and remove that of values "
          "that the graph does not have")
      ->group(what)
      ->excludes(strip);
  infer
      ->add_flag("--bounds", arguments.bounds,
                 "Write what bounds dims that depend on data, as metadata of their annotations")
      ->group(what)
      ->excludes(strip);
  infer
      ->add_option("--inputs", arguments.inputs,
                   "name: give unnamed input dims a name that others can refer to; keep: do not")
      ->group(what)
      ->check(CLI::IsMember({"name", "keep"}))
      ->capture_default_str();
}

}  // namespace

CLI::App* add_infer_command(CLI::App& app, InferArguments& arguments) {
  CLI::App* infer = app.add_subcommand(
      "infer", "Infer every shape and write the annotated model (-o), or list the shapes");
  infer->add_option("model", arguments.model, "The ONNX model; - is standard input");
  add_output_options(infer, arguments);
  add_writing_options(infer, arguments);
  add_trust_option(*infer, arguments.trust);
  add_reading_options(*infer, arguments);
  infer
      ->add_option(
          "--report", arguments.report,
          "Write values, names, equalities and bounds to a file: JSON if it ends in .json, "
          "else text; - is standard output, in the --format")
      ->group(kReportOptions);
  add_report_options(*infer, arguments);
  add_limit_options(*infer, arguments);
  return infer;
}

}  // namespace onnx_shapes
