// The table of codes, the text form of places, and the collection of findings.
#include "diag/finding.h"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <utility>

#include "diag/printable.h"

namespace onnx_shapes {
namespace {

constexpr CodeInfo kRows[] = {
#define ONNX_SHAPES_CODE(number, name, severity, summary) \
  {Code::k##name, number, #name, severity, summary},
#include "diag/codes.def"
#undef ONNX_SHAPES_CODE
};

/// Position of a code among all_codes(), or their number if it has no row.
size_t row_of(Code code) {
  const std::vector<CodeInfo>& rows = all_codes();
  const auto row = std::lower_bound(
      rows.begin(), rows.end(), code,
      [](const CodeInfo& candidate, Code wanted) { return candidate.code < wanted; });
  const bool found = row != rows.end() && row->code == code;
  return found ? static_cast<size_t>(row - rows.begin()) : rows.size();
}

bool same_place(const Place& a, const Place& b) {
  return a.file == b.file && a.graph == b.graph && a.node == b.node && a.value == b.value &&
         a.role == b.role && a.axis == b.axis && a.offset == b.offset;
}

bool same(const Finding& a, const Finding& b) {
  return a.code == b.code && a.message == b.message && same_place(a.place, b.place);
}

size_t hash_of(const Finding& finding) {
  size_t hash = static_cast<size_t>(finding.code);
  const auto mix = [&hash](size_t part) {
    hash ^= part + 0x9e3779b97f4a7c15U + (hash << 6U) + (hash >> 2U);
  };
  const std::hash<std::string> text;
  for (const std::string* part : {&finding.message, &finding.place.graph, &finding.place.node,
                                  &finding.place.value, &finding.place.role}) {
    mix(text(*part));
  }
  mix(static_cast<size_t>(finding.place.axis.value_or(-1)));
  mix(static_cast<size_t>(finding.place.offset.value_or(0)));
  return hash;
}

}  // namespace

const std::vector<CodeInfo>& all_codes() {
  static const std::vector<CodeInfo> rows = [] {
    std::vector<CodeInfo> sorted(std::begin(kRows), std::end(kRows));
    std::sort(sorted.begin(), sorted.end(),
              [](const CodeInfo& a, const CodeInfo& b) { return a.code < b.code; });
    return sorted;
  }();
  return rows;
}

const CodeInfo& info(Code code) {
  const std::vector<CodeInfo>& rows = all_codes();
  const size_t row = row_of(code);
  return row < rows.size() ? rows[row] : rows[row_of(Code::kInternalError)];
}

bool is_unchecked(Code code) {
  switch (code) {
    case Code::kFileUnreadable:
    case Code::kFileUnwritable:
    case Code::kNotAModel:
    case Code::kTruncated:
    case Code::kLimitNesting:
    case Code::kLimitRank:
    case Code::kLimitNodes:
    case Code::kLimitTime:
    case Code::kLimitSize:
    case Code::kRuntimeMissing:
    case Code::kInternalError:
      return true;
    default:
      return false;
  }
}

std::string code_id(Code code) {
  std::string digits = std::to_string(info(code).number);
  digits.insert(0, digits.size() < 3 ? 3 - digits.size() : 0, '0');
  return "SHP" + digits;
}

std::string code_name(Code code) {
  std::string name;
  for (const char c : info(code).camel_name) {
    const bool capital = c >= 'A' && c <= 'Z';
    if (capital && !name.empty()) name += '-';
    name += capital ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return name;
}

std::string to_string(const Place& place) {
  std::string text = printable(place.file);
  const auto part = [&text](char separator) {
    if (!text.empty()) text += separator;
  };
  if (!place.graph.empty()) {
    part(':');
    text += printable(place.graph);
  }
  if (!place.node.empty()) {
    part(place.graph.empty() ? ':' : '/');
    text += printable(place.node);
  }
  if (!place.role.empty() || !place.value.empty()) {
    part(':');
    text += printable(place.role);
    if (!place.role.empty() && !place.value.empty()) text += ' ';
    text += printable(place.value);
  }
  if (place.axis) text += "[axis " + std::to_string(*place.axis) + "]";
  if (place.offset) {
    part(':');
    text += "byte " + std::to_string(*place.offset);
  }
  return text;
}

Finding make_finding(Code code, Place place, std::string message, std::string help) {
  return {.code = code,
          .severity = info(code).severity,
          .place = std::move(place),
          .message = std::move(message),
          .help = std::move(help),
          .notes = {}};
}

void Findings::add(Finding finding) {
  if (slots_.size() < 2 * (all_.size() + 1)) grow();
  const size_t slot = find(finding);
  if (slots_[slot] != 0) return;
  const size_t row = row_of(finding.code);
  if (per_code_.size() <= row) per_code_.resize(row + 1);
  if (per_code_[row] >= cap_per_code_) {
    dropped_.push_back(finding.code);
    return;
  }
  ++per_code_[row];
  marks_.push_back(mark());
  all_.push_back(std::move(finding));
  slots_[slot] = all_.size();
}

void Findings::roll_back(size_t mark) {
  if (mark >= this->mark()) return;
  while (!all_.empty() && marks_.back() >= mark) {
    // No probe has gone past the slot of the one added last, so that freeing it hides no other.
    slots_[find(all_.back())] = 0;
    --per_code_[row_of(all_.back().code)];
    all_.pop_back();
    marks_.pop_back();
  }
  dropped_.resize(mark - all_.size());
}

Findings Findings::filtered(const std::function<bool(const Finding&)>& keeps,
                            const std::function<bool(Code)>& keeps_code) const {
  Findings result(cap_per_code_);
  for (const Finding& finding : all_) {
    if (keeps(finding)) result.add(finding);
  }
  std::copy_if(dropped_.begin(), dropped_.end(), std::back_inserter(result.dropped_), keeps_code);
  return result;
}

size_t Findings::count(Severity at_least) const {
  return static_cast<size_t>(
      std::count_if(all_.begin(), all_.end(),
                    [at_least](const Finding& finding) { return finding.severity >= at_least; }));
}

size_t Findings::find(const Finding& finding) const {
  const size_t mask = slots_.size() - 1;
  size_t slot = hash_of(finding) & mask;
  while (slots_[slot] != 0 && !same(all_[slots_[slot] - 1], finding)) slot = (slot + 1) & mask;
  return slot;
}

void Findings::grow() {
  slots_.assign(std::max<size_t>(16, slots_.size() * 2), 0);
  for (size_t i = 0; i < all_.size(); ++i) slots_[find(all_[i])] = i + 1;
}

}  // namespace onnx_shapes
