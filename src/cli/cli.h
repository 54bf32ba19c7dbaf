// The command line.
#pragma once

namespace onnx_shapes {

/// What the process ends with (documented in README.md).
enum ExitCode : int {
  kExitClean = 0,     // nothing at or above the level that fails
  kExitFindings = 1,  // findings
  kExitUsage = 2,     // wrong use, or a file that cannot be read or written
  kExitInternal = 3,  // a limit was hit, or a fault of this tool
};

/// Parses the command line, runs one command and returns its exit code.
[[nodiscard]] int run_command_line(int argc, const char* const* argv);

}  // namespace onnx_shapes
