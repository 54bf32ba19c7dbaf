// onnx-shapes explain and rules: what a code means, which there are, and why a dim reads as it
// does.
#pragma once

#include <string>

#include "cli/common_options.h"

namespace onnx_shapes {

struct ExplainArguments : CommonArguments {
  std::string subject;  // SHP203, 203 or dim-contradiction; or a model
  std::string value;    // VALUE or VALUE:AXIS of the model
  bool fresh = false;
  std::string trust = "all";  // none, outputs, all
};

CLI::App* add_explain_command(CLI::App& app, ExplainArguments& arguments);
CLI::App* add_rules_command(CLI::App& app);

/// Print to standard output and return the exit code.
[[nodiscard]] int run_explain(const ExplainArguments& arguments);
[[nodiscard]] int run_rules();

}  // namespace onnx_shapes
