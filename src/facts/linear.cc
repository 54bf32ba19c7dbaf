// Arithmetic on linear forms: merges of sorted terms, every number checked.
#include "facts/linear.h"

#include <algorithm>
#include <numeric>

#include "expr/pool_impl.h"
#include "support/int_math.h"

namespace onnx_shapes {
namespace {

std::optional<int64_t> limited(Wide value) {
  if (value >= Linear::kLimit || value <= -Linear::kLimit) return std::nullopt;
  return static_cast<int64_t>(value);
}

/// Sorts the terms and adds up those of one monomial; false if a number gets too large.
bool collect(Linear& form) {
  std::sort(form.terms.begin(), form.terms.end(),
            [](const Term& a, const Term& b) { return a.monomial->id < b.monomial->id; });
  size_t kept = 0;
  for (size_t i = 0; i < form.terms.size();) {
    const Monomial* monomial = form.terms[i].monomial;
    Wide sum = 0;
    for (; i < form.terms.size() && form.terms[i].monomial == monomial; ++i) {
      sum += form.terms[i].coefficient;
    }
    const std::optional<int64_t> coefficient = limited(sum);
    if (!coefficient) return false;
    if (*coefficient != 0) form.terms[kept++] = {monomial, *coefficient};
  }
  form.terms.resize(kept);
  return kept <= Linear::kMaxTerms;
}

}  // namespace

int64_t Linear::coefficient(const Monomial* monomial) const {
  const auto found =
      std::lower_bound(terms.begin(), terms.end(), monomial->id,
                       [](const Term& term, uint32_t id) { return term.monomial->id < id; });
  return found != terms.end() && found->monomial == monomial ? found->coefficient : 0;
}

std::optional<Linear> linear(Dim dim) {
  if (!dim.known()) return std::nullopt;
  Linear form;
  form.terms.reserve(dim.expr()->terms.size());
  for (const Term& term : dim.expr()->terms) {
    if (!limited(term.coefficient)) return std::nullopt;
    if (term.monomial->factors.empty()) {
      form.constant = term.coefficient;
    } else {
      form.terms.push_back(term);
    }
  }
  return form;
}

Linear linear(const Monomial* monomial, int64_t coefficient) {
  Linear form;
  if (monomial->factors.empty()) {
    form.constant = coefficient;
  } else if (coefficient != 0) {
    form.terms.push_back({monomial, coefficient});
  }
  return form;
}

const Monomial* monomial(Pool& pool, std::span<const Factor> factors) {
  return pool.impl().monomial(factors);
}

const Monomial* monomial(Pool& pool, const Atom& atom) {
  const Factor once{&atom, 1};
  return pool.impl().monomial({&once, 1});
}

std::optional<Linear> combine(const Linear& a, int64_t ka, const Linear& b, int64_t kb) {
  if (!limited(ka) || !limited(kb)) return std::nullopt;
  Linear sum;
  const auto scaled = [&](int64_t x, int64_t y) {
    return limited(static_cast<Wide>(x) * ka + static_cast<Wide>(y) * kb);
  };
  const std::optional<int64_t> constant = scaled(a.constant, b.constant);
  if (!constant) return std::nullopt;
  sum.constant = *constant;
  sum.terms.reserve(a.terms.size() + b.terms.size());
  size_t i = 0;
  size_t j = 0;
  while (i < a.terms.size() || j < b.terms.size()) {
    const Monomial* left = i < a.terms.size() ? a.terms[i].monomial : nullptr;
    const Monomial* right = j < b.terms.size() ? b.terms[j].monomial : nullptr;
    const bool take_left = left != nullptr && (right == nullptr || left->id <= right->id);
    const bool take_right = right != nullptr && (left == nullptr || right->id <= left->id);
    const Monomial* monomial = take_left ? left : right;
    const std::optional<int64_t> coefficient =
        scaled(take_left ? a.terms[i++].coefficient : 0, take_right ? b.terms[j++].coefficient : 0);
    if (!coefficient) return std::nullopt;
    if (*coefficient != 0) sum.terms.push_back({monomial, *coefficient});
  }
  if (sum.terms.size() > Linear::kMaxTerms) return std::nullopt;
  return sum;
}

std::optional<Linear> difference(Dim a, Dim b) {
  const std::optional<Linear> left = linear(a);
  const std::optional<Linear> right = linear(b);
  if (!left || !right) return std::nullopt;
  return combine(*left, 1, *right, -1);
}

const Monomial* product(Pool& pool, const Monomial* a, const Monomial* b) {
  if (a == nullptr || b == nullptr) return nullptr;
  if (a->factors.empty()) return b;
  if (b->factors.empty()) return a;
  std::vector<Factor> factors(a->factors.begin(), a->factors.end());
  for (const Factor& factor : b->factors) {
    const auto place =
        std::lower_bound(factors.begin(), factors.end(), factor.atom->id,
                         [](const Factor& f, uint32_t id) { return f.atom->id < id; });
    if (place != factors.end() && place->atom == factor.atom) {
      place->exponent += factor.exponent;
    } else {
      factors.insert(place, factor);
    }
  }
  return pool.impl().monomial(factors);
}

const Monomial* quotient(Pool& pool, const Monomial* a, const Monomial* divisor) {
  std::vector<Factor> factors;
  for (const Factor& factor : a->factors) {
    uint32_t exponent = factor.exponent;
    for (const Factor& part : divisor->factors) {
      if (part.atom == factor.atom) exponent -= part.exponent;
    }
    if (exponent > 0) factors.push_back({factor.atom, exponent});
  }
  return pool.impl().monomial(factors);
}

std::optional<Linear> product(Pool& pool, const Linear& a, const Linear& b) {
  if (a.terms.size() * b.terms.size() > Linear::kMaxTerms) return std::nullopt;
  std::optional<Linear> result = combine(a, b.constant, Linear{}, 0);
  if (result) {
    Linear without_constant = b;
    without_constant.constant = 0;
    result = combine(*result, 1, without_constant, a.constant);
  }
  if (!result) return std::nullopt;
  for (const Term& x : a.terms) {
    for (const Term& y : b.terms) {
      const std::optional<int64_t> coefficient =
          limited(static_cast<Wide>(x.coefficient) * y.coefficient);
      const Monomial* monomial = product(pool, x.monomial, y.monomial);
      if (!coefficient || monomial == nullptr) return std::nullopt;
      result->terms.push_back({monomial, *coefficient});
    }
  }
  if (!collect(*result)) return std::nullopt;
  return result;
}

bool divides(const Monomial& part, const Monomial& product) {
  return std::all_of(part.factors.begin(), part.factors.end(), [&](const Factor& factor) {
    return std::any_of(product.factors.begin(), product.factors.end(), [&](const Factor& other) {
      return other.atom == factor.atom && other.exponent >= factor.exponent;
    });
  });
}

std::optional<Linear> divided(Pool& pool, const Linear& form, const Monomial* divisor) {
  if (form.constant != 0) return std::nullopt;
  Linear result;
  result.terms.reserve(form.terms.size());
  for (const Term& term : form.terms) {
    if (!divides(*divisor, *term.monomial)) return std::nullopt;
    const Monomial* rest = quotient(pool, term.monomial, divisor);
    if (rest->factors.empty()) {
      result.constant = term.coefficient;
    } else {
      result.terms.push_back({rest, term.coefficient});
    }
  }
  if (!collect(result)) return std::nullopt;
  return result;
}

Dim to_dim(Pool& pool, const Linear& form) {
  std::vector<Term> terms;
  terms.reserve(form.terms.size() + 1);
  if (form.constant != 0) terms.push_back({pool.impl().one(), form.constant});
  terms.insert(terms.end(), form.terms.begin(), form.terms.end());
  return pool.impl().sum(terms);
}

Dim to_dim(Pool& pool, const Atom& atom) { return to_dim(pool, linear(monomial(pool, atom))); }

int64_t content(const Linear& form) {
  int64_t divisor = 0;
  for (const Term& term : form.terms) divisor = std::gcd(divisor, term.coefficient);
  return divisor;
}

bool eliminates_before(const Monomial& a, const Monomial& b) {
  const uint32_t newest_a = a.factors.back().atom->id;
  const uint32_t newest_b = b.factors.back().atom->id;
  if (newest_a != newest_b) return newest_a > newest_b;
  if (a.degree != b.degree) return a.degree > b.degree;
  return a.id > b.id;
}

const Term& leading(const Linear& form) {
  return *std::min_element(form.terms.begin(), form.terms.end(), [](const Term& a, const Term& b) {
    return eliminates_before(*a.monomial, *b.monomial);
  });
}

Primitive primitive(const Linear& form) {
  Primitive result{form, content(form), form.constant};
  if (leading(form).coefficient < 0) result.factor = -result.factor;
  result.form.constant = 0;
  for (Term& term : result.form.terms) term.coefficient /= result.factor;
  return result;
}

size_t LinearHash::operator()(const Linear& form) const {
  uint64_t hash = static_cast<uint64_t>(form.constant) * 0x9E3779B97F4A7C15U;
  for (const Term& term : form.terms) {
    hash ^= (uint64_t{term.monomial->id} << 32U) ^ static_cast<uint64_t>(term.coefficient);
    hash *= 0xBF58476D1CE4E5B9U;
    hash ^= hash >> 29U;
  }
  return static_cast<size_t>(hash);
}

}  // namespace onnx_shapes
