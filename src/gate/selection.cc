#include "gate/selection.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/nearest.h"

namespace onnx_shapes {
namespace {

constexpr std::string_view kFamily = "SHP";

bool is_digits(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// `SHP2` of `SHP2` and `2`; nothing of what does not start a code.
std::optional<std::string> prefix_of(std::string_view text) {
  std::string prefix(text);
  if (!text.empty() && is_digits(text)) prefix.insert(0, kFamily);
  const bool fits = std::ranges::any_of(all_codes(), [&](const CodeInfo& info) {
    return !text.empty() && code_id(info.code).starts_with(prefix);
  });
  if (!fits || prefix.size() < kFamily.size()) return std::nullopt;
  return prefix;
}

/// What the nearest name is; all names if the text looks like none.
std::string suggestion(std::string_view text) {
  std::vector<std::string> names;
  for (const CodeInfo& info : all_codes()) {
    names.push_back(code_name(info.code));
    names.push_back(code_id(info.code));
  }
  const std::vector<std::string_view> views(names.begin(), names.end());
  const std::string near = did_you_mean(text, views);
  return near.empty() ? "; onnx-shapes rules lists them" : near;
}

size_t longest(const std::vector<std::string>& prefixes, std::string_view id) {
  size_t length = 0;
  for (const std::string& prefix : prefixes) {
    if (id.starts_with(prefix)) length = std::max(length, prefix.size());
  }
  return length;
}

bool says_unchecked_run(Code code) {
  return code == Code::kInputsUnreadable || code == Code::kInputMissing || code == Code::kArrayForm;
}

}  // namespace

std::optional<Code> find_code(std::string_view text) {
  for (const CodeInfo& info : all_codes()) {
    const std::string id = code_id(info.code);
    if (text == id || text == code_name(info.code) || text == id.substr(kFamily.size())) {
      return info.code;
    }
  }
  return std::nullopt;
}

Result<Selection, std::string> Selection::read(const std::vector<std::string>& select,
                                               const std::vector<std::string>& ignore) {
  Selection selection;
  for (const auto& [texts, prefixes] :
       {std::pair(&select, &selection.select_), std::pair(&ignore, &selection.ignore_)}) {
    for (const std::string& text : *texts) {
      if (const std::optional<Code> code = find_code(text)) {
        prefixes->push_back(code_id(*code));
      } else if (std::optional<std::string> prefix = prefix_of(text)) {
        prefixes->push_back(std::move(*prefix));
      } else {
        return Failure{
            fmt::format("no finding has the code or name '{}'{}", text, suggestion(text))};
      }
    }
  }
  return selection;
}

bool Selection::selects(Code code) const {
  if (is_unchecked(code) || says_unchecked_run(code)) return true;
  const std::string id = code_id(code);
  const size_t ignored = longest(ignore_, id);
  const size_t selected = longest(select_, id);
  const bool wanted = select_.empty() || selected > 0 || code == Code::kRequirementUnmet;
  return wanted && (ignored == 0 || selected > ignored);
}

Findings Selection::of(const Findings& findings) const {
  return findings.filtered([this](const Finding& finding) { return selects(finding.code); },
                           [this](Code code) { return selects(code); });
}

}  // namespace onnx_shapes
