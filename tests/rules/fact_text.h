// Reads and writes facts in the mini-language of rule_cases.h.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "infer/fact.h"
#include "support/result.h"

namespace onnx_shapes::test {

/// One fact as a row writes it. In `fact` a dim or element that was written `?` is unknown.
struct WrittenFact {
  std::string text;
  Fact fact;
  bool left_out = false;             // `-`
  bool has_contents = false;         // braces were written
  bool nothing_known = false;        // `{none}`
  std::vector<std::string> strings;  // the contents of a string tensor
  /// The type, dims and contents are those of a constant.
  [[nodiscard]] bool constant() const;
};

/// Gives the dim of a name; unknown if there is no such name.
using Names = std::function<Dim(std::string_view)>;

/// Splits at `separator` outside of brackets and quotes; parts are trimmed, empty ones dropped.
[[nodiscard]] std::vector<std::string> split_outside_brackets(std::string_view text,
                                                              char separator);
/// Reads one fact; the failure says what is wrong with the text.
[[nodiscard]] Result<WrittenFact, std::string> read_fact(Pool& pool, std::string_view text,
                                                         const Names& names);
/// Reads facts separated by spaces.
[[nodiscard]] Result<std::vector<WrittenFact>, std::string> read_facts(Pool& pool,
                                                                       std::string_view text,
                                                                       const Names& names);
/// The fact in the same language.
[[nodiscard]] std::string write_fact(const Fact& fact);

}  // namespace onnx_shapes::test
