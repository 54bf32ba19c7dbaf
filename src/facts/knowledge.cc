// The state of a Knowledge: every change can be undone, and solved symbols resolve to a fixed
// point.
#include "facts/knowledge.h"

#include <algorithm>
#include <unordered_set>

namespace onnx_shapes {

Knowledge::Knowledge(SymbolTable& symbols)
    : symbols_(symbols), solve_context_{symbols, lists_, [this](Dim dim) { return sign(dim); }} {}

Knowledge::~Knowledge() = default;

void Knowledge::roll_back(size_t position) {
  if (position >= trail_.size()) return;
  while (trail_.size() > position) {
    undo(trail_.back());
    trail_.pop_back();
  }
  // What was resolved meanwhile used values that are gone.
  ++version_;
  ++solution_version_;
  ++forgotten_;
}

void Knowledge::clear() {
  roll_back(0);
  equalities_.clear();
  bounds_.clear();
}

void Knowledge::undo(const Change& change) {
  switch (change.kind) {
    case Change::Kind::kSolved:
      entries_[change.id] = {};
      --solved_count_;
      break;
    case Change::Kind::kRange:
      if (change.existed) {
        ranges_[change.id] = change.range;
        narrowing_.set(change.id, change.range.interval);
      } else {
        ranges_.erase(change.id);
        narrowing_.erase(change.id);
      }
      break;
    case Change::Kind::kFact:
      forget_last_fact();
      break;
    case Change::Kind::kInactive:
      facts_[change.id].active = true;
      break;
    case Change::Kind::kIndex:
      if (change.existed) {
        index_[change.part] = change.id;
      } else {
        index_.erase(change.part);
      }
      break;
  }
}

Knowledge::Entry& Knowledge::entry(SymbolId symbol) {
  if (entries_.size() <= symbol) entries_.resize(std::max<size_t>(symbol + 1, symbols_.size()));
  return entries_[symbol];
}

void Knowledge::set_range(SymbolId symbol, const Range& range) {
  const auto [place, is_new] = ranges_.try_emplace(symbol, range);
  Change change{Change::Kind::kRange, symbol, !is_new, {}, nullptr};
  if (!is_new) {
    change.range = place->second;
    place->second = range;
  }
  trail_.push_back(change);
  narrowing_.set(symbol, range.interval);
  ++version_;
}

void Knowledge::set_index(const Expr* part, uint32_t fact) {
  const auto [place, is_new] = index_.try_emplace(part, fact);
  trail_.push_back({Change::Kind::kIndex, place->second, !is_new, {}, part});
  place->second = fact;
}

void Knowledge::add_fact(Dim dim, const Linear& form, bool equality, Cause cause) {
  const auto index = static_cast<uint32_t>(facts_.size());
  facts_.push_back({dim, form, equality, cause, true});
  for (const SymbolId symbol : lists_.of(dim)) facts_of_[symbol].push_back(index);
  for (const Term& term : form.terms) facts_with_[term.monomial].push_back(index);
  trail_.push_back({Change::Kind::kFact, index, false, {}, nullptr});
  ++version_;
}

void Knowledge::forget_last_fact() {
  const KnownFact& last = facts_.back();
  for (const SymbolId symbol : lists_.of(last.dim)) facts_of_[symbol].pop_back();
  for (const Term& term : last.form.terms) facts_with_[term.monomial].pop_back();
  facts_.pop_back();
}

void Knowledge::deactivate(uint32_t fact) {
  trail_.push_back({Change::Kind::kInactive, fact, true, {}, nullptr});
  facts_[fact].active = false;
}

std::vector<SymbolId> Knowledge::solved_symbols() const {
  std::vector<SymbolId> result;
  for (SymbolId symbol = 0; symbol < entries_.size(); ++symbol) {
    if (entries_[symbol].value.known()) result.push_back(symbol);
  }
  return result;
}

std::span<const uint32_t> Knowledge::facts_with(const Monomial* monomial) const {
  const auto found = facts_with_.find(monomial);
  if (found == facts_with_.end()) return {};
  return found->second;
}

std::span<const uint32_t> Knowledge::facts_about(SymbolId symbol) const {
  const auto found = facts_of_.find(symbol);
  if (found == facts_of_.end()) return {};
  return found->second;
}

bool Knowledge::any_facts_about(Dim dim) {
  if (facts_.empty()) return false;
  const std::span<const SymbolId> symbols = lists_.of(dim);
  return std::any_of(symbols.begin(), symbols.end(),
                     [this](SymbolId symbol) { return !facts_about(symbol).empty(); });
}

bool Knowledge::knows_nothing_of(Dim dim) {
  if (any_facts_about(dim)) return false;
  if (ranges_.empty()) return true;
  const std::span<const SymbolId> symbols = lists_.of(dim);
  return std::none_of(symbols.begin(), symbols.end(),
                      [this](SymbolId symbol) { return ranges_.contains(symbol); });
}

void Knowledge::describe(Cause cause, Dim a, Dim b) {
  std::vector<Said>& said = cause.kind == Cause::Kind::kEquality ? equalities_ : bounds_;
  if (said.size() <= cause.index) said.resize(cause.index + 1);
  said[cause.index] = {a, b};
}

std::vector<Cause> Knowledge::causes_of(SymbolId symbol) {
  std::vector<Cause> causes;
  std::vector<SymbolId> stack{symbol};
  std::unordered_set<SymbolId> seen{symbol};
  const auto visit = [&](Dim dim, uint32_t before) {
    for (const SymbolId part : lists_.of(dim)) {
      if (!solved(part) || entries_[part].order >= before) continue;
      if (seen.insert(part).second) stack.push_back(part);
    }
  };
  while (!stack.empty() && causes.size() < kMaxCauses) {
    const SymbolId top = stack.back();
    stack.pop_back();
    const Entry& place = entries_[top];
    visit(place.value, UINT32_MAX);
    for (const Cause cause : {place.cause, place.trigger}) {
      if (cause.kind == Cause::Kind::kNone) continue;
      if (std::find(causes.begin(), causes.end(), cause) != causes.end()) continue;
      causes.push_back(cause);
      const Said& said =
          cause.kind == Cause::Kind::kEquality ? equalities_[cause.index] : bounds_[cause.index];
      visit(said.a, place.order);
      visit(said.b, place.order);
    }
  }
  std::sort(causes.begin(), causes.end(), [](const Cause& a, const Cause& b) {
    return a.kind != b.kind ? a.kind < b.kind : a.index < b.index;
  });
  return causes;
}

bool Knowledge::mentions_solved(Dim dim) {
  if (solved_count_ == 0) return false;
  const std::span<const SymbolId> symbols = lists_.of(dim);
  return std::any_of(symbols.begin(), symbols.end(),
                     [this](SymbolId symbol) { return solved(symbol); });
}

Dim Knowledge::latest_value(SymbolId symbol) const {
  const Entry& place = entries_[symbol];
  return place.latest.known() && place.forgotten == forgotten_ ? place.latest : place.value;
}

Substitution& Knowledge::substitution() {
  if (substitution_version_ != solution_version_) {
    substitution_ = std::make_unique<Substitution>(
        [this](SymbolId symbol) { return solved(symbol) ? latest_value(symbol) : Dim(); });
    substitution_version_ = solution_version_;
  }
  return *substitution_;
}

/// Values were in the symbols unsolved at the time. Brings one up to date, and all that it is made
/// of, deepest first; a chain of solutions can be as long as the model, so this does not recurse.
void Knowledge::make_current(SymbolId symbol) {
  std::vector<SymbolId> stack{symbol};
  while (!stack.empty()) {
    const SymbolId top = stack.back();
    Entry& place = entries_[top];
    if (place.current == solution_version_) {
      stack.pop_back();
      continue;
    }
    const Dim value = latest_value(top);
    bool ready = true;
    bool changes = false;
    for (const SymbolId part : lists_.of(value)) {
      if (!solved(part)) continue;
      changes = true;
      if (entries_[part].current == solution_version_) continue;
      stack.push_back(part);
      ready = false;
    }
    if (!ready) continue;
    stack.pop_back();
    const Dim next = changes ? substitution()(value) : value;
    place.latest = next.known() ? next : value;
    place.current = solution_version_;
    place.forgotten = forgotten_;
  }
}

Dim Knowledge::resolve(Dim dim) {
  if (!dim.known() || !mentions_solved(dim)) return dim;
  if (const auto found = resolved_.find(dim.expr());
      found != resolved_.end() && found->second.version == solution_version_) {
    return found->second.dim;
  }
  for (const SymbolId symbol : lists_.of(dim)) {
    if (solved(symbol)) make_current(symbol);
  }
  // Where the result would be too large, the dim stays as it is; that is right as well.
  const Dim result = substitution()(dim);
  const Dim kept = result.known() ? result : dim;
  resolved_[dim.expr()] = {solution_version_, kept};
  return kept;
}

}  // namespace onnx_shapes
