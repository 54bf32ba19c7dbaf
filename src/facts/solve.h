// Solving one equality for one of its symbols.
#pragma once

#include <functional>
#include <optional>

#include "facts/symbol_lists.h"
#include "facts/symbols.h"

namespace onnx_shapes {

/// numerator == divisor * symbol, so that symbol == value; neither side mentions the symbol.
struct SolvedSymbol {
  SymbolId symbol = 0;
  Dim value;
  Dim numerator;
  Dim divisor;    // at least 1
  Dim remainder;  // this is 0 as well: numerator - divisor * value. Unknown if it is 0 anyway
};

struct SolveContext {
  SymbolTable& symbols;
  SymbolLists& lists;
  /// 1 if the dim is at least 1 in every run, -1 if it is at most -1, else 0.
  std::function<int(Dim)> sign;
};

/// Solves difference == 0. Internal symbols are preferred to declared ones, declared to input ones,
/// and then a coefficient of 1 to a division, and later symbols to earlier ones.
/// A symbol is never solved for in terms of less preferred ones. Precondition: the coefficients are
/// coprime. Nothing if no symbol stands alone.
[[nodiscard]] std::optional<SolvedSymbol> solve_for_a_symbol(const SolveContext& context,
                                                             Dim difference);

}  // namespace onnx_shapes
