// Replaces symbols by dims and brings the result into normal form again.
#include <unordered_map>
#include <utility>
#include <vector>

#include "expr/normal_form.h"
#include "expr/terms.h"

namespace onnx_shapes {

struct Substitution::Memo {
  std::unordered_map<const Expr*, Dim> exprs;
  std::unordered_map<const Atom*, Dim> atoms;
};

namespace {

Dim rebuilt(Pool::Impl& pool, AtomKind kind, const std::vector<Dim>& operands) {
  switch (kind) {
    case AtomKind::kSymbol:
      return Dim();
    case AtomKind::kFloorDiv:
      return never_positive(operands[1]) ? Dim() : divide(pool, operands[0], operands[1]);
    case AtomKind::kMax:
    case AtomKind::kMin:
      return extremum(pool, kind, operands);
    case AtomKind::kBroadcast:
      return broadcast_of(pool, operands);
  }
  return Dim();
}

/// One walk; every node is replaced once.
class Replacement {
 public:
  Replacement(Pool::Impl& pool, const std::function<Dim(SymbolId)>& symbol,
              std::unordered_map<const Expr*, Dim>& exprs,
              std::unordered_map<const Atom*, Dim>& atoms)
      : pool_(pool), symbol_(symbol), exprs_(exprs), atoms_(atoms) {}

  [[nodiscard]] Dim of(const Expr& expr) {
    if (const auto at = exprs_.find(&expr); at != exprs_.end()) return at->second;
    const Dim result = sum(expr);
    exprs_.emplace(&expr, result);
    return result;
  }

 private:
  [[nodiscard]] Dim sum(const Expr& expr) {
    TermBuffer kept;
    Dim changed = pool_.number(0);
    for (const Term& term : expr.terms) {
      if (!changes(*term.monomial)) {
        if (!kept.push(term.monomial, term.coefficient)) return Dim();
        continue;
      }
      const Dim product = of(*term.monomial);
      if (!product.known()) return Dim();
      changed = add_scaled(pool_, changed, 1, product, term.coefficient);
      if (!changed.known()) return Dim();
    }
    if (kept.terms().size() == expr.terms.size()) return Dim(&expr);
    return add_scaled(pool_, pool_.sum(kept.terms()), 1, changed, 1);
  }

  [[nodiscard]] bool changes(const Monomial& monomial) {
    for (const Factor& factor : monomial.factors) {
      if (of(*factor.atom) != pool_.dim(factor.atom)) return true;
    }
    return false;
  }

  [[nodiscard]] Dim of(const Monomial& monomial) {
    Dim product = pool_.number(1);
    for (const Factor& factor : monomial.factors) {
      const Dim base = of(*factor.atom);
      const Dim power = base.known() ? onnx_shapes::power(pool_, base, factor.exponent) : Dim();
      product = power.known() ? multiply(pool_, product, power) : Dim();
      if (!product.known()) return product;
    }
    return product;
  }

  [[nodiscard]] Dim of(const Atom& atom) {
    if (const auto at = atoms_.find(&atom); at != atoms_.end()) return at->second;
    const Dim result = replaced(atom);
    atoms_.emplace(&atom, result);
    return result;
  }

  [[nodiscard]] Dim replaced(const Atom& atom) {
    if (atom.kind == AtomKind::kSymbol) {
      const Dim replacement = symbol_(atom.symbol);
      return replacement.known() ? replacement : pool_.dim(&atom);
    }
    std::vector<Dim> operands;
    bool changed = false;
    for (const Expr* operand : atom.operands) {
      operands.push_back(of(*operand));
      if (!operands.back().known()) return Dim();
      changed = changed || operands.back().expr() != operand;
    }
    return changed ? rebuilt(pool_, atom.kind, operands) : pool_.dim(&atom);
  }

  Pool::Impl& pool_;
  const std::function<Dim(SymbolId)>& symbol_;
  std::unordered_map<const Expr*, Dim>& exprs_;
  std::unordered_map<const Atom*, Dim>& atoms_;
};

}  // namespace

Substitution::Substitution(std::function<Dim(SymbolId)> replacement)
    : replacement_(std::move(replacement)), memo_(std::make_unique<Memo>()) {}

Substitution::~Substitution() = default;

Dim Substitution::operator()(Dim dim) {
  if (!dim.known()) return dim;
  Pool::Impl& pool = dim.expr()->pool->impl();
  return pool.checked(Replacement(pool, replacement_, memo_->exprs, memo_->atoms).of(*dim.expr()));
}

}  // namespace onnx_shapes
