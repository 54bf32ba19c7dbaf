// onnx-shapes infer: infers every shape and writes the annotated model.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): theirs
class App;
}

namespace onnx_shapes {

struct InferArguments {
  std::string model;
  std::string output;
  bool in_place = false;
  bool dry_run = false;
  bool fresh = false;
  bool strip = false;
  std::string report;  // where the JSON report goes; empty: nowhere
  bool quiet = false;
  bool verbose = false;
  bool assume_nonempty = false;
  std::vector<std::string> dims;          // NAME=NUMBER
  std::vector<std::string> renames;       // OLD=NEW
  std::string inputs = "name";            // name, keep
  std::string outputs = "fill";           // fill, keep, full
  std::string dim_style = "expressions";  // expressions, names
  bool override_conflicts = false;
  std::string trust = "all";               // none, outputs, all
  std::string dim_params = "expressions";  // expressions, opaque
  std::string fail_on = "error";           // error, warning, note, never
  std::string format = "text";             // text, concise, json
  uint32_t max_rank = 256;
  uint32_t max_nesting = 100;
  uint64_t max_nodes = 10'000'000;
  uint64_t max_visits = 20'000'000;
  double timeout = 0;  // seconds; 0: none
};

CLI::App* add_infer_command(CLI::App& app, InferArguments& arguments);

/// Returns the exit code.
[[nodiscard]] int run_infer(const InferArguments& arguments);

}  // namespace onnx_shapes
