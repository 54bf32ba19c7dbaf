// onnx-shapes explain and rules: what a code means, and which there are.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace onnx_shapes {

struct ExplainArguments {
  std::string code;  // SHP203, 203 or dim-contradiction
};

CLI::App* add_explain_command(CLI::App& app, ExplainArguments& arguments);
CLI::App* add_rules_command(CLI::App& app);

/// Print to standard output and return the exit code.
[[nodiscard]] int run_explain(const ExplainArguments& arguments);
[[nodiscard]] int run_rules();

}  // namespace onnx_shapes
