// The file onnx-shapes.toml: options of `check` for the models below its folder.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "support/result.h"

namespace onnx_shapes {

/// A key is a long option without its dashes, and takes what the option takes.
struct ConfigKey {
  enum class Kind : uint8_t { kFlag, kCount, kSeconds, kChoice, kCodes, kTexts, kPath, kPaths };
  std::string_view name;
  Kind kind;
  std::span<const std::string_view> choices;  // of a kChoice
};

/// All keys, in the order of the documentation.
[[nodiscard]] std::span<const ConfigKey> config_keys();

/// By kind: kFlag; kCount; kSeconds; kChoice and kPath; the lists. Paths are relative to where the
/// tool runs, or absolute.
using ConfigValue = std::variant<bool, uint64_t, double, std::string, std::vector<std::string>>;

struct ConfigEntry {
  std::string key;
  ConfigValue value;
  uint32_t line = 0;
};

/// The keys at the top of the file, or those of a table `[[models]]`.
struct ConfigSection {
  std::vector<std::string> files;  // patterns; none: all models
  std::vector<ConfigEntry> entries;
};

struct Config {
  std::string path;  // as it is shown
  std::vector<ConfigSection> sections;
};

/// The name of the file that is looked for.
constexpr std::string_view kConfigName = "onnx-shapes.toml";

/// Reads the text of the file at `path`. The failure is a complaint in one line: what does not
/// parse, an unknown key, a value of another type than the key's.
[[nodiscard]] Result<Config, std::string> parse_config(std::string_view text,
                                                       const std::string& path);
[[nodiscard]] Result<Config, std::string> read_config(const std::string& path);

/// The file in the model's folder or the nearest folder around it; nothing if there is none. For
/// standard input (`-`) the search starts where the tool runs.
[[nodiscard]] std::optional<std::string> find_config(const std::string& model);

/// An entry and the patterns of its section.
struct AppliedEntry {
  const ConfigEntry* entry = nullptr;
  const ConfigSection* section = nullptr;
};

/// What holds for a model, one entry a key, in the order of config_keys(): the last section whose
/// patterns match the model and which has the key. Patterns are relative to the file's folder; one
/// without a slash is matched with the file's name alone.
[[nodiscard]] std::vector<AppliedEntry> entries_for(const Config& config, const std::string& model);

}  // namespace onnx_shapes
