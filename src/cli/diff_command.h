// onnx-shapes diff: what changes for the callers of a model.
#pragma once

#include <string>

#include "cli/common_options.h"

namespace onnx_shapes {

struct DiffArguments : CommonArguments {
  std::string before;
  std::string after;
};

CLI::App* add_diff_command(CLI::App& app, DiffArguments& arguments);

/// Returns the exit code.
[[nodiscard]] int run_diff(const DiffArguments& arguments);

}  // namespace onnx_shapes
