// The options of `check`.
#include <CLI/CLI.hpp>

#include "cli/check_command.h"

namespace onnx_shapes {

CLI::App* add_check_command(CLI::App& app, CheckArguments& arguments) {
  CLI::App* check = app.add_subcommand(
      "check", "Check that the shape annotations hold, for all inputs or for given ones");
  check->add_option("model", arguments.model, "The ONNX model; - is standard input");

  const std::string run = "A run";
  check
      ->add_option("--inputs", arguments.inputs,
                   "Check one run with the inputs of this .npz, .npy or folder of input_*.npy "
                   "(repeatable: each is a run)")
      ->group(run)
      ->allow_extra_args(false);
  check
      ->add_option("--shape", arguments.shapes,
                   "NAME=2,3,224: the shape of an input in a run, without its contents "
                   "(repeatable)")
      ->group(run)
      ->allow_extra_args(false);
  check->add_flag("--bindings", arguments.bindings, "Print the size that each name stands for")
      ->group(run);

  add_reading_options(*check, arguments);
  add_report_options(*check, arguments);
  check->get_option("--verbose")->description("Print notes and the verdict on each");
  add_limit_options(*check, arguments);
  check
      ->add_option("--max-unrolled", arguments.max_unrolled,
                   "How many of these visits may follow the iterations of loops one by one")
      ->group(kLimitOptions)
      ->capture_default_str();
  return check;
}

}  // namespace onnx_shapes
