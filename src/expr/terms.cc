// Arithmetic on lists of terms and on monomials.
#include "expr/terms.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "support/int_math.h"

namespace onnx_shapes {
namespace {

/// At most one factor per unit of the degree.
using Factors = std::array<Factor, Pool::kMaxDegree>;

int64_t to_content(uint64_t gcd) {
  return gcd > static_cast<uint64_t>(INT64_MAX) ? 1 : static_cast<int64_t>(gcd);
}

uint64_t gcd_with(uint64_t gcd, int64_t coefficient) {
  return std::gcd(gcd, gcd_magnitude(coefficient, 0));
}

bool push_scaled(const Monomial* monomial, int64_t coefficient, int64_t factor, TermBuffer& out) {
  const std::optional<int64_t> scaled = checked_mul(coefficient, factor);
  return scaled && out.push(monomial, *scaled);
}

}  // namespace

bool merge(Terms a, int64_t ka, Terms b, int64_t kb, TermBuffer& out) {
  size_t i = 0;
  size_t j = 0;
  while (i < a.size() && j < b.size()) {
    if (a[i].monomial->id < b[j].monomial->id) {
      if (!push_scaled(a[i].monomial, a[i].coefficient, ka, out)) return false;
      ++i;
    } else if (b[j].monomial->id < a[i].monomial->id) {
      if (!push_scaled(b[j].monomial, b[j].coefficient, kb, out)) return false;
      ++j;
    } else {
      const std::optional<int64_t> x = checked_mul(a[i].coefficient, ka);
      const std::optional<int64_t> y = checked_mul(b[j].coefficient, kb);
      const std::optional<int64_t> sum = x && y ? checked_add(*x, *y) : std::nullopt;
      if (!sum || !out.push(a[i].monomial, *sum)) return false;
      ++i;
      ++j;
    }
  }
  for (; i < a.size(); ++i) {
    if (!push_scaled(a[i].monomial, a[i].coefficient, ka, out)) return false;
  }
  for (; j < b.size(); ++j) {
    if (!push_scaled(b[j].monomial, b[j].coefficient, kb, out)) return false;
  }
  return true;
}

bool collect(std::vector<Term>& terms) {
  std::sort(terms.begin(), terms.end(),
            [](const Term& x, const Term& y) { return x.monomial->id < y.monomial->id; });
  size_t kept = 0;
  for (size_t i = 0; i < terms.size();) {
    // Wide, so that the order in which the coefficients are added does not matter.
    const Monomial* monomial = terms[i].monomial;
    Wide wide = 0;
    for (; i < terms.size() && terms[i].monomial == monomial; ++i) wide += terms[i].coefficient;
    const auto coefficient = static_cast<int64_t>(wide);
    if (coefficient != wide) return false;
    if (coefficient != 0) terms[kept++] = {monomial, coefficient};
  }
  terms.resize(kept);
  return true;
}

std::optional<std::vector<Term>> multiplied(Pool::Impl& pool, Terms a, Terms b) {
  std::vector<Term> result;
  result.reserve(a.size() * b.size());
  for (const Term& x : a) {
    for (const Term& y : b) {
      const Monomial* monomial = product(pool, x.monomial, y.monomial);
      const std::optional<int64_t> coefficient = checked_mul(x.coefficient, y.coefficient);
      if (monomial == nullptr || !coefficient) return std::nullopt;
      result.push_back({monomial, *coefficient});
    }
  }
  return result;
}

std::optional<int64_t> as_number(Terms terms) {
  if (terms.empty()) return 0;
  if (terms.size() == 1 && terms[0].monomial->id == 0) return terms[0].coefficient;
  return std::nullopt;
}

int64_t coefficient_of(Terms terms, const Monomial* monomial) {
  const auto at = std::lower_bound(terms.begin(), terms.end(), monomial->id,
                                   [](const Term& t, uint32_t id) { return t.monomial->id < id; });
  return at != terms.end() && at->monomial == monomial ? at->coefficient : 0;
}

int64_t constant_part(Terms terms) {
  return !terms.empty() && terms[0].monomial->id == 0 ? terms[0].coefficient : 0;
}

const Atom* single_atom(const Monomial* monomial) {
  const bool single = monomial->factors.size() == 1 && monomial->factors[0].exponent == 1;
  return single ? monomial->factors[0].atom : nullptr;
}

const Atom* single_atom(Dim dim) {
  if (!dim.known() || dim.expr()->terms.size() != 1) return nullptr;
  const Term& term = dim.expr()->terms[0];
  return term.coefficient == 1 ? single_atom(term.monomial) : nullptr;
}

int64_t content(Terms terms) {
  uint64_t gcd = 0;
  for (const Term& term : terms) gcd = gcd_with(gcd, term.coefficient);
  return to_content(gcd);
}

int64_t symbolic_content(Terms terms) {
  return content(constant_part(terms) != 0 ? terms.subspan(1) : terms);
}

const Monomial* product(Pool::Impl& pool, const Monomial* a, const Monomial* b) {
  if (a->id == 0) return b;
  if (b->id == 0) return a;
  if (a->degree + b->degree > Pool::kMaxDegree) return nullptr;
  Factors factors;
  size_t size = 0;
  auto x = a->factors.begin();
  auto y = b->factors.begin();
  while (x != a->factors.end() || y != b->factors.end()) {
    if (y == b->factors.end() || (x != a->factors.end() && x->atom->id < y->atom->id)) {
      factors[size++] = *x++;
    } else if (x == a->factors.end() || y->atom->id < x->atom->id) {
      factors[size++] = *y++;
    } else {
      factors[size++] = {x->atom, x->exponent + y->exponent};
      ++x;
      ++y;
    }
  }
  return pool.monomial({factors.data(), size});
}

const Monomial* quotient(Pool::Impl& pool, const Monomial* a, const Monomial* b) {
  if (b->id == 0) return a;
  Factors factors;
  size_t size = 0;
  auto y = b->factors.begin();
  for (const Factor& x : a->factors) {
    uint32_t exponent = x.exponent;
    if (y != b->factors.end() && y->atom == x.atom) {
      if (y->exponent > exponent) return nullptr;
      exponent -= y->exponent;
      ++y;
    }
    if (exponent != 0) factors[size++] = {x.atom, exponent};
  }
  return y == b->factors.end() ? pool.monomial({factors.data(), size}) : nullptr;
}

const Monomial* common_factor(Pool::Impl& pool, const Monomial* a, const Monomial* b) {
  Factors factors;
  size_t size = 0;
  auto y = b->factors.begin();
  for (const Factor& x : a->factors) {
    while (y != b->factors.end() && y->atom->id < x.atom->id) ++y;
    if (y == b->factors.end()) break;
    if (y->atom == x.atom) factors[size++] = {x.atom, std::min(x.exponent, y->exponent)};
  }
  return pool.monomial({factors.data(), size});
}

const Monomial* common_factor(Pool::Impl& pool, Terms terms) {
  if (terms.empty()) return pool.one();
  const Monomial* common = terms[0].monomial;
  for (size_t i = 1; i < terms.size() && common->id != 0; ++i) {
    common = common_factor(pool, common, terms[i].monomial);
  }
  return common;
}

const Monomial* non_negative_part(Pool::Impl& pool, const Monomial* monomial) {
  Factors factors;
  size_t size = 0;
  for (const Factor& factor : monomial->factors) {
    const bool any_sign = factor.atom->bounds.lo < 0;
    const uint32_t exponent = factor.exponent - (any_sign ? factor.exponent % 2 : 0);
    if (exponent != 0) factors[size++] = {factor.atom, exponent};
  }
  return pool.monomial({factors.data(), size});
}

Dim without_term(Pool::Impl& pool, Dim a, const Monomial* monomial) {
  TermBuffer rest;
  for (const Term& term : a.expr()->terms) {
    if (term.monomial != monomial && !rest.push(term.monomial, term.coefficient)) return Dim();
  }
  return pool.sum(rest.terms());
}

std::vector<Term> divided(Pool::Impl& pool, Terms terms, const Monomial* monomial, int64_t number) {
  std::vector<Term> result;
  result.reserve(terms.size());
  for (const Term& term : terms) {
    result.push_back({quotient(pool, term.monomial, monomial), term.coefficient / number});
  }
  std::sort(result.begin(), result.end(),
            [](const Term& x, const Term& y) { return x.monomial->id < y.monomial->id; });
  return result;
}

bool graded_less(const Monomial& a, const Monomial& b) {
  if (a.degree != b.degree) return a.degree < b.degree;
  const size_t shared = std::min(a.factors.size(), b.factors.size());
  for (size_t i = 0; i < shared; ++i) {
    const Factor& x = a.factors[i];
    const Factor& y = b.factors[i];
    if (x.atom != y.atom) return x.atom->id > y.atom->id;
    if (x.exponent != y.exponent) return x.exponent < y.exponent;
  }
  return a.factors.size() < b.factors.size();
}

const Term& leading(Terms terms) {
  const Term* best = &terms[0];
  for (const Term& term : terms) {
    if (graded_less(*best->monomial, *term.monomial)) best = &term;
  }
  return *best;
}

}  // namespace onnx_shapes
