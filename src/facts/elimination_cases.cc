// Case splits: an extremum is one of its operands, and a broadcast too.
#include <algorithm>
#include <utility>

#include "facts/elimination.h"

namespace onnx_shapes {

/// What holds in every case holds.
void Elimination::by_cases(Search& search, const Atom& atom) {
  const bool extremum = atom.kind == AtomKind::kMax || atom.kind == AtomKind::kMin;
  if (!extremum && atom.kind != AtomKind::kBroadcast) return;
  if (atom.operands.size() > kMaxOperands) return;
  std::vector<Linear> operands;
  for (const Expr* operand : atom.operands) {
    std::optional<Linear> form = linear(Dim(operand));
    if (!form) return;
    operands.push_back(std::move(*form));
  }
  int64_t least = Interval::kInf;
  bool hopeless = false;  // then the other cases do not matter
  const auto consider = [&](size_t i, std::vector<Assumption> assumptions) {
    if (hopeless) return;
    least = std::min(least, in_case(search, atom, operands[i], std::move(assumptions)));
    hopeless =
        least == Interval::kNegInf || (search.target != Interval::kInf && least < search.target);
  };
  const auto difference = [&](size_t i, size_t j) {
    return combine(operands[i], 1, operands[j], -1);
  };
  if (extremum) {
    for (size_t i = 0; i < operands.size(); ++i) {
      std::vector<Assumption> assumptions;
      for (size_t j = 0; j < operands.size(); ++j) {
        if (i == j) continue;
        const std::optional<Linear> form =
            atom.kind == AtomKind::kMax ? difference(i, j) : difference(j, i);
        if (form) assumptions.push_back({*form, false});
      }
      consider(i, std::move(assumptions));
    }
  } else if (operands.size() == 2) {
    const Linear minus_one{-1, {}};
    const std::optional<Linear> first_is_1 = combine(operands[0], 1, minus_one, 1);
    const std::optional<Linear> second_is_1 = combine(operands[1], 1, minus_one, 1);
    const std::optional<Linear> same = difference(0, 1);
    if (!first_is_1 || !second_is_1 || !same) return;
    consider(1, {{*first_is_1, true}});
    consider(0, {{*second_is_1, true}});
    consider(0, {{*same, true}});
  } else {
    for (size_t i = 0; i < operands.size(); ++i) consider(i, {});
  }
  if (!hopeless && least != Interval::kInf) search.found(least);
}

/// The lower bound where the atom has this value; kInf if the case cannot be.
int64_t Elimination::in_case(const Search& search, const Atom& atom, const Linear& value,
                             std::vector<Assumption> assumptions) {
  if (std::any_of(assumptions.begin(), assumptions.end(),
                  [this](const Assumption& assumption) { return impossible(assumption); })) {
    return Interval::kInf;
  }
  const std::optional<Linear> form = replaced(search.form, atom, value);
  if (!form) return Interval::kNegInf;
  const size_t outer_size = assumptions_.size();
  const uint32_t outer_context = context_;
  context_ = next_context_++;
  // What was assumed of the atom is now assumed of its value.
  for (size_t i = 0; i < outer_size; ++i) {
    std::optional<Linear> known = replaced(assumptions_[i].form, atom, value);
    if (known && *known != assumptions_[i].form) {
      assumptions.push_back({std::move(*known), assumptions_[i].equality});
    }
  }
  for (Assumption& assumption : assumptions) {
    if (assumptions_.size() >= kMaxAssumptions) break;
    if (!assumption.form.is_constant()) assumptions_.push_back(std::move(assumption));
  }
  const int64_t bound = lower_within(*form, search.target, search.depth - 1);
  assumptions_.resize(outer_size);
  context_ = outer_context;
  return bound;
}

bool Elimination::impossible(const Assumption& assumption) {
  const Linear& form = assumption.form;
  const std::optional<Linear> opposite = combine(form, -1, Linear{}, 0);
  if (!opposite) return false;
  const auto least = [this](const Linear& of) {
    Linear without_constant = of;
    without_constant.constant = 0;
    const int64_t bound = of.is_constant() ? 0 : interval_lower(without_constant);
    return bound == Interval::kNegInf ? std::pair{false, int64_t{0}} : std::pair{true, bound};
  };
  const auto above_zero = [&](const Linear& of) {
    const auto [known, bound] = least(of);
    return known && bound > -of.constant;
  };
  return above_zero(*opposite) || (assumption.equality && above_zero(form));
}

std::optional<Linear> Elimination::replaced(const Linear& form, const Atom& atom,
                                            const Linear& value) {
  Linear result;
  result.constant = form.constant;
  for (const Term& term : form.terms) {
    const std::span<const Factor> factors = term.monomial->factors;
    const auto factor = std::find_if(factors.begin(), factors.end(),
                                     [&](const Factor& f) { return f.atom == &atom; });
    std::optional<Linear> part;
    if (factor == factors.end()) {
      part = linear(term.monomial, term.coefficient);
    } else {
      const Factor power[] = {*factor};
      const Monomial* rest = quotient(pool_, term.monomial, monomial(pool_, power));
      part = linear(rest, term.coefficient);
      for (uint32_t i = 0; i < factor->exponent && part; ++i) part = product(pool_, *part, value);
    }
    if (!part) return std::nullopt;
    std::optional<Linear> sum = combine(result, 1, *part, 1);
    if (!sum) return std::nullopt;
    result = std::move(*sum);
  }
  return result;
}

}  // namespace onnx_shapes
