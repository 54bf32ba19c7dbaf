// The tokens of expression texts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace onnx_shapes {

enum class TokenKind : uint8_t {
  kEnd,
  kNumber,
  kName,
  kQuotedName,
  kPlus,
  kMinus,
  kStar,
  kPower,
  kSlash,
  kFloorDiv,
  kExactDiv,
  kPercent,
  kCaret,
  kAmpersand,
  kOpen,
  kClose,
  kComma,
  /// Not a token; `problem` says why.
  kBad,
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  size_t offset = 0;
  /// As it stands in the text, with the quotes of a quoted name.
  std::string_view text;
  /// A number is magnitude / scale; scale is a power of ten, 1 for an integer.
  uint64_t magnitude = 0;
  int64_t scale = 1;
  const char* problem = nullptr;
};

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  [[nodiscard]] Token next();

 private:
  Token number(size_t start);
  Token quoted_name(size_t start);
  Token symbol(size_t start);
  Token take(TokenKind kind, size_t start, size_t end);
  Token bad(const char* problem, size_t start);

  std::string_view text_;
  size_t position_ = 0;
};

}  // namespace onnx_shapes
