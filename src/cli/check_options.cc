// The options of `check`.
#include <CLI/CLI.hpp>

#include "cli/check_command.h"

namespace onnx_shapes {
namespace {

/// What a pipeline needs.
void add_gate_options(CLI::App& check, CheckArguments& arguments) {
  const std::string gate = "Gate";
  check
      .add_option("--require", arguments.require,
                  "Fail where a rank is unknown (ranks), a dim is neither a number nor over the "
                  "author's names (names), or no number (static)")
      ->group(gate)
      ->check(CLI::IsMember({"none", "ranks", "names", "static"}))
      ->capture_default_str();
  CLI::Option* baseline = check.add_option(
      "--baseline", arguments.baseline, "A file of known findings, which are not reported again");
  CLI::Option* write_baseline =
      check.add_option("--write-baseline", arguments.write_baseline,
                       "Write the findings into this file as known, instead of reporting them");
  CLI::Option* config = check.add_option(
      "--config", arguments.config,
      "The config file; without it onnx-shapes.toml in a model's folder or one around it");
  CLI::Option* no_config =
      check.add_flag("--no-config", arguments.no_config, "Read no config file");
  CLI::Option* show_config =
      check.add_flag("--show-config", arguments.show_config,
                     "Check nothing; print each model's options and where they are set");
  CLI::Option* jobs = check.add_option("-j,--jobs", arguments.jobs,
                                       "How many models are checked at the same time; 0: as many "
                                       "as there are processors");
  jobs->capture_default_str();
  for (CLI::Option* option : {baseline, write_baseline, config, no_config, show_config, jobs}) {
    option->group(gate);
  }
  baseline->excludes(write_baseline);
  config->excludes(no_config);
}

/// For all inputs only: one run proves nothing about others.
void add_fix_options(CLI::App& check, CheckArguments& arguments) {
  CLI::Option* fix = check.add_flag(
      "--fix", arguments.fix,
      "Mend the models in place: remove value_info that is refuted, leave sizes below 0 unnamed, "
      "write numbers as numbers");
  CLI::Option* diff =
      check.add_flag("--diff", arguments.diff, "Show what --fix changes, and change nothing");
  for (CLI::Option* option : {fix, diff}) {
    option->group(kAnnotationOptions);
    for (const char* run : {"--inputs", "--shape"}) option->excludes(check.get_option(run));
  }
}

}  // namespace

CLI::App* add_check_command(CLI::App& app, CheckArguments& arguments) {
  CLI::App* check = app.add_subcommand(
      "check", "Check that the shape annotations hold, for all inputs or for given ones");
  check->add_option("models", arguments.models,
                    "ONNX models, folders of them, or patterns such as 'models/**/*.onnx'; - is "
                    "standard input");

  const std::string run = "A run";
  check
      ->add_option("--inputs", arguments.inputs,
                   "Check one run with the inputs of this .npz, or folder of .npy or input_0.pb "
                   "files (repeatable: each is a run)")
      ->group(run)
      ->allow_extra_args(false);
  check
      ->add_option("--shape", arguments.shapes,
                   "NAME=2,3,224: the shape of an input in a run, without its contents "
                   "(repeatable)")
      ->group(run)
      ->allow_extra_args(false);
  check
      ->add_flag("--execute", arguments.execute,
                 "With --inputs: cut out what computes the values that undetermined verdicts wait "
                 "for, run it in ONNX Runtime (the environment variable ONNX_SHAPES_ONNXRUNTIME "
                 "may name its library), and decide them")
      ->group(run)
      ->needs(check->get_option("--inputs"));
  check->add_flag("--bindings", arguments.bindings, "Print the size that each name stands for")
      ->group(run);

  add_fix_options(*check, arguments);
  add_reading_options(*check, arguments);
  add_report_options(*check, arguments);
  check->get_option("--verbose")->description("Print notes and the verdict on each");
  add_gate_options(*check, arguments);
  add_limit_options(*check, arguments);
  check
      ->add_option("--max-unrolled", arguments.max_unrolled,
                   "How many of these visits may follow the iterations of loops one by one")
      ->group(kLimitOptions)
      ->capture_default_str();
  return check;
}

}  // namespace onnx_shapes
