// The value of a dim under a binding of its symbols.
#include <utility>

#include "expr/expr.h"
#include "support/int_math.h"

namespace onnx_shapes {
namespace {

/// Intermediate values may be larger than the result.
using Value = std::optional<Wide>;
using Binding = std::function<std::optional<int64_t>(SymbolId)>;

Value checked_product(Wide a, Wide b) {
  Wide r = 0;
  if (__builtin_mul_overflow(a, b, &r)) return std::nullopt;
  return r;
}

Value checked_total(Wide a, Wide b) {
  Wide r = 0;
  if (__builtin_add_overflow(a, b, &r)) return std::nullopt;
  return r;
}

/// Precondition: b > 0.
Wide floor_quotient(Wide a, Wide b) {
  const Wide q = a / b;
  return a % b < 0 ? q - 1 : q;
}

}  // namespace

struct AtomValues::Entry {
  uint64_t stamp = 0;  // of the binding for which `value` is
  Value value;
};

class Evaluation {
 public:
  Evaluation(const Binding& binding, AtomValues& known) : binding_(binding), known_(known) {}

  [[nodiscard]] Value of(const Expr& expr) {
    Value total = 0;
    for (const Term& term : expr.terms) {
      const Value product = of(term);
      total = product ? checked_total(*total, *product) : std::nullopt;
      if (!total) return total;
    }
    return total;
  }

 private:
  [[nodiscard]] Value of(const Term& term) {
    Value product = term.coefficient;
    for (const Factor& factor : term.monomial->factors) {
      const Value value = of(*factor.atom);
      if (!value) return value;
      for (uint32_t i = 0; i < factor.exponent; ++i) {
        product = checked_product(*product, *value);
        if (!product) return product;
      }
    }
    return product;
  }

  /// Each atom once, however often it occurs.
  [[nodiscard]] Value of(const Atom& atom) {
    if (atom.kind == AtomKind::kSymbol) {
      const std::optional<int64_t> value = binding_(atom.symbol);
      return value ? Value(*value) : std::nullopt;
    }
    if (known_.entries_.size() <= atom.id) known_.entries_.resize(atom.id + 1);
    if (const auto& entry = known_.entries_[atom.id]; entry.stamp == known_.stamp_) {
      return entry.value;
    }
    const Value value = atom.kind == AtomKind::kFloorDiv ? quotient(atom) : folded(atom);
    known_.entries_[atom.id] = {known_.stamp_, value};  // operands are older: the entry is there
    return value;
  }

  [[nodiscard]] Value quotient(const Atom& atom) {
    const Value a = of(*atom.operands[0]);
    const Value b = of(*atom.operands[1]);
    if (!a || !b || *b < 1) return std::nullopt;
    return floor_quotient(*a, *b);
  }

  [[nodiscard]] Value folded(const Atom& atom) {
    Value result;
    for (const Expr* operand : atom.operands) {
      const Value value = of(*operand);
      if (!value) return value;
      result = result ? joined(atom.kind, *result, *value) : value;
      if (!result) return result;
    }
    return result;
  }

  [[nodiscard]] static Value joined(AtomKind kind, Wide a, Wide b) {
    if (kind == AtomKind::kMax) return a < b ? b : a;
    if (kind == AtomKind::kMin) return b < a ? b : a;
    if (a == b || b == 1) return a;
    return a == 1 ? Value(b) : std::nullopt;
  }

  const Binding& binding_;
  AtomValues& known_;
};

AtomValues::AtomValues() = default;
AtomValues::~AtomValues() = default;
AtomValues::AtomValues(const AtomValues& /*other*/) {}
AtomValues::AtomValues(AtomValues&& other) noexcept = default;
AtomValues& AtomValues::operator=(AtomValues other) noexcept {
  std::swap(entries_, other.entries_);
  std::swap(stamp_, other.stamp_);
  return *this;
}

std::optional<int64_t> AtomValues::evaluate(Dim dim, const Binding& binding) {
  if (!dim.known()) return std::nullopt;
  const Value value = Evaluation(binding, *this).of(*dim.expr());
  if (!value || *value < INT64_MIN || *value > INT64_MAX) return std::nullopt;
  return static_cast<int64_t>(*value);
}

std::optional<int64_t> evaluate(Dim dim, const Binding& binding) {
  return AtomValues().evaluate(dim, binding);
}

}  // namespace onnx_shapes
