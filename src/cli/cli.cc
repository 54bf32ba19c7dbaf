#include "cli/cli.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>

#include "cli/check_command.h"
#include "cli/diff_command.h"
#include "cli/explain_command.h"
#include "cli/infer_command.h"
#include "cli/version.h"
#include "diag/printable.h"

namespace onnx_shapes {

int run_command_line(int argc, const char* const* argv) {
  CLI::App app("Works out the shape of every value of an ONNX model in the author's own names.",
               "onnx-shapes");
  app.require_subcommand(1);
  app.set_version_flag("--version", fmt::format("onnx-shapes {}", kVersion));
  app.footer(
      "Exit codes: 0 clean, 1 findings, 2 wrong use or a file that cannot be read or written, 3 a "
      "limit was hit.");
  InferArguments infer_arguments;
  CLI::App* infer_app = add_infer_command(app, infer_arguments);
  CheckArguments check_arguments;
  CLI::App* check_app = add_check_command(app, check_arguments);
  DiffArguments diff_arguments;
  CLI::App* diff_app = add_diff_command(app, diff_arguments);
  ExplainArguments explain_arguments;
  CLI::App* explain_app = add_explain_command(app, explain_arguments);
  CLI::App* rules_app = add_rules_command(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const bool asked = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success);
    if (asked) return app.exit(error);
    // The parser only says that a command is missing.
    const bool misspelt = app.get_subcommands().empty() && argc > 1 && *argv[1] != '-';
    fmt::print(stderr, "onnx-shapes: {}\nSee onnx-shapes {}--help.\n",
               misspelt ? fmt::format("there is no command '{}'", printable(argv[1]))
                        : std::string(error.what()),
               infer_app->parsed()   ? "infer "
               : check_app->parsed() ? "check "
               : diff_app->parsed()  ? "diff "
                                     : "");
    return kExitUsage;
  }
  try {
    for (const CLI::Option* option : check_app->get_options()) {
      if (option->count() > 0) check_arguments.given.insert(option->get_single_name());
    }
    const int code = check_app->parsed()     ? run_check(check_arguments)
                     : diff_app->parsed()    ? run_diff(diff_arguments)
                     : explain_app->parsed() ? run_explain(explain_arguments)
                     : rules_app->parsed()   ? run_rules()
                                             : run_infer(infer_arguments);
    // A full disk shows only when the buffer is written.
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
    fmt::print(stderr, "onnx-shapes: cannot write to standard output: {}\n", std::strerror(errno));
    return std::max<int>(code, kExitUsage);
  } catch (const std::exception& error) {
    fmt::print(stderr,
               "onnx-shapes: SHP901 internal-error: {}\nThis is a fault of onnx-shapes; please "
               "report it with the model.\n",
               error.what());
    return kExitInternal;
  }
}

}  // namespace onnx_shapes
