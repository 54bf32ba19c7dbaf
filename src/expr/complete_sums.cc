// Replaces complete sets by their sums. Where the coefficients differ, as much as all have in
// common is replaced.
#include "expr/complete_sums.h"

#include <algorithm>

#include "expr/terms.h"
#include "support/int_math.h"

namespace onnx_shapes {
namespace {

/// Where the `rest * atom` of a complete set of atoms stand in the sum, and what the atoms add up
/// to.
struct CompleteSet {
  const Monomial* rest = nullptr;
  std::vector<size_t> places;
  std::vector<Term> total;
};

Terms without_constant(Terms terms) { return constant_part(terms) == 0 ? terms : terms.subspan(1); }

bool is_same(Terms a, Terms b) { return std::equal(a.begin(), a.end(), b.begin(), b.end()); }

/// The place of `rest * atom` for an atom that is `wanted`, if the sum has one.
template <class Wanted>
std::optional<size_t> find_beside(Pool::Impl& pool, Terms terms, const Monomial* rest,
                                  const Wanted& wanted) {
  for (size_t i = 0; i < terms.size(); ++i) {
    for (const Factor& factor : terms[i].monomial->factors) {
      if (!wanted(*factor.atom)) continue;
      const Factor single{factor.atom, 1};
      if (quotient(pool, terms[i].monomial, pool.monomial({&single, 1})) == rest) return i;
    }
  }
  return std::nullopt;
}

/// Looks for all residues beside `first = x//n`, whose numerator has no constant part.
std::optional<CompleteSet> residues(Pool::Impl& pool, Terms terms, const Monomial* rest,
                                    const Atom& first) {
  const std::optional<int64_t> n = as_number(first.operands[1]->terms);
  const Terms x = first.operands[0]->terms;
  CompleteSet set{rest, {}, {x.begin(), x.end()}};
  for (int64_t residue = 0; residue < n; ++residue) {
    const auto is_residue = [&](const Atom& atom) {
      return atom.kind == AtomKind::kFloorDiv && atom.operands[1] == first.operands[1] &&
             constant_part(atom.operands[0]->terms) == residue &&
             is_same(without_constant(atom.operands[0]->terms), x);
    };
    const std::optional<size_t> place = find_beside(pool, terms, rest, is_residue);
    if (!place) return std::nullopt;
    set.places.push_back(*place);
  }
  return set;
}

/// Looks for `min(x, y)` beside `first = max(x, y)`.
std::optional<CompleteSet> both_extrema(Pool::Impl& pool, Terms terms, const Monomial* rest,
                                        const Atom& first) {
  const auto is_first = [&](const Atom& atom) { return &atom == &first; };
  const auto is_other = [&](const Atom& atom) {
    return atom.kind == AtomKind::kMin && atom.operands.size() == 2 &&
           atom.operands[0] == first.operands[0] && atom.operands[1] == first.operands[1];
  };
  const std::optional<size_t> place = find_beside(pool, terms, rest, is_first);
  const std::optional<size_t> other = find_beside(pool, terms, rest, is_other);
  TermBuffer total;
  if (!place || !other || !merge(first.operands[0]->terms, 1, first.operands[1]->terms, 1, total)) {
    return std::nullopt;
  }
  return CompleteSet{rest, {*place, *other}, {total.terms().begin(), total.terms().end()}};
}

/// Whether a set of that many terms at most can begin with the atom: most sums need no search.
bool can_be_first(const Atom& atom, size_t term_count) {
  if (atom.kind == AtomKind::kMax) return atom.operands.size() == 2;
  if (atom.kind != AtomKind::kFloorDiv || constant_part(atom.operands[0]->terms) != 0) return false;
  const std::optional<int64_t> n = as_number(atom.operands[1]->terms);
  return n && *n <= static_cast<int64_t>(term_count);
}

std::optional<CompleteSet> find_complete_set(Pool::Impl& pool, Terms terms) {
  for (const Term& term : terms) {
    for (const Factor& factor : term.monomial->factors) {
      const Atom& atom = *factor.atom;
      if (!can_be_first(atom, terms.size())) continue;
      const Factor single{&atom, 1};
      const Monomial* rest = quotient(pool, term.monomial, pool.monomial({&single, 1}));
      std::optional<CompleteSet> set = atom.kind == AtomKind::kMax
                                           ? both_extrema(pool, terms, rest, atom)
                                           : residues(pool, terms, rest, atom);
      if (set) return set;
    }
  }
  return std::nullopt;
}

/// How often the set is in the sum: what all coefficients have in common if they have one sign;
/// else so much that the last member goes.
int64_t multiplicity(Terms terms, const CompleteSet& set) {
  int64_t least = terms[set.places.back()].coefficient;
  for (const size_t place : set.places) {
    const int64_t c = terms[place].coefficient;
    if ((c > 0) != (least > 0)) return terms[set.places.back()].coefficient;
    if (least > 0 ? c < least : c > least) least = c;
  }
  return least;
}

}  // namespace

std::optional<std::vector<Term>> without_complete_set(Pool::Impl& pool, Terms terms) {
  if (terms.size() < 2) return std::nullopt;
  const std::optional<CompleteSet> set = find_complete_set(pool, terms);
  if (!set) return std::nullopt;
  const int64_t count = multiplicity(terms, *set);
  const Term multiple[] = {{set->rest, count}};
  std::optional<std::vector<Term>> total = multiplied(pool, set->total, multiple);
  if (!total) return std::nullopt;
  std::vector<Term> result(terms.begin(), terms.end());
  for (const size_t place : set->places) {
    const std::optional<int64_t> left = checked_sub(result[place].coefficient, count);
    if (!left) return std::nullopt;
    result[place].coefficient = *left;
  }
  result.insert(result.end(), total->begin(), total->end());
  if (!collect(result)) return std::nullopt;
  return result;
}

}  // namespace onnx_shapes
