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

std::vector<NamedSize> input_sizes(const Inference& inference, const Binding& binding,
                                   const std::unordered_set<SymbolId>& universal) {
  std::vector<NamedSize> sizes;
  for (const auto& [symbol, number] : binding) {
    if (universal.contains(symbol)) sizes.push_back({inference.symbols->name(symbol), number});
  }
  return sizes;
}

std::string sizes_text(const std::vector<NamedSize>& sizes) {
  std::vector<std::string> parts;
  for (const NamedSize& size : sizes) parts.push_back(fmt::format("{}={}", size.name, size.number));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::optional<Binding> smallest_counterexample(const Inference& inference,
                                               const ConstraintSet& constraints, const Claim& claim,
                                               const std::unordered_set<SymbolId>& universal,
                                               std::span<const Equality> also) {
  std::optional<Binding> found =
      find_counterexample(*inference.symbols, constraints, claim, universal, also);
  return found ? found : find_counterexample(*inference.symbols, constraints, claim, {}, also);
}

Names::Names(const Inference& inference, bool run)
    : inference_(inference), run_(run), prover_(*inference.pool, inference.constraints.get()) {
  if (run) return;
  universal_ = universal_symbols(inference);
  find_broadcasts();
}

/// That a and b are equal or one of them is 1 is (a - b)*(a - 1)*(b - 1) == 0.
void Names::find_broadcasts() {
  const auto chosen = [&](SymbolId id) { return !universal_.contains(id); };
  for (const auto& [left, right] : inference_.broadcasts) {
    const Dim a = inference_.constraints->resolve(left);
    const Dim b = inference_.constraints->resolve(right);
    if (!a.known() || !b.known() || any_symbol(a, chosen) || any_symbol(b, chosen)) continue;
    const Dim product = (a - b) * (a - 1) * (b - 1);
    if (!product.known() || product.number()) continue;
    broadcasts_.push_back({product, inference_.pool->constant(0), {}});
  }
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
  if (!bound.changes) in_order_.emplace_back(symbol, bound);
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
      if (!bound.changes && within(region, bound.region)) return bound.dim;
    }
    return Dim();
  });
  return replace(dim);
}

Comparison Names::undetermined(Dim declared, Dim found) const {
  std::string reason;
  std::vector<SymbolId> awaits;
  for (const Dim dim : {found, declared}) {
    for_each_symbol(dim, [&](SymbolId id) {
      if (!existential(id)) awaits.push_back(id);
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
  return {.reason = std::move(reason), .awaits = std::move(awaits)};
}

std::optional<Counterexample> Names::find_example(Dim declared, Dim found) const {
  const auto chosen = [&](SymbolId id) { return !universal_.contains(id); };
  if (any_symbol(declared, chosen) || any_symbol(found, chosen)) return std::nullopt;
  const std::optional<Binding> binding = smallest_counterexample(
      inference_, *inference_.constraints, {.kind = Claim::Kind::kEqual, .a = declared, .b = found},
      universal_, broadcasts_);
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
  return Counterexample{input_sizes(inference_, *binding, universal_), *a, *b};
}

std::string Names::text_of(const Condition& condition) const {
  return fmt::format("{} == {}", inference_.symbols->name(condition.symbol),
                     to_text(condition.value));
}

/// Only a name for a compound is one: that two inputs have one size, or a size is a number, is what
/// the author can say on the inputs, and the annotation is false as long as nobody does.
std::optional<Condition> Names::condition_of(Dim declared, Dim found) const {
  const auto chosen = [&](SymbolId id) { return !universal_.contains(id); };
  const auto names = [&](Dim name, Dim compound) -> std::optional<Condition> {
    const std::optional<SymbolId> symbol = as_symbol(name);
    if (!symbol || compound.number() || as_symbol(compound) || mentions(compound, *symbol)) {
      return std::nullopt;
    }
    return Condition{*symbol, compound};
  };
  if (any_symbol(declared, chosen) || any_symbol(found, chosen)) return std::nullopt;
  std::optional<Condition> condition = names(declared, found);
  return condition ? condition : names(found, declared);
}

Comparison Names::compare_under_conditions(Dim declared, Dim found, bool written) {
  std::optional<size_t> used;
  for (size_t i = 0; i < conditions_.size(); ++i) {
    const Condition& condition = conditions_[i];
    if (!mentions(declared, condition.symbol) && !mentions(found, condition.symbol)) continue;
    Substitution replace(
        [&](SymbolId id) { return id == condition.symbol ? condition.value : Dim(); });
    declared = replace(declared);
    found = replace(found);
    used = used.value_or(i);
    if (!declared.known() || !found.known()) return {.reason = "its size does not fit 64 bits"};
  }
  const Truth equal = used ? prover_.equal(declared, found) : Truth::kUnknown;
  if (equal == Truth::kTrue) {
    return {.reason = fmt::format("it holds only where {}", text_of(conditions_[*used])),
            .condition = used};
  }
  std::optional<Counterexample> example = find_example(declared, found);
  if (equal == Truth::kUnknown) {
    if (!example) return undetermined(declared, found);
    if (const auto condition = written ? condition_of(declared, found) : std::nullopt) {
      conditions_.push_back(*condition);
      return {.reason = fmt::format("it holds only where {}", text_of(*condition)),
              .example = std::move(example),
              .condition = conditions_.size() - 1};
    }
  }
  return {.verdict = Verdict::kRefuted, .example = std::move(example), .condition = used};
}

Comparison Names::compare(Dim declared, Dim found, uint32_t region, bool written) {
  if (!declared.known() || !found.known()) return {.reason = "its size is not known"};
  // Many axes bear the same dims, and what is proved stays so while more names are bound.
  const std::tuple question(declared.expr(), found.expr(), region);
  if (declared == found || proved_.contains(question)) return {.verdict = Verdict::kProved};
  declared = inference_.constraints->resolve(substitute(declared, region));
  found = inference_.constraints->resolve(substitute(found, region));
  if (!declared.known() || !found.known()) return {.reason = "its size does not fit 64 bits"};
  switch (prover_.equal(declared, found)) {
    case Truth::kTrue:
      proved_.insert(question);
      return {.verdict = Verdict::kProved};
    case Truth::kFalse:
      return {.verdict = Verdict::kRefuted, .example = find_example(declared, found)};
    case Truth::kUnknown:
      break;
  }
  return compare_under_conditions(declared, found, written);
}

Comparison Names::compare(Dim declared, Dim found, uint32_t region) {
  return compare(declared, found, region, false);
}

Comparison Names::compare_written(Dim declared, Dim found, uint32_t region) {
  return compare(declared, found, region, !mentions_existential(declared));
}

}  // namespace onnx_shapes
