// The findings of one of the files that a report is about.
#pragma once

#include <string>

#include "diag/finding.h"

namespace onnx_shapes {

struct FileFindings {
  std::string file;  // as the user named it
  const Findings& findings;
  Severity fail_on = Severity::kError;  // the least severity that fails
  bool may_fail = true;                 // false: nothing but a file that cannot be checked fails
};

}  // namespace onnx_shapes
