// Questions about the structure of a dim.
#include <algorithm>
#include <unordered_set>
#include <vector>

#include "expr/expr.h"
#include "expr/terms.h"

namespace onnx_shapes {
namespace {

/// Walks every distinct atom once.
class SymbolCollector {
 public:
  void visit(const Expr& expr) {
    for (const Term& term : expr.terms) {
      for (const Factor& factor : term.monomial->factors) visit(*factor.atom);
    }
  }

  [[nodiscard]] std::vector<SymbolId> sorted() {
    std::sort(symbols_.begin(), symbols_.end());
    symbols_.erase(std::unique(symbols_.begin(), symbols_.end()), symbols_.end());
    return symbols_;
  }

 private:
  void visit(const Atom& atom) {
    if (atom.kind == AtomKind::kSymbol) {
      symbols_.push_back(atom.symbol);
    } else if (seen_.insert(&atom).second) {
      for (const Expr* operand : atom.operands) visit(*operand);
    }
  }

  std::vector<SymbolId> symbols_;
  std::unordered_set<const Atom*> seen_;
};

std::vector<SymbolId> symbols_of(Dim dim) {
  if (!dim.known()) return {};
  SymbolCollector collector;
  collector.visit(*dim.expr());
  return collector.sorted();
}

}  // namespace

std::optional<SymbolId> as_symbol(Dim dim) {
  const Atom* atom = single_atom(dim);
  if (atom == nullptr || atom->kind != AtomKind::kSymbol) return std::nullopt;
  return atom->symbol;
}

void for_each_symbol(Dim dim, const std::function<void(SymbolId)>& visit) {
  for (const SymbolId symbol : symbols_of(dim)) visit(symbol);
}

bool mentions(Dim dim, SymbolId symbol) {
  const std::vector<SymbolId> symbols = symbols_of(dim);
  return std::binary_search(symbols.begin(), symbols.end(), symbol);
}

}  // namespace onnx_shapes
