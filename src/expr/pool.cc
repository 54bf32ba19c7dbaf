// The pool: an arena of nodes, each distinct one stored once.
#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>

#include "expr/bounds.h"
#include "expr/complete_sums.h"
#include "expr/pool_impl.h"

namespace onnx_shapes {
namespace {

constexpr size_t kFirstBlock = 8192;

template <class T>
bool same(std::span<const T> a, std::span<const T> b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin());
}

uint64_t hash_of(Terms terms) {
  uint64_t hash = terms.size();
  for (const Term& term : terms) {
    hash = mix_hash(hash, term.monomial->id);
    hash = mix_hash(hash, static_cast<uint64_t>(term.coefficient));
  }
  return hash;
}

uint64_t hash_of(std::span<const Factor> factors) {
  uint64_t hash = factors.size();
  for (const Factor& factor : factors) {
    hash = mix_hash(hash, (uint64_t{factor.atom->id} << 32) | factor.exponent);
  }
  return hash;
}

uint64_t hash_of(AtomKind kind, Operands operands) {
  uint64_t hash = static_cast<uint64_t>(kind);
  for (const Expr* operand : operands) hash = mix_hash(hash, operand->id);
  return hash;
}

uint32_t depth_of(Terms terms) {
  uint32_t depth = 0;
  for (const Term& term : terms) {
    for (const Factor& factor : term.monomial->factors) depth = std::max(depth, factor.atom->depth);
  }
  return depth;
}

bool is_number(Terms terms, const Monomial* one) {
  return terms.empty() || (terms.size() == 1 && terms[0].monomial == one);
}

}  // namespace

Pool::Impl::Impl(Pool& pool) : pool_(pool), arena_(kFirstBlock) { one_ = monomial({}); }

template <class T>
std::span<const T> Pool::Impl::store(std::span<const T> items) {
  static_assert(std::is_trivially_destructible_v<T> && std::is_trivially_copyable_v<T>);
  if (items.empty()) return {};
  void* memory = arena_.allocate(items.size_bytes(), alignof(T));
  bytes_ += items.size_bytes();
  std::memcpy(memory, items.data(), items.size_bytes());
  return {static_cast<const T*>(memory), items.size()};
}

template <class T>
const T* Pool::Impl::store(const T& item) {
  return store(std::span<const T>(&item, 1)).data();
}

Dim Pool::Impl::number(int64_t value) {
  const bool is_small = value >= kLeastSmall && value < kLeastSmall + kSmallCount;
  const Expr** small = is_small ? &small_[static_cast<size_t>(value - kLeastSmall)] : nullptr;
  if (is_small && *small != nullptr) return Dim(*small);
  const Term term{one_, value};
  const Dim number = intern({&term, value == 0 ? 0U : 1U});
  if (is_small) *small = number.expr();
  return number;
}

Dim Pool::Impl::sum(Terms terms) {
  if (terms.size() > kMaxTerms) return Dim();
  return intern(terms);
}

Dim Pool::Impl::intern(Terms terms) {
  const uint64_t hash = hash_of(terms);
  const auto matches = [&](const Expr& expr) { return same(expr.terms, terms); };
  if (const Expr* found = exprs_.find(hash, matches)) return Dim(found);
  Expr expr;
  expr.depth = depth_of(terms);
  expr.bounds = sum_bounds(*this, terms);
  if (expr.depth > 0 && expr.bounds.is_point() && !is_number(terms, one_)) {
    return number(expr.bounds.lo);
  }
  if (expr.depth > 0) {
    if (const auto reduced = without_complete_set(*this, terms)) return sum(*reduced);
  }
  expr.id = static_cast<uint32_t>(exprs_.size());
  expr.terms = store(terms);
  expr.pool = &pool_;
  const Expr* stored = store(expr);
  exprs_.insert(hash, stored);
  return Dim(stored);
}

const Monomial* Pool::Impl::monomial(std::span<const Factor> factors) {
  const uint64_t hash = hash_of(factors);
  const auto matches = [&](const Monomial& m) { return same(m.factors, factors); };
  if (const Monomial* found = monomials_.find(hash, matches)) return found;
  Monomial monomial;
  monomial.bounds = Interval::point(1);
  uint64_t degree = 0;
  for (const Factor& factor : factors) {
    degree += factor.exponent;
    monomial.bounds = monomial.bounds * power(factor.atom->bounds, factor.exponent);
  }
  if (degree > kMaxDegree) return nullptr;
  monomial.degree = static_cast<uint32_t>(degree);
  monomial.id = static_cast<uint32_t>(monomials_.size());
  monomial.factors = store(factors);
  const Monomial* stored = store(monomial);
  monomials_.insert(hash, stored);
  return stored;
}

const Atom* Pool::Impl::atom(AtomKind kind, Operands operands, Interval bounds) {
  const uint64_t hash = hash_of(kind, operands);
  const auto matches = [&](const Atom& a) { return a.kind == kind && same(a.operands, operands); };
  if (const Atom* found = atoms_.find(hash, matches)) return found;
  Atom atom;
  for (const Expr* operand : operands) atom.depth = std::max(atom.depth, operand->depth + 1);
  if (atom.depth > kMaxDepth) return nullptr;
  atom.kind = kind;
  atom.id = atom_count_++;
  atom.operands = store(operands);
  atom.bounds = settled(bounds);
  const Atom* stored = store(atom);
  atoms_.insert(hash, stored);
  return stored;
}

Dim Pool::Impl::dim(const Monomial* monomial) {
  if (monomial == nullptr) return Dim();
  const Term term{monomial, 1};
  return intern({&term, 1});
}

Dim Pool::Impl::dim(const Atom* atom) {
  if (atom == nullptr) return Dim();
  const Factor factor{atom, 1};
  return dim(monomial({&factor, 1}));
}

SymbolId Pool::Impl::add_symbol(std::string name, Interval range) {
  Atom atom;
  atom.kind = AtomKind::kSymbol;
  atom.id = atom_count_++;
  atom.symbol = static_cast<SymbolId>(symbols_.size());
  atom.bounds = settled(range);
  names_.insert(name);
  symbols_.push_back({std::move(name), range, store(atom)});
  return atom.symbol;
}

Pool::Pool() : impl_(std::make_unique<Impl>(*this)) {}
Pool::~Pool() = default;

Dim Pool::constant(int64_t value) { return impl_->number(value); }

SymbolId Pool::add_symbol(std::string name, Interval range) {
  return impl_->add_symbol(std::move(name), range);
}

Dim Pool::symbol(SymbolId id) { return impl_->symbol(id); }
size_t Pool::symbol_count() const { return impl_->symbols_.size(); }
const std::string& Pool::symbol_name(SymbolId id) const { return impl_->symbols_[id].name; }
Interval Pool::symbol_range(SymbolId id) const { return impl_->symbols_[id].range; }
uint64_t Pool::overflow_count() const { return impl_->overflows_; }
uint64_t Pool::expression_count() const { return impl_->exprs_.size(); }
uint64_t Pool::bytes() const { return impl_->bytes_; }

}  // namespace onnx_shapes
