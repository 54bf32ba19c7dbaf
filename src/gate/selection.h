// Which findings are reported.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "diag/finding.h"

namespace onnx_shapes {

/// The findings that `--select` and `--ignore` leave. A text is a code (`SHP203`, or `203`), the
/// beginning of one (`SHP2`), `SHP` for all, or a name (`dim-contradiction`). Of two texts that fit
/// a code the longer one decides, of two equal ones that of `--ignore`.
class Selection {
 public:
  /// The failure is a complaint about a text that fits no code.
  static Result<Selection, std::string> read(const std::vector<std::string>& select,
                                             const std::vector<std::string>& ignore);
  Selection() = default;

  /// True without condition where a finding says that a file or a run was not checked at all:
  /// nobody should take that for a success. `--require` selects its own finding.
  [[nodiscard]] bool selects(Code code) const;
  [[nodiscard]] Findings of(const Findings& findings) const;

 private:
  /// The first letters of the codes that a text fits; a name is a whole code.
  std::vector<std::string> select_;
  std::vector<std::string> ignore_;
};

/// The code of that id (`SHP203`, `203`) or name (`dim-contradiction`).
[[nodiscard]] std::optional<Code> find_code(std::string_view text);

}  // namespace onnx_shapes
