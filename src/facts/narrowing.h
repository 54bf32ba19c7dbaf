// Intervals of expressions when some symbols are known to be in narrower ranges than the pool says.
#pragma once

#include <unordered_map>

#include "expr/expr.h"

namespace onnx_shapes {

/// The narrowed ranges, and what follows from them by interval arithmetic. Answers are remembered
/// until a range changes.
class Narrowing {
 public:
  [[nodiscard]] Interval of(const Expr& expr);
  [[nodiscard]] Interval of(const Monomial& monomial);
  [[nodiscard]] Interval of(const Atom& atom);
  [[nodiscard]] Interval of(Dim dim) { return dim.known() ? of(*dim.expr()) : Interval::all(); }

  /// Replaces the range of a symbol.
  void set(SymbolId symbol, Interval range);
  void erase(SymbolId symbol);
  [[nodiscard]] bool empty() const { return ranges_.empty(); }

 private:
  [[nodiscard]] Interval computed(const Atom& atom);

  std::unordered_map<SymbolId, Interval> ranges_;
  std::unordered_map<const Atom*, Interval> memo_;
};

}  // namespace onnx_shapes
