// onnx-shapes infer: infers every shape and writes the annotated model.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/common_options.h"

namespace onnx_shapes {

struct InferArguments : CommonArguments {
  std::string model;
  std::string output;
  bool in_place = false;
  bool dry_run = false;
  bool fresh = false;
  bool strip = false;
  bool bounds = false;
  bool drop_stale = false;
  std::string report;                     // where the report goes; empty: nowhere
  std::vector<std::string> renames;       // OLD=NEW
  std::string inputs = "name";            // name, keep
  std::string outputs = "fill";           // fill, keep, full
  std::string dim_style = "expressions";  // expressions, names
  bool override_conflicts = false;
  std::string trust = "all";  // none, outputs, all
};

CLI::App* add_infer_command(CLI::App& app, InferArguments& arguments);

/// Returns the exit code.
[[nodiscard]] int run_infer(const InferArguments& arguments);

}  // namespace onnx_shapes
