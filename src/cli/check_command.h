// onnx-shapes check: do the annotations of a model hold?
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "cli/common_options.h"

namespace onnx_shapes {

struct CheckArguments : CommonArguments {
  std::vector<std::string> models;  // files, folders, patterns
  std::string require = "none";     // none, ranks, names, static
  std::string baseline;             // the file with known findings; empty: none
  std::string write_baseline;       // where the findings go as a baseline; empty: nowhere
  std::string config;               // the config file; empty: the nearest of each model
  bool no_config = false;
  bool show_config = false;
  bool fix = false;
  bool diff = false;                         // show what fix would change, and change nothing
  size_t jobs = 0;                           // 0: as many as there are processors
  std::set<std::string, std::less<>> given;  // the options on the command line, without dashes
  std::vector<std::string> inputs;           // of a run: .npz, .npy, .pb, a folder
  std::vector<std::string> shapes;           // NAME=2,3,224
  bool execute = false;                      // run what undetermined verdicts wait for
  bool bindings = false;
  uint64_t max_unrolled = 200'000;
  size_t max_findings = 1000;  // of each code
  bool only_run = false;       // the process checks one model once: it ends with that
};

CLI::App* add_check_command(CLI::App& app, CheckArguments& arguments);

/// Returns the exit code.
[[nodiscard]] int run_check(const CheckArguments& arguments);

}  // namespace onnx_shapes
