// The order of dims by what they print: it looks at numbers, names and structure, never at ids or
// addresses, so that it does not depend on the order in which things were made.
#include <algorithm>
#include <compare>
#include <unordered_map>
#include <vector>

#include "expr/normal_form.h"
#include "expr/terms.h"

namespace onnx_shapes {
namespace {

/// Comparisons of expressions that one question may take. Beyond that, age decides.
constexpr int kMaxSteps = 1 << 18;

template <class T>
int three_way(const T& a, const T& b) {
  const auto order = a <=> b;
  if (std::is_eq(order)) return 0;
  return std::is_lt(order) ? -1 : 1;
}

uint32_t degree_of(const Expr& expr) {
  uint32_t degree = 0;
  for (const Term& term : expr.terms) degree = std::max(degree, term.monomial->degree);
  return degree;
}

class ReadingOrder {
 public:
  explicit ReadingOrder(const Pool& pool) : pool_(pool) {}

  [[nodiscard]] int compare(const Expr& a, const Expr& b);

 private:
  [[nodiscard]] int compare(const Atom& a, const Atom& b);
  [[nodiscard]] int compare(const Monomial& a, const Monomial& b);
  [[nodiscard]] int compare(const Term& a, const Term& b);
  [[nodiscard]] int compare_parts(const Expr& a, const Expr& b);

  // In the order in which they are compared: each node is sorted once.
  const std::vector<Term>& terms(const Expr& expr);
  const std::vector<Factor>& factors(const Monomial& monomial);
  const std::vector<const Expr*>& operands(const Atom& atom);

  const Pool& pool_;
  int steps_ = 0;
  std::unordered_map<const Expr*, std::vector<Term>> terms_;
  std::unordered_map<const Monomial*, std::vector<Factor>> factors_;
  std::unordered_map<const Atom*, std::vector<const Expr*>> operands_;
  std::unordered_map<uint64_t, int> known_;
};

const std::vector<Term>& ReadingOrder::terms(const Expr& expr) {
  if (const auto at = terms_.find(&expr); at != terms_.end()) return at->second;
  std::vector<Term> sorted(expr.terms.begin(), expr.terms.end());
  std::stable_sort(sorted.begin(), sorted.end(), [this](const Term& a, const Term& b) {
    return compare(*a.monomial, *b.monomial) < 0;
  });
  return terms_.emplace(&expr, std::move(sorted)).first->second;
}

const std::vector<Factor>& ReadingOrder::factors(const Monomial& monomial) {
  if (const auto at = factors_.find(&monomial); at != factors_.end()) return at->second;
  std::vector<Factor> sorted(monomial.factors.begin(), monomial.factors.end());
  std::stable_sort(sorted.begin(), sorted.end(), [this](const Factor& a, const Factor& b) {
    return compare(*a.atom, *b.atom) < 0;
  });
  return factors_.emplace(&monomial, std::move(sorted)).first->second;
}

const std::vector<const Expr*>& ReadingOrder::operands(const Atom& atom) {
  if (const auto at = operands_.find(&atom); at != operands_.end()) return at->second;
  std::vector<const Expr*> sorted(atom.operands.begin(), atom.operands.end());
  if (atom.kind != AtomKind::kFloorDiv) {
    std::stable_sort(sorted.begin(), sorted.end(),
                     [this](const Expr* a, const Expr* b) { return compare(*a, *b) < 0; });
  }
  return operands_.emplace(&atom, std::move(sorted)).first->second;
}

/// Symbols by name; two of one name by age, since nothing else tells them apart.
int ReadingOrder::compare(const Atom& a, const Atom& b) {
  if (&a == &b) return 0;
  if (a.kind != b.kind) return three_way(a.kind, b.kind);
  if (a.kind == AtomKind::kSymbol) {
    const int by_name = pool_.symbol_name(a.symbol).compare(pool_.symbol_name(b.symbol));
    return by_name != 0 ? by_name : three_way(a.symbol, b.symbol);
  }
  const std::vector<const Expr*>& x = operands(a);
  const std::vector<const Expr*>& y = operands(b);
  if (x.size() != y.size()) return three_way(x.size(), y.size());
  for (size_t i = 0; i < x.size(); ++i) {
    if (const int order = compare(*x[i], *y[i]); order != 0) return order;
  }
  return 0;
}

/// The higher degree first, as in print.
int ReadingOrder::compare(const Monomial& a, const Monomial& b) {
  if (&a == &b) return 0;
  if (a.degree != b.degree) return three_way(b.degree, a.degree);
  const std::vector<Factor>& x = factors(a);
  const std::vector<Factor>& y = factors(b);
  for (size_t i = 0; i < x.size() && i < y.size(); ++i) {
    if (const int order = compare(*x[i].atom, *y[i].atom); order != 0) return order;
    if (x[i].exponent != y[i].exponent) return three_way(y[i].exponent, x[i].exponent);
  }
  return three_way(x.size(), y.size());
}

int ReadingOrder::compare(const Term& a, const Term& b) {
  const int order = compare(*a.monomial, *b.monomial);
  return order != 0 ? order : three_way(a.coefficient, b.coefficient);
}

int ReadingOrder::compare_parts(const Expr& a, const Expr& b) {
  const std::vector<Term>& x = terms(a);
  const std::vector<Term>& y = terms(b);
  for (size_t i = 0; i < x.size() && i < y.size(); ++i) {
    if (const int order = compare(x[i], y[i]); order != 0) return order;
  }
  return three_way(x.size(), y.size());
}

int ReadingOrder::compare(const Expr& a, const Expr& b) {
  if (&a == &b) return 0;
  const std::optional<int64_t> x = as_number(a.terms);
  const std::optional<int64_t> y = as_number(b.terms);
  if (x && y) return three_way(*x, *y);
  if (x || y) return x ? -1 : 1;
  const uint32_t x_degree = degree_of(a);
  const uint32_t y_degree = degree_of(b);
  if (x_degree != y_degree) return three_way(x_degree, y_degree);
  if (steps_ >= kMaxSteps) return three_way(a.id, b.id);

  const bool swapped = b.id < a.id;
  const Expr& older = swapped ? b : a;
  const Expr& newer = swapped ? a : b;
  const uint64_t key = (uint64_t{older.id} << 32) | newer.id;
  auto known = known_.find(key);
  if (known == known_.end()) {
    ++steps_;
    const int order = compare_parts(older, newer);
    known = known_.emplace(key, order).first;
  }
  return swapped ? -known->second : known->second;
}

}  // namespace

int reading_order(const Expr& a, const Expr& b) { return ReadingOrder(*a.pool).compare(a, b); }

bool reads_before(Dim a, Dim b) {
  if (!a.known() || !b.known()) return a.known() && !b.known();
  return reading_order(*a.expr(), *b.expr()) < 0;
}

}  // namespace onnx_shapes
