// File names with wildcards.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "support/result.h"

namespace onnx_shapes {

/// Whether the text has a wildcard: `*`, `?` or `[`.
[[nodiscard]] bool is_glob(std::string_view text);

/// Whether the path matches the pattern. `*` stands for any letters but `/`, `?` for one, `[a-z]`
/// and
/// `[!a-z]` for one of a set, `**` as a whole part of the path for any number of folders. A `[`
/// that nothing closes is itself. Wildcards do not match the dot at the start of a part.
[[nodiscard]] bool glob_matches(std::string_view pattern, std::string_view path);

/// The models that the arguments of a command line name, in their order, each once: a file (whether
/// it is there or not) is itself, `-` is standard input; a folder is every `*.onnx` in it and
/// below, sorted; a pattern that names no file is what matches it, sorted. The failure is a
/// complaint: nothing matches.
[[nodiscard]] Result<std::vector<std::string>, std::string> expand_models(
    const std::vector<std::string>& arguments);

}  // namespace onnx_shapes
