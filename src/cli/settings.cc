#include "cli/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "diag/printable.h"

namespace onnx_shapes {
namespace {

/// Calls `use` with the member that a key of the config file sets.
template <class Arguments, class Use>
void with_member(Arguments& arguments, std::string_view key, const Use& use) {
  if (key == "select") use(arguments.select);
  if (key == "ignore") use(arguments.ignore);
  if (key == "fail-on") use(arguments.fail_on);
  if (key == "require") use(arguments.require);
  if (key == "baseline") use(arguments.baseline);
  if (key == "inputs") use(arguments.inputs);
  if (key == "shape") use(arguments.shapes);
  if (key == "dim") use(arguments.dims);
  if (key == "dim-params") use(arguments.dim_params);
  if (key == "assume-nonempty") use(arguments.assume_nonempty);
  if (key == "max-rank") use(arguments.max_rank);
  if (key == "max-nesting") use(arguments.max_nesting);
  if (key == "max-nodes") use(arguments.max_nodes);
  if (key == "max-visits") use(arguments.max_visits);
  if (key == "max-unrolled") use(arguments.max_unrolled);
  if (key == "timeout") use(arguments.timeout);
}

/// Assigns what the config reader has checked: of the kind of the key, and in its range.
struct Assign {
  const ConfigValue& value;

  template <class Member>
  void operator()(Member& member) const {
    if constexpr (std::is_same_v<Member, uint32_t>) {
      if (const auto* count = std::get_if<uint64_t>(&value)) member = static_cast<uint32_t>(*count);
    } else {
      if (const auto* given = std::get_if<Member>(&value)) member = *given;
    }
  }
};

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : printable(text)) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

/// As TOML.
struct Show {
  std::string& text;

  void operator()(bool flag) const { text = flag ? "true" : "false"; }
  void operator()(const std::string& value) const { text = quoted(value); }
  void operator()(const std::vector<std::string>& values) const {
    std::vector<std::string> shown;
    for (const std::string& value : values) shown.push_back(quoted(value));
    text = fmt::format("[{}]", fmt::join(shown, ", "));
  }
  template <class Number>
  void operator()(Number number) const {
    text = fmt::format("{}", number);
  }
};

std::string origin_of(const Settings& settings, std::string_view key) {
  if (settings.arguments.given.contains(key)) return "command line";
  for (const AppliedEntry& applied : settings.applied) {
    if (applied.entry->key != key) continue;
    std::string text = fmt::format("{}:{}", printable(settings.config->path), applied.entry->line);
    const std::vector<std::string>& files = applied.section->files;
    if (!files.empty()) {
      std::string patterns;
      Show{patterns}(files);
      text += fmt::format(", for {}", patterns);
    }
    return text;
  }
  return "default";
}

}  // namespace

Result<Settings, std::string> ConfigFiles::settings_of(const std::string& model,
                                                       const CheckArguments& arguments) {
  Settings settings{.model = model, .arguments = arguments, .config = nullptr, .applied = {}};
  if (arguments.no_config) return settings;
  const std::string path =
      arguments.config.empty() ? find_config(model).value_or("") : arguments.config;
  if (path.empty()) return settings;
  auto known = read_.find(path);
  if (known == read_.end()) {
    Result<Config, std::string> config = read_config(path);
    if (!config) return Failure{config.reason()};
    known = read_.emplace(path, std::move(*config)).first;
  }
  settings.config = &known->second;
  for (const AppliedEntry& applied : entries_for(*settings.config, model)) {
    const std::string& key = applied.entry->key;
    const bool replaced = key == "baseline" && arguments.given.contains("write-baseline");
    if (arguments.given.contains(key) || replaced) continue;
    settings.applied.push_back(applied);
    with_member(settings.arguments, key, Assign{applied.entry->value});
  }
  return settings;
}

std::string show(const Settings& settings) {
  struct Line {
    std::string setting, origin;
  };
  std::vector<Line> lines;
  size_t width = 0;
  for (const ConfigKey& key : config_keys()) {
    std::string value;
    with_member(settings.arguments, key.name, Show{value});
    lines.push_back({fmt::format("{} = {}", key.name, value), origin_of(settings, key.name)});
    constexpr size_t kWidest = 48;
    width = std::max(width, std::min(kWidest, lines.back().setting.size()));
  }
  std::string text =
      fmt::format("{}: {}\n", printable(settings.model),
                  settings.config != nullptr ? printable(settings.config->path) : "no config file");
  for (const Line& line : lines) {
    text += fmt::format("  {:<{}}  {}\n", line.setting, width, line.origin);
  }
  return text;
}

}  // namespace onnx_shapes
