#include "anchors/names.h"

#include <algorithm>

namespace onnx_shapes {
namespace {

/// More passes than this over one sum cannot be needed by rules that each make it shorter, and
/// would be slow for a hostile model.
constexpr int kMaxPasses = 16;

/// How much there is to read in an expression.
size_t length_of(const Expr& expr) {
  size_t length = 0;
  for (const Term& term : expr.terms) {
    length += term.coefficient == 1 || term.monomial->degree == 0 ? 1 : 2;
    for (const Factor& factor : term.monomial->factors) {
      size_t atom = 1;
      for (const Expr* operand : factor.atom->operands) atom += length_of(*operand);
      length += atom * factor.exponent;
    }
  }
  return length;
}

}  // namespace

bool over_input_names(const Inference& inference, Dim dim) {
  bool all = dim.known();
  for_each_symbol(dim, [&](SymbolId symbol) {
    all = all && inference.symbols->info(symbol).kind == SymbolKind::kInput;
  });
  return all;
}

Namer::Namer(const Inference& inference)
    : inference_(inference), knowledge_(*inference.constraints->knowledge()) {
  for (const Solution& solution : inference.constraints->solutions()) {
    add_rule(solution.value, inference.pool->symbol(solution.symbol));
  }
  // What cannot be solved for a symbol, since the compound has it too: `c == 2*(c//2)`.
  for (const Equality& equality : inference.constraints->equalities()) {
    const Dim a = inference.constraints->resolve(equality.a);
    const Dim b = inference.constraints->resolve(equality.b);
    add_rule(a, b);
    add_rule(b, a);
  }
  for (const KnownFact& fact : knowledge_.facts()) {
    if (fact.active && fact.equality) add_shorter(fact.form);
  }
}

/// With `max(..) - N//2 == 0`, the maximum is written `N//2`: an operator or anchor has proved two
/// compounds of the inputs' names equal, and one of them is shorter.
void Namer::add_shorter(const Linear& form) {
  const Term& lead = leading(form);
  if (lead.monomial->degree != 1 || (lead.coefficient != 1 && lead.coefficient != -1)) return;
  const Atom* atom = lead.monomial->factors.front().atom;
  if (atom->kind == AtomKind::kSymbol) return;
  const Dim compound = to_dim(*inference_.pool, linear(lead.monomial));
  const Dim rest = compound - to_dim(*inference_.pool, form) * lead.coefficient;
  if (!compound.known() || !rest.known() || !over_input_names(inference_, compound) ||
      !over_input_names(inference_, rest)) {
    return;
  }
  if (length_of(*rest.expr()) < length_of(*compound.expr()))
    shorter_.emplace(compound.expr(), rest);
}

void Namer::add_rule(Dim compound, Dim symbol) {
  const std::optional<SymbolId> id = symbol.known() ? as_symbol(symbol) : std::nullopt;
  if (!id || !compound.known() || compound.number() || as_symbol(compound)) return;
  const auto same = [&](const Rule& rule) {
    return rule.compound == compound && rule.symbol == symbol;
  };
  if (over_input_names(inference_, symbol) && over_input_names(inference_, compound) &&
      std::none_of(rules_.begin(), rules_.end(), same)) {
    rules_.push_back({compound, symbol});
  }
}

Dim Namer::rewritten_product(const Term& term) {
  Dim product = inference_.pool->constant(term.coefficient);
  if (const auto number = knowledge_.number_of(*term.monomial)) {
    return product * inference_.pool->constant(*number);
  }
  for (const Factor& factor : term.monomial->factors) {
    const std::optional<int64_t> number = knowledge_.number_of(*factor.atom);
    Dim atom = number ? inference_.pool->constant(*number) : rebuilt(*factor.atom);
    const auto shorter = atom.known() ? shorter_.find(atom.expr()) : shorter_.end();
    if (shorter != shorter_.end()) atom = rewrite(shorter->second);
    for (uint32_t i = 0; i < factor.exponent; ++i) product = product * atom;
  }
  return product;
}

/// The atom with its operands rewritten.
Dim Namer::rebuilt(const Atom& atom) {
  if (atom.kind == AtomKind::kSymbol) return inference_.pool->symbol(atom.symbol);
  Dim result = rewrite(Dim(atom.operands[0]));
  for (const Expr* other : atom.operands.subspan(1)) {
    const Dim next = rewrite(Dim(other));
    switch (atom.kind) {
      case AtomKind::kFloorDiv:
        result = floor_div(result, next);
        break;
      case AtomKind::kMax:
        result = max(result, next);
        break;
      case AtomKind::kMin:
        result = min(result, next);
        break;
      case AtomKind::kBroadcast:
        result = broadcast(result, next);
        break;
      case AtomKind::kSymbol:
        break;
    }
  }
  return result;
}

/// `dim - k*compound + k*symbol` for the k that cancels one term of `dim`, where that is shorter.
Dim Namer::folded(Dim dim, const Rule& rule) {
  Pool& pool = *inference_.pool;
  for (const Term& lead : rule.compound.expr()->terms) {
    if (lead.monomial->degree == 0) continue;
    const Dim divisor = to_dim(pool, linear(lead.monomial, lead.coefficient));
    for (const Term& term : dim.expr()->terms) {
      if (term.monomial->degree == 0) continue;
      const Dim k = exact_quotient(to_dim(pool, linear(term.monomial, term.coefficient)), divisor);
      if (!k.known()) continue;
      const Dim candidate = dim - k * rule.compound + k * rule.symbol;
      if (candidate.known() && length_of(*candidate.expr()) < length_of(*dim.expr())) {
        return candidate;
      }
    }
  }
  return dim;
}

Dim Namer::rewrite(Dim dim) {
  if (dim.number() || as_symbol(dim)) return dim;
  if (const auto known = memo_.find(dim.expr()); known != memo_.end()) return known->second;
  Dim result = inference_.pool->constant(0);
  for (const Term& term : dim.expr()->terms) {
    result = result + rewritten_product(term);
  }
  for (int pass = 0; pass < kMaxPasses && result.known(); ++pass) {
    const Dim before = result;
    for (const Rule& rule : rules_) result = folded(result, rule);
    if (result == before) break;
  }
  if (!result.known()) result = dim;
  return memo_[dim.expr()] = result;
}

Dim Namer::operator()(Dim dim) {
  if (!dim.known()) return dim;
  const Dim resolved = inference_.constraints->resolve(dim);
  return rules_.empty() && knowledge_.knows_nothing_of(resolved) ? resolved : rewrite(resolved);
}

}  // namespace onnx_shapes
