// Picks the symbol to eliminate from an equality and says what it equals.
#include "facts/solve.h"

#include <vector>

namespace onnx_shapes {
namespace {

/// How a symbol stands in a sum: `symbol * factor + rest`, with neither mentioning the symbol.
struct Candidate {
  SymbolId symbol = 0;
  const Term* single = nullptr;  // the term, if it is a coefficient times the bare symbol
};

/// Whether the symbol occurs in first degree only and inside no other atom.
std::optional<Candidate> stands_alone(const SolveContext& context, Dim difference,
                                      SymbolId symbol) {
  Candidate candidate{symbol, nullptr};
  size_t occurrences = 0;
  for (const Term& term : difference.expr()->terms) {
    for (const Factor& factor : term.monomial->factors) {
      if (factor.atom->kind != AtomKind::kSymbol) {
        for (const Expr* operand : factor.atom->operands) {
          if (context.lists.mentions(Dim(operand), symbol)) return std::nullopt;
        }
      } else if (factor.atom->symbol == symbol) {
        if (factor.exponent != 1) return std::nullopt;
        ++occurrences;
        candidate.single = term.monomial->degree == 1 ? &term : nullptr;
      }
    }
  }
  if (occurrences != 1) candidate.single = nullptr;
  return candidate;
}

/// Who says what a symbol stands for, those first that readers know best.
enum class Rank : uint8_t { kInput, kDeclared, kNamelessInput, kInternal };

/// A dim of an input that has no name is the caller's to choose, as one that has.
Rank rank_of(const SymbolTable& symbols, SymbolId symbol) {
  if (symbol >= symbols.size()) return Rank::kInternal;
  const SymbolInfo& info = symbols.info(symbol);
  if (info.kind == SymbolKind::kInput) return Rank::kInput;
  if (info.kind == SymbolKind::kDeclared) return Rank::kDeclared;
  return info.origin.kind == Origin::Kind::kAnchor ? Rank::kNamelessInput : Rank::kInternal;
}

class OneEquality {
 public:
  OneEquality(const SolveContext& context, Dim difference)
      : context_(context), difference_(difference), pool_(context.symbols.pool()) {}

  std::optional<SolvedSymbol> solve() {
    for (const Rank rank : {Rank::kInternal, Rank::kNamelessInput, Rank::kDeclared, Rank::kInput}) {
      const std::vector<Candidate> candidates = candidates_of(rank);
      for (const auto way :
           {&OneEquality::by_unit, &OneEquality::by_exact_quotient, &OneEquality::by_division}) {
        for (const Candidate& candidate : candidates) {
          std::optional<SolvedSymbol> solved = (this->*way)(candidate);
          if (solved) return solved;
        }
      }
    }
    return std::nullopt;
  }

 private:
  std::vector<Candidate> candidates_of(Rank rank) {
    std::vector<Candidate> result;
    const std::span<const SymbolId> all = context_.lists.of(difference_);
    for (auto symbol = all.rbegin(); symbol != all.rend(); ++symbol) {
      if (rank_of(context_.symbols, *symbol) != rank) continue;
      const std::optional<Candidate> candidate = stands_alone(context_, difference_, *symbol);
      if (candidate) result.push_back(*candidate);
    }
    return result;
  }

  std::optional<SolvedSymbol> by_unit(const Candidate& candidate) {
    if (candidate.single == nullptr) return std::nullopt;
    const int64_t coefficient = candidate.single->coefficient;
    if (coefficient != 1 && coefficient != -1) return std::nullopt;
    const Dim rest = difference_ - pool_.symbol(candidate.symbol) * coefficient;
    return checked(
        {candidate.symbol, rest * -coefficient, rest * -coefficient, pool_.constant(1), Dim()});
  }

  /// u * N - 4 * N == 0 gives u == 4, but only if N cannot be 0.
  std::optional<SolvedSymbol> by_exact_quotient(const Candidate& candidate) {
    if (candidate.single != nullptr) return std::nullopt;
    const Dim rest = without(candidate.symbol);
    const Dim factor = factor_of(candidate.symbol, rest);
    const Dim quotient = exact_quotient(rest, factor);
    if (!quotient.known() || context_.sign(factor) == 0) return std::nullopt;
    return checked({candidate.symbol, -quotient, -quotient, pool_.constant(1), Dim()});
  }

  /// 2 * u == K gives u == K // 2, and K is even.
  std::optional<SolvedSymbol> by_division(const Candidate& candidate) {
    Dim divisor;
    Dim numerator;
    if (candidate.single != nullptr) {
      const int64_t coefficient = candidate.single->coefficient;
      numerator = difference_ - pool_.symbol(candidate.symbol) * coefficient;
      divisor = pool_.constant(coefficient);
    } else {
      numerator = without(candidate.symbol);
      divisor = factor_of(candidate.symbol, numerator);
      if (!may_divide(candidate.symbol, divisor)) return std::nullopt;
    }
    const int sign = divisor.known() ? context_.sign(divisor) : 0;
    if (sign == 0) return std::nullopt;
    if (sign > 0) {
      numerator = -numerator;
    } else {
      divisor = -divisor;
    }
    const Dim value = floor_div(numerator, divisor);
    return checked({candidate.symbol, value, numerator, divisor, numerator - divisor * value});
  }

  /// A quotient by input symbols may stand for an internal one; anything else would only replace
  /// one unknown by a less readable one. An internal symbol that was written into a model is a
  /// declared one when that is read again, and stands for itself then too.
  bool may_divide(SymbolId symbol, Dim divisor) {
    if (rank_of(context_.symbols, symbol) != Rank::kInternal) return false;
    for (const SymbolId other : context_.lists.of(divisor)) {
      if (rank_of(context_.symbols, other) != Rank::kInput) return false;
    }
    return true;
  }

  Dim without(SymbolId symbol) {
    Substitution zero(
        [this, symbol](SymbolId s) { return s == symbol ? pool_.constant(0) : Dim(); });
    return zero(difference_);
  }

  Dim factor_of(SymbolId symbol, Dim rest) {
    return exact_quotient(difference_ - rest, pool_.symbol(symbol));
  }

  std::optional<SolvedSymbol> checked(const SolvedSymbol& solved) {
    if (!solved.value.known() || !solved.numerator.known() || !solved.divisor.known()) {
      return std::nullopt;
    }
    if (context_.lists.mentions(solved.value, solved.symbol)) return std::nullopt;
    // A name that the author gave and a dim of an input are not replaced by what inference made,
    // nor an input's name by an output's; such an equality stays a fact.
    const Rank rank = rank_of(context_.symbols, solved.symbol);
    for (const SymbolId other : context_.lists.of(solved.value)) {
      if (rank_of(context_.symbols, other) > rank) return std::nullopt;
    }
    return solved;
  }

  const SolveContext& context_;
  Dim difference_;
  Pool& pool_;
};

}  // namespace

std::optional<SolvedSymbol> solve_for_a_symbol(const SolveContext& context, Dim difference) {
  if (!difference.known()) return std::nullopt;
  return OneEquality(context, difference).solve();
}

}  // namespace onnx_shapes
