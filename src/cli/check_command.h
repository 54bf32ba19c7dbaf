// onnx-shapes check: do the annotations of a model hold?
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/common_options.h"

namespace onnx_shapes {

struct CheckArguments : CommonArguments {
  std::string model;
  std::vector<std::string> inputs;  // files with the inputs of a run: .npz, .npy, a folder
  std::vector<std::string> shapes;  // NAME=2,3,224
  bool bindings = false;
  uint64_t max_unrolled = 200'000;
};

CLI::App* add_check_command(CLI::App& app, CheckArguments& arguments);

/// Returns the exit code.
[[nodiscard]] int run_check(const CheckArguments& arguments);

}  // namespace onnx_shapes
