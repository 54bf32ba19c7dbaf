// onnx-shapes check: do the annotations of a model hold?
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace onnx_shapes {

struct CheckArguments {
  std::string model;
  std::vector<std::string> inputs;  // files with the inputs of a run: .npz, .npy, a folder
  std::vector<std::string> shapes;  // NAME=2,3,224
  std::vector<std::string> dims;    // NAME=NUMBER
  bool bindings = false;
  bool quiet = false;
  bool verbose = false;
  bool assume_nonempty = false;
  std::string dim_params = "expressions";  // expressions, opaque
  std::string fail_on = "error";           // error, warning, note, never
  std::string format = "text";             // text, concise, json
  uint32_t max_rank = 256;
  uint32_t max_nesting = 100;
  uint64_t max_nodes = 10'000'000;
  uint64_t max_visits = 20'000'000;
  uint64_t max_unrolled = 200'000;
  double timeout = 0;  // seconds; 0: none
};

CLI::App* add_check_command(CLI::App& app, CheckArguments& arguments);

/// Returns the exit code.
[[nodiscard]] int run_check(const CheckArguments& arguments);

}  // namespace onnx_shapes
