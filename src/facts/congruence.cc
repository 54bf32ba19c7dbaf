// Residues of sums and products from those of their parts.
#include "facts/congruence.h"

#include <numeric>

#include "support/int_math.h"

namespace onnx_shapes {
namespace {

constexpr size_t kMaxFacts = 16;  // looked at for one monomial

/// Everything is taken modulo `by` at once, so no number exceeds its square.
class Residues {
 public:
  Residues(Pool& pool, Knowledge* knowledge, int64_t by)
      : pool_(pool), knowledge_(knowledge), by_(by) {}

  Residue of(const Linear& form) const {
    Residue sum = exactly(form.constant);
    for (const Term& term : form.terms) {
      sum = added(sum, multiplied(of(*term.monomial), exactly(term.coefficient)));
    }
    return sum;
  }

 private:
  /// Modulo `by`, a number that is known exactly has the modulus `by`.
  Residue exactly(int64_t number) const { return {by_, floor_mod(number, by_)}; }

  static Residue added(Residue a, Residue b) {
    const int64_t modulus = std::gcd(a.modulus, b.modulus);
    return {modulus, static_cast<int64_t>((Wide{a.remainder} + b.remainder) % modulus)};
  }

  /// (r + m*x) * (s + n*y) is r*s modulo gcd(m*n, r*n, s*m).
  Residue multiplied(Residue a, Residue b) const {
    const auto modulo = [this](Wide value) { return static_cast<int64_t>(value % by_); };
    const int64_t modulus = std::gcd(
        std::gcd(by_, modulo(Wide{a.modulus} * b.modulus)),
        std::gcd(modulo(Wide{a.remainder} * b.modulus), modulo(Wide{b.remainder} * a.modulus)));
    return {modulus, static_cast<int64_t>(Wide{a.remainder} * b.remainder % modulus)};
  }

  Residue of(const Monomial& monomial) const {
    Residue result = exactly(1);
    for (const Factor& factor : monomial.factors) {
      const Residue atom = from_facts(*onnx_shapes::monomial(pool_, *factor.atom));
      for (uint32_t i = 0; i < factor.exponent; ++i) result = multiplied(result, atom);
    }
    if (monomial.degree > 1) {
      const Residue whole = from_facts(monomial);
      if (whole.modulus > result.modulus) return whole;
    }
    return result;
  }

  Residue from_facts(const Monomial& monomial) const {
    Residue best;
    if (knowledge_ == nullptr || !knowledge_->any_facts()) return best;
    const std::span<const uint32_t> facts = knowledge_->facts_with(&monomial);
    size_t tried = 0;
    for (auto index = facts.rbegin(); index != facts.rend() && tried < kMaxFacts; ++index) {
      const KnownFact& fact = knowledge_->fact(*index);
      ++tried;
      if (!fact.active || !fact.equality) continue;
      const int64_t coefficient = fact.form.coefficient(&monomial);
      if (coefficient != 1 && coefficient != -1) continue;
      int64_t modulus = by_;
      for (const Term& term : fact.form.terms) {
        if (term.monomial != &monomial) modulus = std::gcd(modulus, term.coefficient);
      }
      if (modulus <= best.modulus) continue;
      best = {modulus, floor_mod(-coefficient * fact.form.constant, modulus)};
    }
    return best;
  }

  Pool& pool_;
  Knowledge* knowledge_;
  int64_t by_;
};

}  // namespace

Residue residue(Pool& pool, Knowledge* knowledge, const Linear& form, int64_t by) {
  return Residues(pool, knowledge, by).of(form);
}

}  // namespace onnx_shapes
