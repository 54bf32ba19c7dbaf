// Evaluates printed texts while it reads them.
#include "tests/expr/text_evaluator.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

namespace onnx_shapes {
namespace {

__extension__ using Wide = __int128;
using Value = std::optional<Wide>;

bool is_small(Wide value) {
  constexpr Wide kLimit = Wide{1} << 100;
  return value > -kLimit && value < kLimit;
}

Value floor_of(Wide a, Wide b) {
  if (b < 1) return std::nullopt;
  const Wide q = a / b;
  return a % b < 0 ? q - 1 : q;
}

class Evaluator {
 public:
  Evaluator(std::string_view text,
            const std::function<std::optional<int64_t>(std::string_view)>& value)
      : text_(text), value_(value) {}

  Value whole() {
    const Value result = sum();
    skip_spaces();
    return at_ == text_.size() ? result : std::nullopt;
  }
  [[nodiscard]] bool is_too_large() const { return is_too_large_; }

 private:
  std::nullopt_t too_large() {
    is_too_large_ = true;
    return std::nullopt;
  }
  void skip_spaces() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool take(std::string_view token) {
    skip_spaces();
    if (text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }

  Value sum() {
    Value total = product();
    while (total) {
      const bool plus = take("+");
      if (!plus && !take("-")) break;
      const Value next = product();
      if (!next) return std::nullopt;
      total = *total + (plus ? *next : -*next);
      if (!is_small(*total)) return too_large();
    }
    return total;
  }

  Value product() {
    Value total = sign();
    while (total) {
      const char op = take("//") ? '/' : take("*") ? '*' : take("%") ? '%' : ' ';
      if (op == ' ') break;
      const Value next = sign();
      if (!next) return std::nullopt;
      if (op == '*') {
        Wide result = 0;
        if (__builtin_mul_overflow(*total, *next, &result)) return too_large();
        total = result;
      } else {
        const Value quotient = floor_of(*total, *next);
        if (!quotient) return std::nullopt;
        total = op == '/' ? *quotient : *total - *quotient * *next;
      }
      if (!is_small(*total)) return too_large();
    }
    return total;
  }

  Value sign() {
    if (!take("-")) return primary();
    const Value value = sign();
    return value ? Value(-*value) : std::nullopt;
  }

  Value primary() {
    if (take("(")) {
      const Value value = sum();
      return take(")") ? value : std::nullopt;
    }
    for (const std::string_view function : {"max", "min", "broadcast"}) {
      if (take(std::string(function) + "(")) return call(function);
    }
    skip_spaces();
    if (at_ == text_.size()) return std::nullopt;
    if (text_[at_] == '\'') return quoted_name();
    const size_t start = at_;
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    const std::string_view word = text_.substr(start, at_ - start);
    if (word.empty()) return std::nullopt;
    if (std::isdigit(static_cast<unsigned char>(word[0])) == 0) return value_(word);
    Wide number = 0;
    for (const char digit : word) {
      if (std::isdigit(static_cast<unsigned char>(digit)) == 0) return std::nullopt;
      number = number * 10 + (digit - '0');
      if (!is_small(number)) return too_large();
    }
    return number;
  }

  Value call(std::string_view function) {
    std::vector<Wide> operands;
    do {
      const Value operand = sum();
      if (!operand) return std::nullopt;
      operands.push_back(*operand);
    } while (take(","));
    if (!take(")")) return std::nullopt;
    if (function == "max") return *std::max_element(operands.begin(), operands.end());
    if (function == "min") return *std::min_element(operands.begin(), operands.end());
    Wide result = 1;
    for (const Wide operand : operands) {
      if (operand == 1) continue;
      if (result != 1 && result != operand) return std::nullopt;
      result = operand;
    }
    return result;
  }

  Value quoted_name() {
    std::string name;
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\'') {
        ++at_;
        if (at_ == text_.size() || text_[at_] != '\'') return value_(name);
      }
      name += text_[at_];
    }
    return std::nullopt;
  }

  static bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
  }

  std::string_view text_;
  const std::function<std::optional<int64_t>(std::string_view)>& value_;
  size_t at_ = 0;
  bool is_too_large_ = false;
};

}  // namespace

TextValue evaluate_text(std::string_view text,
                        const std::function<std::optional<int64_t>(std::string_view)>& value) {
  Evaluator evaluator(text, value);
  const Value result = evaluator.whole();
  if (!result) return {std::nullopt, evaluator.is_too_large()};
  if (*result > INT64_MAX || *result < INT64_MIN) return {std::nullopt, true};
  return {static_cast<int64_t>(*result), false};
}

}  // namespace onnx_shapes
