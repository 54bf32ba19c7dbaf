// The normal form of broadcasting: what the operands agree on, where each is that or 1.
#include <algorithm>
#include <array>
#include <vector>

#include "expr/normal_form.h"
#include "expr/terms.h"

namespace onnx_shapes {
namespace {

constexpr size_t kMaxOperands = 64;

/// Appends the operand, or its operands if it is a broadcast.
void append(Dim operand, std::vector<Dim>& out) {
  const Atom* atom = single_atom(operand);
  if (atom == nullptr || atom->kind != AtomKind::kBroadcast) {
    out.push_back(operand);
    return;
  }
  for (const Expr* inner : atom->operands) out.emplace_back(inner);
}

bool excludes_one(Dim dim) { return !dim.bounds().contains(1); }

/// Whether two operands are numbers other than 1 that differ, so that no run succeeds.
bool contradicts(Dim a, Dim b) { return a.number() && b.number() && a != b; }

}  // namespace

Dim broadcast_of(Pool::Impl& pool, std::span<const Dim> operands) {
  std::vector<Dim> flat;
  for (const Dim operand : operands) append(operand, flat);
  std::erase_if(flat, [](Dim dim) { return dim.is(1); });
  std::sort(flat.begin(), flat.end(), [](Dim a, Dim b) { return a.expr()->id < b.expr()->id; });
  flat.erase(std::unique(flat.begin(), flat.end()), flat.end());
  if (flat.empty()) return pool.number(1);

  // Those that exclude 1 are equal in every run that succeeds; numbers read first.
  Dim winner;
  for (const Dim dim : flat) {
    if (!excludes_one(dim)) continue;
    if (winner.known() && contradicts(winner, dim)) return Dim();
    if (!winner.known() || reads_before(dim, winner)) winner = dim;
  }
  if (winner.known()) return winner;
  if (flat.size() == 1) return flat[0];
  if (flat.size() > kMaxOperands) return Dim();

  std::vector<const Expr*> nodes;
  Interval bounds = flat[0].bounds();
  for (const Dim dim : flat) {
    nodes.push_back(dim.expr());
    bounds = hull(bounds, dim.bounds());
  }
  return pool.dim(pool.atom(AtomKind::kBroadcast, nodes, bounds));
}

Dim broadcast(Dim a, Dim b) {
  if (!a.known() || !b.known()) return Dim();
  Pool::Impl& pool = a.expr()->pool->impl();
  const Dim result = broadcast_of(pool, std::array{a, b});
  const bool is_contradiction = excludes_one(a) && excludes_one(b) && contradicts(a, b);
  return is_contradiction ? result : pool.checked(result);
}

}  // namespace onnx_shapes
