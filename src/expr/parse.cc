// The parser: precedence climbing over exact ratios, bounded in depth, length and time.
#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "expr/parse_functions.h"
#include "expr/parse_lexer.h"
#include "expr/parse_ratio.h"
#include "expr/pool_impl.h"
#include "expr/print_names.h"
#include "expr/text.h"

namespace onnx_shapes {
namespace {

using NameResolver = std::function<Dim(std::string_view)>;

struct BinaryOperator {
  int level = 0;
  RatioResult (*apply)(Ratio, Ratio) = nullptr;
};

// All group from the left; a higher level binds tighter. Sums stand between: they have any number
// of operands.
constexpr int kLowestLevel = 1;
constexpr int kSumLevel = 3;

BinaryOperator binary_operator(TokenKind kind) {
  switch (kind) {
    case TokenKind::kCaret:
      return {1, larger};
    case TokenKind::kAmpersand:
      return {2, smaller};
    case TokenKind::kStar:
      return {4, multiply};
    case TokenKind::kSlash:
      return {4, divide};
    case TokenKind::kFloorDiv:
      return {4, divide_down};
    case TokenKind::kExactDiv:
      return {4, divide_without_rest};
    case TokenKind::kPercent:
      return {4, remainder};
    case TokenKind::kPlus:
    case TokenKind::kMinus:
    case TokenKind::kEnd:
    case TokenKind::kNumber:
    case TokenKind::kName:
    case TokenKind::kQuotedName:
    case TokenKind::kPower:
    case TokenKind::kOpen:
    case TokenKind::kClose:
    case TokenKind::kComma:
    case TokenKind::kBad:
      break;
  }
  return {};
}

bool is_sign(TokenKind kind) { return kind == TokenKind::kPlus || kind == TokenKind::kMinus; }

class Parser {
 public:
  Parser(Pool& pool, std::string_view text, const NameResolver& name)
      : pool_(pool), name_(name), lexer_(text), token_(lexer_.next()) {}

  Result<Dim, ParseError> parse() {
    const auto value = binary(kLowestLevel);
    if (!value) return Failure{error_};
    if (token_.kind != TokenKind::kEnd) {
      fail_at_token("expected an operator or the end");
      return Failure{error_};
    }
    if (!value->is_whole()) return Failure{ParseError{"the value is not a whole number", 0}};
    return value->numerator;
  }

 private:
  std::optional<Ratio> binary(int lowest_level);
  std::optional<Ratio> rest_of_sum(Ratio first);
  std::optional<Ratio> unary();
  std::optional<Ratio> power_of_primary();
  std::optional<Ratio> primary();
  std::optional<Ratio> number_literal();
  std::optional<Ratio> parenthesised();
  std::optional<Ratio> name_or_call();
  std::optional<Ratio> call(const Token& function);
  std::optional<Ratio> resolved(std::string_view name, const Token& where);
  bool arguments(std::vector<Ratio>& values, size_t max_count);

  void advance() { token_ = lexer_.next(); }
  bool enter();
  void leave() { --depth_; }
  bool expect(TokenKind kind, const char* message);
  std::nullopt_t fail(std::string message, size_t offset);
  std::nullopt_t fail_at_token(const char* message);
  std::optional<Ratio> accept(const RatioResult& result, size_t offset);

  Pool& pool_;
  const NameResolver& name_;
  Lexer lexer_;
  Token token_;
  size_t depth_ = 0;
  ParseError error_;
};

std::nullopt_t Parser::fail(std::string message, size_t offset) {
  error_ = {std::move(message), offset};
  return std::nullopt;
}

std::nullopt_t Parser::fail_at_token(const char* message) {
  return fail(token_.problem != nullptr ? token_.problem : message, token_.offset);
}

std::optional<Ratio> Parser::accept(const RatioResult& result, size_t offset) {
  if (!result) return fail(std::string(result.reason()), offset);
  return *result;
}

bool Parser::enter() {
  if (++depth_ <= kMaxTextNesting) return true;
  fail("nested too deeply", token_.offset);
  return false;
}

bool Parser::expect(TokenKind kind, const char* message) {
  if (token_.kind != kind) {
    fail_at_token(message);
    return false;
  }
  advance();
  return true;
}

std::optional<Ratio> Parser::binary(int lowest_level) {
  std::optional<Ratio> left = unary();
  while (left) {
    if (is_sign(token_.kind) && lowest_level <= kSumLevel) {
      left = rest_of_sum(*left);
      continue;
    }
    const BinaryOperator op = binary_operator(token_.kind);
    if (op.apply == nullptr || op.level < lowest_level) break;
    const size_t offset = token_.offset;
    advance();
    const std::optional<Ratio> right = binary(op.level + 1);
    if (!right) return std::nullopt;
    left = accept(op.apply(*left, *right), offset);
  }
  return left;
}

/// All at once: a part of a sum may have a shorter form than it has within the sum.
std::optional<Ratio> Parser::rest_of_sum(Ratio first) {
  const size_t offset = token_.offset;
  std::vector<Ratio> summands = {first};
  while (is_sign(token_.kind)) {
    const Token sign = token_;
    advance();
    std::optional<Ratio> summand = binary(kSumLevel + 1);
    if (summand && sign.kind == TokenKind::kMinus) summand = accept(negate(*summand), sign.offset);
    if (!summand) return std::nullopt;
    summands.push_back(*summand);
  }
  return accept(sum(summands), offset);
}

std::optional<Ratio> Parser::unary() {
  const size_t offset = token_.offset;
  bool is_negative = false;
  for (; is_sign(token_.kind); advance()) {
    is_negative ^= token_.kind == TokenKind::kMinus;
  }
  // The one literal that fits only with its sign.
  constexpr uint64_t kSmallest = uint64_t{1} << 63;
  if (is_negative && token_.kind == TokenKind::kNumber && token_.scale == 1 &&
      token_.magnitude == kSmallest) {
    advance();
    return whole(pool_, pool_.constant(INT64_MIN));
  }
  const std::optional<Ratio> value = power_of_primary();
  if (!value || !is_negative) return value;
  return accept(negate(*value), offset);
}

std::optional<Ratio> Parser::power_of_primary() {
  const std::optional<Ratio> base = primary();
  if (!base || token_.kind != TokenKind::kPower) return base;
  const size_t offset = token_.offset;
  if (!enter()) return std::nullopt;
  advance();
  const std::optional<Ratio> exponent = unary();
  leave();
  if (!exponent) return std::nullopt;
  return accept(power(*base, *exponent), offset);
}

std::optional<Ratio> Parser::primary() {
  switch (token_.kind) {
    case TokenKind::kNumber:
      return number_literal();
    case TokenKind::kOpen:
      return parenthesised();
    case TokenKind::kName:
      return name_or_call();
    case TokenKind::kQuotedName: {
      const Token quoted = token_;
      advance();
      return resolved(unquoted(quoted.text), quoted);
    }
    case TokenKind::kEnd:
    case TokenKind::kPlus:
    case TokenKind::kMinus:
    case TokenKind::kStar:
    case TokenKind::kPower:
    case TokenKind::kSlash:
    case TokenKind::kFloorDiv:
    case TokenKind::kExactDiv:
    case TokenKind::kPercent:
    case TokenKind::kCaret:
    case TokenKind::kAmpersand:
    case TokenKind::kClose:
    case TokenKind::kComma:
    case TokenKind::kBad:
      break;
  }
  return fail_at_token("expected a number, a name or a parenthesis");
}

std::optional<Ratio> Parser::number_literal() {
  const Token literal = token_;
  advance();
  return accept(number(pool_, literal.magnitude, literal.scale), literal.offset);
}

std::optional<Ratio> Parser::parenthesised() {
  if (!enter()) return std::nullopt;
  advance();
  const std::optional<Ratio> value = binary(kLowestLevel);
  leave();
  if (!value || !expect(TokenKind::kClose, "expected `)`")) return std::nullopt;
  return value;
}

std::optional<Ratio> Parser::name_or_call() {
  const Token word = token_;
  advance();
  if (token_.kind == TokenKind::kOpen) return call(word);
  return resolved(word.text, word);
}

std::optional<Ratio> Parser::resolved(std::string_view name, const Token& where) {
  const Dim dim = name_(name);
  if (!dim.known()) return fail("unknown name `" + std::string(name) + "`", where.offset);
  return whole(pool_, dim);
}

std::optional<Ratio> Parser::call(const Token& word) {
  const TextFunction* function = find_text_function(word.text);
  if (function == nullptr) {
    return fail("unknown function `" + std::string(word.text) + "`", word.offset);
  }
  if (!enter()) return std::nullopt;
  std::vector<Ratio> values;
  const bool ok = arguments(values, function->max_arguments);
  leave();
  if (!ok) return std::nullopt;
  if (values.size() < function->min_arguments) {
    return fail("too few arguments for `" + std::string(word.text) + "`", word.offset);
  }
  return accept(function->apply(values), word.offset);
}

/// Reads `(a, b, ..)`; at least one argument.
bool Parser::arguments(std::vector<Ratio>& values, size_t max_count) {
  do {
    if (values.size() == max_count) {
      fail("too many arguments", token_.offset);
      return false;
    }
    advance();
    const std::optional<Ratio> value = binary(kLowestLevel);
    if (!value) return false;
    values.push_back(*value);
  } while (token_.kind == TokenKind::kComma);
  return expect(TokenKind::kClose, "expected `,` or `)`");
}

/// True if the text holds a character that no expression has outside quotes.
bool has_foreign_character(std::string_view text) {
  constexpr std::string_view kPunctuation = " \t\r\n+-*/%^&(),'";
  for (size_t i = 0; i < text.size(); ++i) {
    if (continues_name(text[i]) || kPunctuation.find(text[i]) != std::string_view::npos) continue;
    const bool is_exact_division = text[i] == ':' && i > 0 && text[i - 1] == '/';
    if (!is_exact_division) return true;
  }
  return false;
}

}  // namespace

Result<Dim, ParseError> parse_dim(Pool& pool, std::string_view text, const NameResolver& name) {
  if (text.size() > kMaxTextLength) {
    return Failure{ParseError{"the text is too long", kMaxTextLength}};
  }
  if (!is_identifier(text) && pool.impl().has_symbol_named(text)) {
    const Dim dim = name(text);
    if (dim.known()) return dim;
  }
  Result<Dim, ParseError> result = Parser(pool, text, name).parse();
  if (!result && has_foreign_character(text)) {
    const Dim dim = name(text);
    if (dim.known()) return dim;
  }
  return result;
}

std::optional<std::vector<std::string>> names_in(std::string_view text) {
  if (text.size() > kMaxTextLength) return std::nullopt;
  Pool pool;
  std::vector<std::string> names;
  std::unordered_map<std::string, Dim> symbols;
  const NameResolver resolver = [&](std::string_view name) {
    const auto [place, is_new] = symbols.try_emplace(std::string(name));
    if (is_new) {
      names.emplace_back(name);
      place->second = pool.symbol(pool.add_symbol(std::string(name)));
    }
    return place->second;
  };
  if (!Parser(pool, text, resolver).parse()) return std::nullopt;
  return names;
}

}  // namespace onnx_shapes
