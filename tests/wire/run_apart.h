// Runs code in a process of its own, where it may change what a process has only one of.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <functional>

#include "tests/support/catch.h"

namespace onnx_shapes::test {

/// The process's status, as waitpid() gives it: the number that `run` returns is its exit status.
inline int run_apart(const std::function<int()>& run) {
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) ::_exit(run());
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  return status;
}

}  // namespace onnx_shapes::test
