// Runs the tool as a person does.
#pragma once

#include <fmt/format.h>
#include <sys/wait.h>

#include <cstdlib>
#include <string>

#include "tests/support/paths.h"
#include "tests/wire/folder.h"

namespace onnx_shapes::test {

struct Ran {
  int exit = -1;
  std::string out, err;
};

/// Runs the tool in a folder; `{}` in the arguments is not special.
inline Ran run(const Folder& folder, const std::string& arguments,
               const std::string& input = "/dev/null") {
  const std::string command =
      fmt::format("cd '{}' && '{}/bin/onnx-shapes' {} <'{}' >stdout 2>stderr", folder.path(),
                  ONNX_SHAPES_BINARY_DIR, arguments, input);
  const int status = std::system(command.c_str());
  REQUIRE(WIFEXITED(status));
  return {.exit = WEXITSTATUS(status), .out = folder.read("stdout"), .err = folder.read("stderr")};
}

}  // namespace onnx_shapes::test
