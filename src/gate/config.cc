// Reads the config file with toml++, which is used as headers alone and without exceptions.
#include "gate/config.h"

#include <fmt/format.h>

#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
// Text such as `[[[` breaks assertions of toml++ before it is reported as an error. In a build
// with NDEBUG the compiler may even assume them.
#pragma push_macro("NDEBUG")
#undef NDEBUG
#define TOML_ASSERT(expr) static_assert(true)
#include <toml++/toml.h>
#pragma pop_macro("NDEBUG")

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>

#include "diag/printable.h"
#include "gate/glob.h"
#include "gate/selection.h"
#include "support/nearest.h"
#include "wire/file.h"

namespace onnx_shapes {
namespace {

namespace fs = std::filesystem;
using Kind = ConfigKey::Kind;

constexpr std::string_view kModels = "models";
constexpr std::string_view kFiles = "files";
/// Larger files were hardly written by a person.
constexpr size_t kMaxBytes = 1U << 20U;
constexpr double kMaxSeconds = 1e9;

constexpr std::array<std::string_view, 4> kLevels = {"error", "warning", "note", "never"};
constexpr std::array<std::string_view, 4> kRequirements = {"none", "ranks", "names", "static"};
constexpr std::array<std::string_view, 2> kReadings = {"expressions", "opaque"};

constexpr ConfigKey kKeys[] = {
    {"select", Kind::kCodes, {}},
    {"ignore", Kind::kCodes, {}},
    {"fail-on", Kind::kChoice, kLevels},
    {"require", Kind::kChoice, kRequirements},
    {"baseline", Kind::kPath, {}},
    {"inputs", Kind::kPaths, {}},
    {"shape", Kind::kTexts, {}},
    {"dim", Kind::kTexts, {}},
    {"dim-params", Kind::kChoice, kReadings},
    {"assume-nonempty", Kind::kFlag, {}},
    {"max-rank", Kind::kCount, {}},
    {"max-nesting", Kind::kCount, {}},
    {"max-nodes", Kind::kCount, {}},
    {"max-visits", Kind::kCount, {}},
    {"max-unrolled", Kind::kCount, {}},
    {"timeout", Kind::kSeconds, {}},
};

using Complaint = std::optional<std::string>;

std::string shown(std::string_view text) {
  constexpr size_t kMaxShown = 80;
  return printable(text.size() > kMaxShown ? std::string(text.substr(0, kMaxShown)) + "..."
                                           : std::string(text));
}

bool beyond_ascii(char c) { return static_cast<unsigned char>(c) >= 0x80; }

/// The text with each byte beyond ASCII, and each `%`, written as `%` and two digits: toml++ 3.3
/// runs into undefined behaviour when it asks of a letter such as U+00E9 whether it is white space.
std::string as_ascii(std::string_view text) {
  std::string ascii;
  ascii.reserve(text.size());
  for (const char c : text) {
    if (c == '%' || beyond_ascii(c)) {
      ascii += fmt::format("%{:02x}", static_cast<unsigned char>(c));
    } else {
      ascii += c;
    }
  }
  return ascii;
}

/// The text that as_ascii() was given, of a string out of its result.
std::string from_ascii(std::string_view ascii) {
  std::string text;
  for (size_t at = 0; at < ascii.size(); ++at) {
    unsigned byte = 0;
    const char* digits = ascii.data() + at + 1;
    if (ascii[at] == '%' && ascii.size() - at > 2 &&
        std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2) {
      text += static_cast<char>(byte);
      at += 2;
    } else {
      text += ascii[at];
    }
  }
  return text;
}

std::string_view line_of(std::string_view text, size_t number) {
  for (; number > 1; --number) text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  return text.substr(0, text.find('\n'));
}

class ConfigReader {
 public:
  explicit ConfigReader(const std::string& path) : config_{.path = path, .sections = {}} {}

  Result<Config, std::string> read(std::string_view text);

 private:
  [[nodiscard]] std::string at(const toml::source_region& region, const std::string& what) const {
    return fmt::format("{}:{}: {}", printable(config_.path), region.begin.line, what);
  }
  [[nodiscard]] Complaint wrong_type(const toml::key& key, const toml::node& node,
                                     std::string_view wanted) const {
    return at(node.source(), fmt::format("'{}' takes {}", key.str(), wanted));
  }
  Complaint read_section(const toml::table& table, ConfigSection& section, bool of_models);
  Complaint read_models(const toml::key& key, const toml::node& node);
  Complaint read_value(const toml::key& key, const toml::node& node, const ConfigKey& known,
                       ConfigValue& value) const;
  Complaint read_count(const toml::key& key, const toml::node& node, ConfigValue& value) const;
  Complaint read_seconds(const toml::key& key, const toml::node& node, ConfigValue& value) const;
  Complaint read_choice(const toml::key& key, const toml::node& node, const ConfigKey& known,
                        ConfigValue& value) const;
  /// A text, or a list of texts.
  Complaint read_texts(const toml::key& key, const toml::node& node,
                       std::vector<std::string>& texts) const;
  [[nodiscard]] std::string beside_file(const std::string& path) const {
    return (fs::path(config_.path).parent_path() / path).lexically_normal().string();
  }

  Config config_;
};

Result<Config, std::string> ConfigReader::read(std::string_view text) {
  const toml::parse_result parsed = toml::parse(as_ascii(text));
  if (!parsed) {
    const toml::parse_error& error = parsed.error();
    std::string what = printable(from_ascii(error.description()));
    const std::string_view line = line_of(text, error.source().begin.line);
    if (std::ranges::any_of(line, beyond_ascii)) {
      what += "; letters beyond ASCII are only for texts and comments";
    }
    return Failure{at(error.source(), what)};
  }
  config_.sections.emplace_back();
  ConfigSection top;
  if (Complaint complaint = read_section(parsed.table(), top, false)) return Failure{*complaint};
  config_.sections.front() = std::move(top);
  return std::move(config_);
}

Complaint ConfigReader::read_section(const toml::table& table, ConfigSection& section,
                                     bool of_models) {
  for (const auto& [key, node] : table) {
    if (of_models && key.str() == kFiles) {
      if (Complaint complaint = read_texts(key, node, section.files)) return complaint;
      continue;
    }
    if (!of_models && key.str() == kModels) {
      if (Complaint complaint = read_models(key, node)) return complaint;
      continue;
    }
    const auto* known = std::ranges::find(kKeys, key.str(), &ConfigKey::name);
    if (known == std::end(kKeys)) {
      std::vector<std::string_view> names;
      for (const ConfigKey& candidate : kKeys) names.push_back(candidate.name);
      names.push_back(of_models ? kFiles : kModels);
      return at(key.source(), fmt::format("there is no key '{}'{}", shown(from_ascii(key.str())),
                                          did_you_mean(key.str(), names)));
    }
    ConfigEntry entry{.key = std::string(key.str()), .value = {}, .line = key.source().begin.line};
    if (Complaint complaint = read_value(key, node, *known, entry.value)) return complaint;
    section.entries.push_back(std::move(entry));
  }
  if (of_models && section.files.empty()) {
    return at(table.source(), "a table [[models]] needs 'files', the patterns of its models");
  }
  return std::nullopt;
}

Complaint ConfigReader::read_models(const toml::key& key, const toml::node& node) {
  const toml::array* tables = node.as_array();
  const bool fits = tables != nullptr && std::all_of(tables->begin(), tables->end(),
                                                     [](auto& each) { return each.is_table(); });
  if (!fits) return wrong_type(key, node, "tables: write [[models]] above its keys");
  for (const toml::node& table : *tables) {
    ConfigSection section;
    if (Complaint complaint = read_section(*table.as_table(), section, true)) return complaint;
    config_.sections.push_back(std::move(section));
  }
  return std::nullopt;
}

Complaint ConfigReader::read_value(const toml::key& key, const toml::node& node,
                                   const ConfigKey& known, ConfigValue& value) const {
  switch (known.kind) {
    case Kind::kFlag: {
      const std::optional<bool> flag = node.value_exact<bool>();
      if (!flag) return wrong_type(key, node, "true or false");
      value = *flag;
      return std::nullopt;
    }
    case Kind::kCount:
      return read_count(key, node, value);
    case Kind::kSeconds:
      return read_seconds(key, node, value);
    case Kind::kChoice:
      return read_choice(key, node, known, value);
    case Kind::kPath: {
      const std::optional<std::string> path = node.value_exact<std::string>();
      if (!path || path->empty()) return wrong_type(key, node, "the path of a file, as a text");
      value = beside_file(from_ascii(*path));
      return std::nullopt;
    }
    case Kind::kCodes:
    case Kind::kTexts:
    case Kind::kPaths:
      break;
  }
  std::vector<std::string> texts;
  if (Complaint complaint = read_texts(key, node, texts)) return complaint;
  if (known.kind == Kind::kCodes) {
    const auto selection = Selection::read(texts, {});
    if (!selection) return at(node.source(), printable(selection.reason()));
  }
  if (known.kind == Kind::kPaths) {
    for (std::string& text : texts) text = beside_file(text);
  }
  value = std::move(texts);
  return std::nullopt;
}

Complaint ConfigReader::read_count(const toml::key& key, const toml::node& node,
                                   ConfigValue& value) const {
  const std::optional<int64_t> count = node.value_exact<int64_t>();
  // The limits of ranks and nesting are of 32 bits on the command line too.
  if (!count || *count < 0 || *count > INT32_MAX) {
    return wrong_type(key, node, fmt::format("a whole number from 0 to {}", INT32_MAX));
  }
  value = static_cast<uint64_t>(*count);
  return std::nullopt;
}

Complaint ConfigReader::read_seconds(const toml::key& key, const toml::node& node,
                                     ConfigValue& value) const {
  const std::optional<int64_t> whole = node.value_exact<int64_t>();
  const std::optional<double> real = node.value_exact<double>();
  const double seconds = real ? *real : whole ? static_cast<double>(*whole) : -1;
  if (!(seconds >= 0 && seconds <= kMaxSeconds)) {
    return wrong_type(key, node, "a number of seconds, from 0 to 1e9");
  }
  value = seconds;
  return std::nullopt;
}

Complaint ConfigReader::read_choice(const toml::key& key, const toml::node& node,
                                    const ConfigKey& known, ConfigValue& value) const {
  const std::optional<std::string> text = node.value_exact<std::string>();
  if (text && std::ranges::find(known.choices, *text) != known.choices.end()) {
    value = *text;
    return std::nullopt;
  }
  std::vector<std::string> choices;
  for (const std::string_view choice : known.choices)
    choices.push_back(fmt::format("\"{}\"", choice));
  return wrong_type(key, node,
                    fmt::format("one of {}{}", fmt::join(choices, ", "),
                                text ? did_you_mean(*text, known.choices) : std::string()));
}

Complaint ConfigReader::read_texts(const toml::key& key, const toml::node& node,
                                   std::vector<std::string>& texts) const {
  constexpr std::string_view kWanted = "a text or a list of texts";
  if (const std::optional<std::string> text = node.value_exact<std::string>()) {
    texts = {from_ascii(*text)};
  } else if (const toml::array* list = node.as_array()) {
    for (const toml::node& element : *list) {
      const std::optional<std::string> member = element.value_exact<std::string>();
      if (!member) return wrong_type(key, element, kWanted);
      texts.push_back(from_ascii(*member));
    }
  } else {
    return wrong_type(key, node, kWanted);
  }
  if (std::ranges::find(texts, "") != texts.end()) return wrong_type(key, node, "no empty text");
  return std::nullopt;
}

bool matches(const ConfigSection& section, const fs::path& model, const fs::path& folder) {
  if (section.files.empty()) return true;
  return std::ranges::any_of(section.files, [&](const std::string& pattern) {
    if (pattern.find('/') == std::string::npos) {
      return glob_matches(pattern, model.filename().string());
    }
    const bool absolute = pattern.starts_with('/');
    return glob_matches(pattern,
                        absolute ? model.string() : model.lexically_relative(folder).string());
  });
}

/// Without symbolic links resolved: patterns speak of the path that the user sees.
fs::path absolute(const std::string& path) {
  std::error_code error;
  const fs::path result = fs::absolute(path, error);
  return (error ? fs::path(path) : result).lexically_normal();
}

}  // namespace

std::span<const ConfigKey> config_keys() { return kKeys; }

Result<Config, std::string> parse_config(std::string_view text, const std::string& path) {
  if (text.size() > kMaxBytes) {
    return Failure{
        fmt::format("{}: larger than the {} bytes of a config file", printable(path), kMaxBytes)};
  }
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  return ConfigReader(path).read(text);
}

Result<Config, std::string> read_config(const std::string& path) {
  const Expected<MappedFile> file = MappedFile::open(path);
  if (!file) {
    return Failure{fmt::format("the config file cannot be read: {}: {}", printable(path),
                               file.reason().message)};
  }
  const std::span<const uint8_t> bytes = file->bytes();
  return parse_config({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path);
}

std::optional<std::string> find_config(const std::string& model) {
  std::error_code error;
  const fs::path here = fs::current_path(error);
  fs::path folder = model == "-" ? here : absolute(model).parent_path();
  while (!folder.empty()) {
    const fs::path candidate = folder / kConfigName;
    if (fs::exists(candidate, error)) {
      const fs::path relative = candidate.lexically_relative(here);
      const bool below = !relative.empty() && *relative.begin() != "..";
      return (below ? relative : candidate).string();
    }
    if (folder == folder.parent_path()) break;
    folder = folder.parent_path();
  }
  return std::nullopt;
}

std::vector<AppliedEntry> entries_for(const Config& config, const std::string& model) {
  const fs::path path = absolute(model);
  const fs::path folder = absolute(config.path).parent_path();
  std::vector<AppliedEntry> applied;
  for (const ConfigKey& key : kKeys) {
    AppliedEntry last;
    for (const ConfigSection& section : config.sections) {
      if (!matches(section, path, folder)) continue;
      const auto entry = std::ranges::find(section.entries, key.name, &ConfigEntry::key);
      if (entry != section.entries.end()) last = {&*entry, &section};
    }
    if (last.entry != nullptr) applied.push_back(last);
  }
  return applied;
}

}  // namespace onnx_shapes
