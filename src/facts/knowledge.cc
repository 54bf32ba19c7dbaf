// The state of a Knowledge: every change can be undone, and solved symbols resolve to a fixed
// point.
#include "facts/knowledge.h"

#include <algorithm>

namespace onnx_shapes {

Knowledge::Knowledge(SymbolTable& symbols)
    : symbols_(symbols), solve_context_{symbols, lists_, [this](Dim dim) { return sign(dim); }} {}

Knowledge::~Knowledge() = default;

void Knowledge::rollback() {
  for (auto undo = journal_.rbegin(); undo != journal_.rend(); ++undo) (*undo)();
  journal_.clear();
  pending_.clear();
  // What was resolved meanwhile used values that are gone.
  ++version_;
  ++solution_version_;
}

Knowledge::Entry& Knowledge::entry(SymbolId symbol) {
  if (entries_.size() <= symbol) entries_.resize(std::max<size_t>(symbol + 1, symbols_.size()));
  return entries_[symbol];
}

void Knowledge::set_entry(SymbolId symbol, const Entry& value) {
  Entry& place = entry(symbol);
  journal_.emplace_back([this, symbol, old = place] { entries_[symbol] = old; });
  place = value;
}

void Knowledge::set_range(SymbolId symbol, const Range& range) {
  const auto found = ranges_.find(symbol);
  if (found == ranges_.end()) {
    journal_.emplace_back([this, symbol] {
      ranges_.erase(symbol);
      narrowing_.erase(symbol);
    });
  } else {
    journal_.emplace_back([this, symbol, old = found->second] {
      ranges_[symbol] = old;
      narrowing_.set(symbol, old.interval);
    });
  }
  ranges_[symbol] = range;
  narrowing_.set(symbol, range.interval);
  changed_ = true;
  ++version_;
}

void Knowledge::set_bound_index(const Expr* part, uint32_t fact) {
  const auto [place, is_new] = bound_index_.try_emplace(part, fact);
  if (is_new) {
    journal_.emplace_back([this, part] { bound_index_.erase(part); });
  } else {
    journal_.emplace_back([this, part, old = place->second] { bound_index_[part] = old; });
    place->second = fact;
  }
}

void Knowledge::add_fact(Dim form, bool equality, Cause cause) {
  const auto index = static_cast<uint32_t>(facts_.size());
  facts_.push_back({form, equality, cause, true});
  for (const SymbolId symbol : lists_.of(form)) facts_of_[symbol].push_back(index);
  journal_.emplace_back([this] {
    for (const SymbolId symbol : lists_.of(facts_.back().form)) facts_of_[symbol].pop_back();
    facts_.pop_back();
  });
  changed_ = true;
  ++version_;
}

void Knowledge::deactivate(uint32_t fact) {
  journal_.emplace_back([this, fact] { facts_[fact].active = true; });
  facts_[fact].active = false;
}

bool Knowledge::solved(SymbolId symbol) const {
  return symbol < entries_.size() && entries_[symbol].value.known();
}

std::vector<SymbolId> Knowledge::solved_symbols() const {
  std::vector<SymbolId> result;
  for (SymbolId symbol = 0; symbol < entries_.size(); ++symbol) {
    if (entries_[symbol].value.known()) result.push_back(symbol);
  }
  return result;
}

std::span<const uint32_t> Knowledge::facts_of(SymbolId symbol) const {
  const auto found = facts_of_.find(symbol);
  if (found == facts_of_.end()) return {};
  return found->second;
}

const Interval* Knowledge::range(SymbolId symbol) const {
  const auto found = ranges_.find(symbol);
  return found == ranges_.end() ? nullptr : &found->second.interval;
}

bool Knowledge::mentions_solved(Dim dim) {
  const std::span<const SymbolId> symbols = lists_.of(dim);
  return std::any_of(symbols.begin(), symbols.end(),
                     [this](SymbolId symbol) { return solved(symbol); });
}

Substitution& Knowledge::substitution() {
  if (substitution_version_ != solution_version_) {
    substitution_ = std::make_unique<Substitution>(
        [this](SymbolId symbol) { return solved(symbol) ? entries_[symbol].value : Dim(); });
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
    const Entry& place = entries_[top];
    bool ready = true;
    bool changes = false;
    if (place.current != solution_version_) {
      for (const SymbolId part : lists_.of(place.value)) {
        if (!solved(part)) continue;
        changes = true;
        if (entries_[part].current == solution_version_) continue;
        stack.push_back(part);
        ready = false;
      }
    }
    if (!ready) continue;
    stack.pop_back();
    if (place.current == solution_version_) continue;
    Entry next = place;
    next.current = solution_version_;
    if (changes) {
      const Dim value = substitution()(place.value);
      if (value.known()) next.value = value;
    }
    if (pending_add_) {
      set_entry(top, next);
    } else {
      entries_[top] = next;
    }
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
