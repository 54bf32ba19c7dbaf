// Dims as text: what we print, and what we and others write.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "expr/expr.h"
#include "support/result.h"

namespace onnx_shapes {

/// No longer text is read or written.
inline constexpr size_t kMaxTextLength = 64 * 1024;
/// Parentheses, calls and exponents may be nested this deep.
inline constexpr size_t kMaxTextNesting = 200;

/// The dim in the printed grammar (docs/semantics.md): integers, names, `+ - * // %`, unary minus,
/// `max(..)`, `min(..)`, `broadcast(..)`. Names that are not identifiers are quoted inside
/// an expression and bare when they stand alone. An unknown dim prints as `?`, and a dim whose text
/// would be longer than kMaxTextLength prints as nothing.
///
/// The text depends on the value and the names alone, not on how the dim was made. A text that
/// happens to be the name of a symbol in the pool, but means something else, gets parentheses.
[[nodiscard]] std::string to_text(Dim dim);

/// Why a text is not an expression, and where (a byte offset into the text).
struct ParseError {
  std::string message;
  size_t offset = 0;
};

/// Reads an expression: our own grammar and what SymPy, onnx-light and torch write.
/// `name` gives the dim of a name (or unknown, which makes the text no expression).
/// Bounded in depth, length and time: a text longer than kMaxTextLength or nested deeper than
/// kMaxTextNesting is an error.
///
/// A text is one name as a whole if a symbol in the pool is called so, or if it holds a character
/// that no expression has (`?`, `a:b`), provided that `name` knows it.
[[nodiscard]] Result<Dim, ParseError> parse_dim(Pool& pool, std::string_view text,
                                                const std::function<Dim(std::string_view)>& name);

/// The names that occur in the text when it is read as an expression, in order of appearance;
/// nothing if it does not parse.
[[nodiscard]] std::optional<std::vector<std::string>> names_in(std::string_view text);

/// Letters, digits, `_` and `.`, starting with a letter or `_`: what stands in an expression
/// without quotes.
[[nodiscard]] bool is_identifier(std::string_view name);

}  // namespace onnx_shapes
