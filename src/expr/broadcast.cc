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

/// Whether two operands are different numbers that are not 1, so that no run succeeds.
bool contradict_each_other(std::span<const Dim> operands) {
  std::optional<int64_t> seen;
  for (const Dim dim : operands) {
    const std::optional<int64_t> number = dim.number();
    if (!number || *number == 1) continue;
    if (seen && seen != number) return true;
    seen = number;
  }
  return false;
}

}  // namespace

Dim broadcast_of(Pool::Impl& pool, std::span<const Dim> operands) {
  std::vector<Dim> flat;
  for (const Dim operand : operands) append(operand, flat);
  std::erase_if(flat, [](Dim dim) { return dim.is(1); });
  std::sort(flat.begin(), flat.end(), [](Dim a, Dim b) { return a.expr()->id < b.expr()->id; });
  flat.erase(std::unique(flat.begin(), flat.end()), flat.end());
  if (flat.empty()) return pool.number(1);
  if (contradict_each_other(flat)) return Dim();

  // Those that exclude 1 are equal in every run that succeeds; numbers read first.
  Dim winner;
  for (const Dim dim : flat) {
    if (!excludes_one(dim)) continue;
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

Dim broadcast(std::span<const Dim> operands) {
  const bool known = std::all_of(operands.begin(), operands.end(), [](Dim d) { return d.known(); });
  if (!known || operands.empty() || contradict_each_other(operands)) return Dim();
  Pool::Impl& pool = operands[0].expr()->pool->impl();
  return pool.checked(broadcast_of(pool, operands));
}

Dim broadcast(Dim a, Dim b) { return broadcast(std::array{a, b}); }

}  // namespace onnx_shapes
