// The quotient is the floor where a is not negative and the ceiling where it is:
//   trunc(a / b) = max(floor(a / b), min(ceil(a / b), 0)).
// It never falls where a rises, so it passes into the operands of a max or a min. What comes of
// that is kept as a max of mins, in which operands that are never decisive are dropped: chains of
// such divisions, as exporters write them for the strides of convolutions, stay short.
#include "rules/truncation.h"

#include <algorithm>
#include <vector>

#include "facts/linear.h"

namespace onnx_shapes {
namespace {

/// The least of the dims.
using Least = std::vector<Dim>;
/// The greatest of those.
using Greatest = std::vector<Least>;

constexpr size_t kMaxOperands = 12;  // on the way
constexpr size_t kMaxResult = 4;

size_t operand_count(const Greatest& all) {
  size_t count = 0;
  for (const Least& least : all) count += least.size();
  return count;
}

/// min(a, b), as each least of a with each of b.
Greatest least_of(const Greatest& a, const Greatest& b) {
  Greatest result;
  for (const Least& x : a) {
    for (const Least& y : b) {
      Least& both = result.emplace_back(x);
      both.insert(both.end(), y.begin(), y.end());
    }
  }
  return result;
}

/// The term of the dim that is an extremum, alone and once; null if there is none or another one.
const Term* extremum_term(Dim dim) {
  const Term* found = nullptr;
  for (const Term& term : dim.expr()->terms) {
    if (term.monomial->degree != 1) continue;
    const AtomKind kind = term.monomial->factors.front().atom->kind;
    if (kind != AtomKind::kMax && kind != AtomKind::kMin) continue;
    if (found != nullptr || (term.coefficient != 1 && term.coefficient != -1)) return nullptr;
    found = &term;
  }
  return found;
}

class Truncation {
 public:
  Truncation(InferContext& ctx, int64_t divisor) : ctx_(ctx), divisor_(divisor) {}

  [[nodiscard]] Dim of(Dim a) {
    const Greatest all = pruned(quotient(a));
    if (too_large_ || operand_count(all) > kMaxResult) return {};
    std::vector<Dim> greatest;
    for (const Least& least : all) greatest.push_back(min(least));
    return max(greatest);
  }

 private:
  [[nodiscard]] Greatest quotient(Dim a) {
    const Term* term = a.known() ? extremum_term(a) : nullptr;
    if (term == nullptr) return quotient_of_operand(a);
    const Atom& atom = *term->monomial->factors.front().atom;
    const Dim rest = a - to_dim(ctx_.pool(), linear(term->monomial, term->coefficient));
    const bool greatest = (atom.kind == AtomKind::kMax) == (term->coefficient > 0);
    Greatest result;
    for (const Expr* operand : atom.operands) {
      const Greatest part = quotient(rest + Dim(operand) * term->coefficient);
      if (result.empty()) {
        result = part;
      } else if (greatest) {
        result.insert(result.end(), part.begin(), part.end());
      } else {
        result = least_of(result, part);
      }
      too_large_ = too_large_ || operand_count(result) > kMaxOperands;
      if (too_large_) return {};
    }
    return result;
  }

  [[nodiscard]] Greatest quotient_of_operand(Dim a) {
    const Dim floor = floor_div(a, divisor_);
    const Dim ceiling = ceil_div(a, divisor_);
    const Interval bounds = ctx_.prover().bounds(a);
    if (bounds.lo >= 0) return {{floor}};
    if (bounds.hi <= 0) return {{ceiling}};
    if (bounds.lo > -divisor_) return {{floor}, {ctx_.lit(0)}};
    return {{floor}, {ceiling, ctx_.lit(0)}};
  }

  [[nodiscard]] bool at_most(Dim a, Dim b) { return ctx_.prover().at_most(a, b) == Truth::kTrue; }

  /// Whether min(a) <= min(b), operand by operand.
  [[nodiscard]] bool at_most(const Least& a, const Least& b) {
    return std::all_of(b.begin(), b.end(), [&](Dim y) {
      return std::any_of(a.begin(), a.end(), [&](Dim x) { return at_most(x, y); });
    });
  }

  /// Without operands that are never decisive; of two that are always equal the first stays.
  template <class Operand, class Decides>
  static void drop_others(std::vector<Operand>& operands, const Decides& decides) {
    for (size_t i = operands.size(); i-- > 0;) {
      for (size_t j = 0; j < operands.size(); ++j) {
        if (i == j || !decides(operands[j], operands[i])) continue;
        operands.erase(operands.begin() + static_cast<ptrdiff_t>(i));
        break;
      }
    }
  }

  [[nodiscard]] Greatest pruned(Greatest all) {
    for (Least& least : all) {
      drop_others(least, [this](Dim kept, Dim other) { return at_most(kept, other); });
    }
    drop_others(all,
                [this](const Least& kept, const Least& other) { return at_most(other, kept); });
    return all;
  }

  InferContext& ctx_;
  int64_t divisor_;
  bool too_large_ = false;
};

}  // namespace

Dim truncated_quotient(InferContext& ctx, Dim a, int64_t b) { return Truncation(ctx, b).of(a); }

}  // namespace onnx_shapes
