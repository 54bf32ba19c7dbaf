// Sums and products: one linear merge of sorted terms, or distribution term by term.
#include "expr/normal_form.h"
#include "expr/terms.h"
#include "support/int_math.h"

namespace onnx_shapes {
namespace {

/// The number; nothing if an operand is none, or if 64 bits do not hold a step.
std::optional<int64_t> combine_numbers(Dim a, int64_t ka, Dim b, int64_t kb) {
  const std::optional<int64_t> left = a.number();
  const std::optional<int64_t> right = left ? b.number() : std::nullopt;
  if (!right) return std::nullopt;
  const std::optional<int64_t> x = checked_mul(*left, ka);
  const std::optional<int64_t> y = checked_mul(*right, kb);
  return x && y ? checked_add(*x, *y) : std::nullopt;
}

Dim combine_known(Dim a, int64_t ka, Dim b, int64_t kb) {
  if (!a.known() || !b.known()) return Dim();
  Pool::Impl& pool = a.expr()->pool->impl();
  if (const auto number = combine_numbers(a, ka, b, kb)) return pool.number(*number);
  return pool.checked(add_scaled(pool, a, ka, b, kb));
}

}  // namespace

Dim number_like(Dim a, int64_t number) {
  return a.known() ? a.expr()->pool->constant(number) : Dim();
}

Dim add_scaled(Pool::Impl& pool, Dim a, int64_t ka, Dim b, int64_t kb) {
  TermBuffer sum;
  if (!merge(a.expr()->terms, ka, b.expr()->terms, kb, sum)) return Dim();
  return pool.sum(sum.terms());
}

Dim scaled(Pool::Impl& pool, Dim a, int64_t factor) {
  if (factor == 1) return a;
  TermBuffer sum;
  if (!merge(a.expr()->terms, factor, {}, 0, sum)) return Dim();
  return pool.sum(sum.terms());
}

Dim multiply(Pool::Impl& pool, Dim a, Dim b) {
  if (const auto number = as_number(a.expr()->terms)) return scaled(pool, b, *number);
  if (const auto number = as_number(b.expr()->terms)) return scaled(pool, a, *number);
  std::optional<std::vector<Term>> terms = multiplied(pool, a.expr()->terms, b.expr()->terms);
  if (!terms || !collect(*terms)) return Dim();
  return pool.sum(*terms);
}

Dim power(Pool::Impl& pool, Dim base, uint32_t exponent) {
  Dim result = pool.number(1);
  while (exponent != 0 && result.known()) {
    if (exponent % 2 == 1) result = multiply(pool, result, base);
    exponent /= 2;
    if (exponent == 0) break;
    base = multiply(pool, base, base);
    if (!base.known()) return base;
  }
  return result;
}

Dim operator+(Dim a, Dim b) { return combine_known(a, 1, b, 1); }
Dim operator-(Dim a, Dim b) { return combine_known(a, 1, b, -1); }
Dim operator+(Dim a, int64_t b) { return a + number_like(a, b); }
Dim operator-(Dim a, int64_t b) { return a - number_like(a, b); }
Dim combine(Dim a, int64_t ka, Dim b, int64_t kb) { return combine_known(a, ka, b, kb); }

Dim sum(std::span<const Dim> dims) {
  std::vector<Term> terms;
  for (const Dim dim : dims) {
    if (!dim.known()) return Dim();
    terms.insert(terms.end(), dim.expr()->terms.begin(), dim.expr()->terms.end());
  }
  Pool::Impl& pool = dims[0].expr()->pool->impl();
  return pool.checked(collect(terms) ? pool.sum(terms) : Dim());
}

Dim operator*(Dim a, Dim b) {
  if (!a.known() || !b.known()) return Dim();
  Pool::Impl& pool = a.expr()->pool->impl();
  return pool.checked(multiply(pool, a, b));
}

Dim operator*(Dim a, int64_t b) {
  if (!a.known()) return Dim();
  Pool::Impl& pool = a.expr()->pool->impl();
  return pool.checked(scaled(pool, a, b));
}

Dim operator-(Dim a) { return a * int64_t{-1}; }

}  // namespace onnx_shapes
