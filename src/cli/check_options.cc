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

  const std::string what = "Annotations";
  check
      ->add_option("--dim", arguments.dims,
                   "NAME=NUMBER: the author's symbol is that number everywhere (repeatable)")
      ->group(what)
      ->allow_extra_args(false);
  check
      ->add_option("--dim-params", arguments.dim_params,
                   "How declared dim texts are read: as expressions over declared names, or each "
                   "as one opaque name")
      ->group(what)
      ->check(CLI::IsMember({"expressions", "opaque"}))
      ->capture_default_str();
  check
      ->add_flag("--assume-nonempty", arguments.assume_nonempty,
                 "The author's symbols are at least 1 (a dim may be 0 otherwise)")
      ->group(what);

  const std::string report = "Report";
  check->add_flag("-q,--quiet", arguments.quiet, "Print no notes, warnings or summary")
      ->group(report);
  check->add_flag("-v,--verbose", arguments.verbose, "Print notes and the verdict on each")
      ->group(report);
  check->add_option("--format", arguments.format, "text, concise (a finding a line) or json")
      ->group(report)
      ->check(CLI::IsMember({"text", "concise", "json"}))
      ->capture_default_str();
  check
      ->add_option("--fail-on", arguments.fail_on,
                   "The severity from which findings make the exit code 1")
      ->group(report)
      ->check(CLI::IsMember({"error", "warning", "note", "never"}))
      ->capture_default_str();

  const std::string limits = "Limits";
  const auto limit = [&](const char* name, auto& value, const char* text) {
    check->add_option(name, value, text)->group(limits)->capture_default_str();
  };
  limit("--max-rank", arguments.max_rank, "The largest rank");
  limit("--max-nesting", arguments.max_nesting, "How deep graphs may be nested");
  limit("--max-nodes", arguments.max_nodes, "The largest number of nodes");
  limit("--max-visits", arguments.max_visits,
        "How many nodes inference may visit (a function's nodes count once a call)");
  limit("--max-unrolled", arguments.max_unrolled,
        "How many of these visits may follow the iterations of loops one by one");
  limit("--timeout", arguments.timeout, "Seconds until inference stops; 0: no limit");
  return check;
}

}  // namespace onnx_shapes
