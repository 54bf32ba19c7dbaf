#include "infer/made_up.h"

#include <algorithm>

namespace onnx_shapes {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_letter_or_digit(char c) { return is_upper(c) || (c >= 'a' && c <= 'z') || is_digit(c); }

/// Takes digits off the end; false if there are none.
bool take_digits(std::string_view& text) {
  size_t size = text.size();
  while (size > 0 && is_digit(text[size - 1])) --size;
  if (size == text.size()) return false;
  text = text.substr(0, size);
  return true;
}

bool take(std::string_view& text, std::string_view end) {
  if (!text.ends_with(end)) return false;
  text.remove_suffix(end.size());
  return true;
}

bool is_counted(std::string_view text) {
  return take_digits(text) && (text == "unk__" || text == "_d");
}

bool is_node_axis(std::string_view text) {
  return take_digits(text) && (take(text, "__d") || take(text, "_d")) && take_digits(text) &&
         take(text, "_o") && take_digits(text) && !text.empty();
}

}  // namespace

bool MadeUpNames::contains(std::string_view name) {
  return is_counted(name) || is_node_axis(name) || is_exported(name) || is_ours(name);
}

const std::unordered_map<std::string_view, std::string_view>& MadeUpNames::op_of() {
  if (!op_of_.empty()) return op_of_;
  op_of_.reserve(model_.value_count());
  for (ValueId id = 0; id < model_.value_count(); ++id) {
    const Value& one = model_.value(id);
    const bool made = one.producer != kNoId;
    op_of_.emplace(one.name, made ? model_.node(one.producer).op_type : std::string_view());
  }
  return op_of_;
}

const std::unordered_set<std::string_view>& MadeUpNames::annotated() {
  if (annotated_.empty()) {
    for (const Annotation& annotation : model_.annotations()) annotated_.insert(annotation.name);
  }
  return annotated_;
}

// An optimiser may have put another operator in the place of the one that gave its name.
bool MadeUpNames::is_exported(std::string_view name) {
  if (!take_digits(name) || !take(name, "_dim_") || name.empty() || !is_upper(name.front())) {
    return false;
  }
  for (size_t size = 1; size < name.size() && is_letter_or_digit(name[size - 1]); ++size) {
    if (size > 1 && annotated().contains(name.substr(size))) return true;
  }
  return false;
}

const std::unordered_set<std::string_view>& MadeUpNames::op_types() {
  if (op_types_.empty()) {
    for (NodeId id = 0; id < model_.node_count(); ++id) op_types_.insert(model_.node(id).op_type);
  }
  return op_types_;
}

bool MadeUpNames::is_ours(std::string_view name) {
  std::string_view value = name;
  (void)take_digits(value);
  const bool of_contents = take(value, "_value");
  if (!of_contents && std::count(name.begin(), name.end(), '_') < 2) return false;
  if (of_contents && !value.empty() && op_of().contains(value)) return true;
  constexpr size_t kNone = std::string_view::npos;
  for (size_t first = name.find('_', 1); first != kNone; first = name.find('_', first + 1)) {
    if (!op_types().contains(name.substr(0, first))) continue;
    for (size_t last = name.find('_', first + 1); last != kNone; last = name.find('_', last + 1)) {
      const auto found = op_of().find(name.substr(first + 1, last - first - 1));
      if (found != op_of().end() && found->second == name.substr(0, first)) return true;
    }
  }
  return false;
}

}  // namespace onnx_shapes
