// Splits expression texts into tokens, without regard to the locale.
#include "expr/parse_lexer.h"

#include "expr/print_names.h"

namespace onnx_shapes {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// Appends a decimal digit; false if the number no longer fits.
bool append_digit(uint64_t& number, char digit) {
  return !__builtin_mul_overflow(number, uint64_t{10}, &number) &&
         !__builtin_add_overflow(number, static_cast<uint64_t>(digit - '0'), &number);
}

TokenKind single_character(char c) {
  switch (c) {
    case '+':
      return TokenKind::kPlus;
    case '-':
      return TokenKind::kMinus;
    case '*':
      return TokenKind::kStar;
    case '/':
      return TokenKind::kSlash;
    case '%':
      return TokenKind::kPercent;
    case '^':
      return TokenKind::kCaret;
    case '&':
      return TokenKind::kAmpersand;
    case '(':
      return TokenKind::kOpen;
    case ')':
      return TokenKind::kClose;
    case ',':
      return TokenKind::kComma;
    default:
      return TokenKind::kBad;
  }
}

}  // namespace

Token Lexer::next() {
  while (position_ < text_.size() && is_space(text_[position_])) ++position_;
  const size_t start = position_;
  if (start == text_.size()) return take(TokenKind::kEnd, start, start);
  const char first = text_[start];
  if (is_digit(first)) return number(start);
  if (first == '\'') return quoted_name(start);
  if (!starts_name(first)) return symbol(start);
  size_t end = start;
  while (end < text_.size() && continues_name(text_[end])) ++end;
  return take(TokenKind::kName, start, end);
}

Token Lexer::number(size_t start) {
  size_t end = start;
  uint64_t magnitude = 0;
  while (end < text_.size() && is_digit(text_[end])) {
    if (!append_digit(magnitude, text_[end++])) return bad("the number is too large", start);
  }
  int64_t scale = 1;
  if (end < text_.size() && text_[end] == '.') {
    const size_t fraction = ++end;
    while (end < text_.size() && is_digit(text_[end])) ++end;
    if (end == fraction) return bad("expected a digit behind the decimal point", end);
    // Zeros at the end do not count, so that `2.000000000000000000000` is 2.
    size_t last = end;
    while (last > fraction && text_[last - 1] == '0') --last;
    for (size_t i = fraction; i < last; ++i) {
      if (!append_digit(magnitude, text_[i]) || __builtin_mul_overflow(scale, 10, &scale)) {
        return bad("the number has too many digits", start);
      }
    }
  }
  if (end < text_.size() && continues_name(text_[end])) {
    return bad("a name must not start with a digit", start);
  }
  Token token = take(TokenKind::kNumber, start, end);
  token.magnitude = magnitude;
  token.scale = scale;
  return token;
}

Token Lexer::quoted_name(size_t start) {
  size_t end = start + 1;
  for (; end < text_.size(); ++end) {
    if (text_[end] != '\'') continue;
    const bool is_doubled = end + 1 < text_.size() && text_[end + 1] == '\'';
    if (!is_doubled) return take(TokenKind::kQuotedName, start, end + 1);
    ++end;
  }
  return bad("the quoted name does not end", start);
}

Token Lexer::symbol(size_t start) {
  const std::string_view two = text_.substr(start, 2);
  if (two == "//") return take(TokenKind::kFloorDiv, start, start + 2);
  if (two == "/:") return take(TokenKind::kExactDiv, start, start + 2);
  if (two == "**") return take(TokenKind::kPower, start, start + 2);
  Token token = take(single_character(text_[start]), start, start + 1);
  if (token.kind == TokenKind::kBad) token.problem = "unexpected character";
  return token;
}

Token Lexer::take(TokenKind kind, size_t start, size_t end) {
  position_ = end;
  Token token;
  token.kind = kind;
  token.offset = start;
  token.text = text_.substr(start, end - start);
  return token;
}

Token Lexer::bad(const char* problem, size_t start) {
  Token token;
  token.kind = TokenKind::kBad;
  token.offset = start;
  token.problem = problem;
  return token;
}

}  // namespace onnx_shapes
