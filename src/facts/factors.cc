// Factors by what a form that is linear in one atom has in common, and division to check it.
#include "facts/factors.h"

#include <algorithm>
#include <numeric>

#include "expr/pool_impl.h"

namespace onnx_shapes {
namespace {

/// More terms than that cost more to take apart than the answer is worth.
constexpr size_t kMaxTerms = 24;

/// Lexicographic, the newest atom first: an order that products keep, which division needs.
bool lexicographically_before(const Monomial& a, const Monomial& b) {
  const auto [left, right] =
      std::mismatch(a.factors.rbegin(), a.factors.rend(), b.factors.rbegin(), b.factors.rend());
  if (right == b.factors.rend()) return false;
  if (left == a.factors.rend()) return true;
  if (left->atom != right->atom) return left->atom->id < right->atom->id;
  return left->exponent < right->exponent;
}

/// Precondition: there is a term.
const Term& first_term(const Linear& form) {
  return *std::max_element(form.terms.begin(), form.terms.end(), [](const Term& a, const Term& b) {
    return lexicographically_before(*a.monomial, *b.monomial);
  });
}

/// The quotient if the divisor leaves no remainder. Precondition: the divisor has a term.
std::optional<Linear> exact_quotient(Pool& pool, Linear form, const Linear& divisor) {
  const Term lead = first_term(divisor);
  Linear quotient_form;
  for (size_t step = 0; step < kMaxTerms; ++step) {
    if (form.is_constant()) return form.constant == 0 ? std::optional(quotient_form) : std::nullopt;
    const Term top = first_term(form);
    if (!divides(*lead.monomial, *top.monomial) || top.coefficient % lead.coefficient != 0) {
      return std::nullopt;
    }
    const Linear part =
        linear(quotient(pool, top.monomial, lead.monomial), top.coefficient / lead.coefficient);
    const std::optional<Linear> multiple = product(pool, divisor, part);
    std::optional<Linear> rest = multiple ? combine(form, 1, *multiple, -1) : std::nullopt;
    std::optional<Linear> sum = combine(quotient_form, 1, part, 1);
    if (!rest || !sum) return std::nullopt;
    form = std::move(*rest);
    quotient_form = std::move(*sum);
  }
  return std::nullopt;
}

/// Takes the atoms that all terms have out of the form, one after the other.
void take_atoms(Pool& pool, Linear& form, std::vector<Linear>& taken) {
  if (form.constant != 0 || form.terms.empty()) return;
  const Monomial& first = *form.terms.front().monomial;
  for (const Factor& factor : first.factors) {
    const Monomial* atom = monomial(pool, *factor.atom);
    for (uint32_t i = 0; i < factor.exponent; ++i) {
      std::optional<Linear> rest = form.constant == 0 ? divided(pool, form, atom) : std::nullopt;
      if (!rest) break;
      form = std::move(*rest);
      taken.push_back(linear(atom));
    }
  }
}

/// Divides by the greatest common divisor of all coefficients.
void take_number(Linear& form) {
  const int64_t divisor = std::gcd(content(form), form.constant);
  if (divisor < 2) return;
  form.constant /= divisor;
  for (Term& term : form.terms) term.coefficient /= divisor;
}

/// The atoms of which the form has no power, and no product of the form has twice.
std::vector<const Atom*> linear_atoms(const Linear& form) {
  std::vector<const Atom*> once;
  std::vector<const Atom*> more;
  for (const Term& term : form.terms) {
    for (const Factor& factor : term.monomial->factors) {
      std::vector<const Atom*>& list = factor.exponent == 1 ? once : more;
      if (std::find(list.begin(), list.end(), factor.atom) == list.end()) {
        list.push_back(factor.atom);
      }
    }
  }
  std::erase_if(once, [&](const Atom* atom) {
    return std::find(more.begin(), more.end(), atom) != more.end();
  });
  std::sort(once.begin(), once.end(), [](const Atom* a, const Atom* b) { return a->id > b->id; });
  return once;
}

/// A in form = A*atom + B.
Linear coefficient_of(Pool& pool, const Linear& form, const Atom& atom) {
  const Monomial* single = monomial(pool, atom);
  Linear with_atom;
  for (const Term& term : form.terms) {
    if (divides(*single, *term.monomial)) with_atom.terms.push_back(term);
  }
  return divided(pool, with_atom, single).value_or(Linear{});
}

/// A factor that is no constant and has more than one term; nothing if none is found.
std::optional<Linear> some_factor(Pool& pool, const Linear& form) {
  for (const Atom* atom : linear_atoms(form)) {
    Linear part = coefficient_of(pool, form, *atom);
    std::vector<Linear> bare;
    take_atoms(pool, part, bare);
    take_number(part);
    // With a constant or a lone product for A there is nothing that A and B have in common: what
    // all terms have is taken out before.
    if (part.is_constant()) continue;
    if (exact_quotient(pool, form, part)) return part;
  }
  return std::nullopt;
}

}  // namespace

std::vector<Linear> factors(Pool& pool, const Linear& form) {
  std::vector<Linear> found;
  std::vector<Linear> open{form};
  while (!open.empty()) {
    Linear next = std::move(open.back());
    open.pop_back();
    take_number(next);
    take_atoms(pool, next, found);
    if (next == Linear{1, {}}) continue;
    std::optional<Linear> factor;
    if (next.terms.size() >= 2 && next.terms.size() <= kMaxTerms) factor = some_factor(pool, next);
    const std::optional<Linear> rest = factor ? exact_quotient(pool, next, *factor) : std::nullopt;
    if (rest) {
      open.push_back(std::move(*factor));
      open.push_back(*rest);
    } else {
      found.push_back(std::move(next));
    }
  }
  return found;
}

}  // namespace onnx_shapes
