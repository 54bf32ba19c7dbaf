#include "check/names.h"

#include <fmt/format.h>

#include <algorithm>

#include "expr/text.h"

namespace onnx_shapes {
namespace {

bool any_symbol(Dim dim, const auto& test) {
  bool found = false;
  if (dim.known()) for_each_symbol(dim, [&](SymbolId id) { found = found || test(id); });
  return found;
}

}  // namespace

std::unordered_set<SymbolId> universal_symbols(const Inference& inference) {
  std::unordered_set<SymbolId> universal;
  for (SymbolId id = 0; id < inference.symbols->size(); ++id) {
    if (inference.symbols->info(id).kind == SymbolKind::kInput) universal.insert(id);
  }
  for (const Inference::NamedInput& named : inference.named_inputs) {
    if (const std::optional<SymbolId> id = as_symbol(named.symbol)) universal.insert(*id);
  }
  return universal;
}

std::string inputs_text(const Inference& inference, const Binding& binding,
                        const std::unordered_set<SymbolId>& universal) {
  std::vector<std::string> parts;
  for (const auto& [symbol, number] : binding) {
    if (!universal.contains(symbol)) continue;
    parts.push_back(fmt::format("{}={}", inference.symbols->name(symbol), number));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

Names::Names(const Inference& inference, bool run)
    : inference_(inference), run_(run), prover_(*inference.pool, inference.constraints.get()) {
  if (!run) universal_ = universal_symbols(inference);
}

bool Names::existential(SymbolId symbol) const {
  const SymbolKind kind = inference_.symbols->info(symbol).kind;
  return kind == SymbolKind::kDeclared || (run_ && kind == SymbolKind::kInput);
}

bool Names::mentions_existential(Dim dim) const {
  return any_symbol(dim, [&](SymbolId id) { return existential(id); });
}

bool Names::varies(Dim dim) const {
  return any_symbol(dim, [&](SymbolId id) {
    return id < inference_.repeat_depth.size() && inference_.repeat_depth[id] > 0;
  });
}

bool Names::within(uint32_t region, uint32_t around) const {
  // A region's number is above that of the region around it.
  while (region > around) region = inference_.region_parents[region];
  return region == around;
}

void Names::bind(SymbolId symbol, Bound bound) {
  bound_[symbol].push_back(bound);
  in_order_.emplace_back(symbol, bound);
}

std::vector<Bound> Names::related(SymbolId symbol, uint32_t region) const {
  std::vector<Bound> found;
  const auto all = bound_.find(symbol);
  if (all == bound_.end()) return found;
  for (const Bound& bound : all->second) {
    if (within(region, bound.region) || within(bound.region, region)) found.push_back(bound);
  }
  return found;
}

Dim Names::substitute(Dim dim, uint32_t region) const {
  if (!mentions_existential(dim)) return dim;
  Substitution replace([&](SymbolId symbol) {
    const auto all = bound_.find(symbol);
    if (all == bound_.end()) return Dim();
    for (const Bound& bound : all->second) {
      if (within(region, bound.region)) return bound.dim;
    }
    return Dim();
  });
  return replace(dim);
}

Comparison Names::undetermined(Dim declared, Dim found) const {
  std::string reason;
  for (const Dim dim : {found, declared}) {
    for_each_symbol(dim, [&](SymbolId id) {
      if (!reason.empty() || universal_.contains(id)) return;
      reason = existential(id)
                   ? fmt::format("no axis says what '{}' is", inference_.symbols->name(id))
                   : fmt::format("it depends on data: {} is not known here",
                                 inference_.symbols->name(id));
    });
  }
  if (reason.empty()) {
    reason =
        fmt::format("{} == {} is neither proved nor refuted", to_text(declared), to_text(found));
  }
  return {.reason = std::move(reason)};
}

std::optional<Counterexample> Names::find_example(Dim declared, Dim found) const {
  const auto chosen = [&](SymbolId id) { return !universal_.contains(id); };
  if (any_symbol(declared, chosen) || any_symbol(found, chosen)) return std::nullopt;
  const std::optional<Binding> binding =
      find_counterexample(*inference_.symbols, *inference_.constraints,
                          {.kind = Claim::Kind::kEqual, .a = declared, .b = found});
  if (!binding) return std::nullopt;
  const auto number = [&](SymbolId id) -> std::optional<int64_t> {
    for (const auto& [symbol, value] : *binding) {
      if (symbol == id) return value;
    }
    return std::nullopt;
  };
  const std::optional<int64_t> a = evaluate(declared, number);
  const std::optional<int64_t> b = evaluate(found, number);
  if (!a || !b || *a == *b) return std::nullopt;
  return Counterexample{inputs_text(inference_, *binding, universal_), *a, *b};
}

Comparison Names::compare(Dim declared, Dim found, uint32_t region) {
  if (!declared.known() || !found.known()) return {.reason = "its size is not known"};
  declared = inference_.constraints->resolve(substitute(declared, region));
  found = inference_.constraints->resolve(substitute(found, region));
  if (!declared.known() || !found.known()) return {.reason = "its size does not fit 64 bits"};
  switch (prover_.equal(declared, found)) {
    case Truth::kTrue:
      return {.verdict = Verdict::kProved};
    case Truth::kFalse:
      return {.verdict = Verdict::kRefuted, .example = find_example(declared, found)};
    case Truth::kUnknown:
      break;
  }
  if (std::optional<Counterexample> example = find_example(declared, found)) {
    return {.verdict = Verdict::kRefuted, .example = std::move(example)};
  }
  return undetermined(declared, found);
}

}  // namespace onnx_shapes
