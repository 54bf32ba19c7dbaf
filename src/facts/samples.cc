// Numbers near the lower ends of the ranges first, where most differences show; then local search
// for ones that satisfy the facts.
#include "facts/samples.h"

#include <algorithm>
#include <array>
#include <utility>

#include "support/int_math.h"

namespace onnx_shapes {
namespace {

constexpr int64_t kUnset = Interval::kNegInf;

/// How far the symbols are spread in each sample. The first binds each to its smallest number.
constexpr std::array<int64_t, 6> kSpread = {1, 2, 7, 23, 101, 1'000'003};

/// Worth trying where a number does not fit.
constexpr std::array<int64_t, 14> kUsual = {0, 1, 2, 3, 4, 5, 6, 8, 12, 16, 32, 64, 224, 1024};

int64_t spread_out(Interval range, SymbolId symbol, int64_t spread) {
  uint64_t mixed = (uint64_t{symbol} + 1) * 0x9E3779B97F4A7C15U * static_cast<uint64_t>(spread);
  mixed ^= mixed >> 31U;
  const auto offset = static_cast<int64_t>(mixed % static_cast<uint64_t>(spread));
  const bool low_open = range.lo == Interval::kNegInf;
  if (low_open && range.hi == Interval::kInf) return (mixed >> 40U) % 2 == 0 ? offset : -offset;
  if (low_open) return range.hi < Interval::kNegInf + offset ? range.hi : range.hi - offset;
  const bool fits = range.lo <= Interval::kInf - offset && range.lo + offset <= range.hi;
  return fits ? range.lo + offset : range.lo;
}

}  // namespace

Samples::Samples(Pool& pool, Knowledge* knowledge) : pool_(pool), knowledge_(knowledge) {
  restart();
}

Interval Samples::interval(SymbolId symbol) {
  const Dim dim = pool_.symbol(symbol);
  return knowledge_ == nullptr ? dim.bounds() : knowledge_->narrowing().of(dim);
}

int64_t Samples::value(Sample& sample, SymbolId symbol) {
  if (sample.values.size() <= symbol) sample.values.resize(pool_.symbol_count(), kUnset);
  int64_t& number = sample.values[symbol];
  if (number == kUnset) number = spread_out(interval(symbol), symbol, sample.spread);
  return number;
}

/// Another number, of which the facts know nothing yet. Precondition: the symbol has one.
void Samples::try_out(Sample& sample, SymbolId symbol, int64_t number) {
  if (sample.values[symbol] == number) return;
  sample.values[symbol] = number;
  sample.atoms.forget();
}

void Samples::set(Sample& sample, SymbolId symbol, int64_t number) {
  (void)value(sample, symbol);
  try_out(sample, symbol, number);
  if (knowledge_ == nullptr) return;
  for (const uint32_t fact : knowledge_->facts_about(symbol)) {
    if (fact < sample.statuses.size()) sample.statuses[fact] = Status::kUnchecked;
  }
}

std::optional<int64_t> Samples::number(Sample& sample, Dim dim) {
  return sample.atoms.evaluate(
      dim, [&](SymbolId symbol) { return std::optional(value(sample, symbol)); });
}

Samples::Goal Samples::goal_of(uint32_t fact) const {
  const KnownFact& known = knowledge_->fact(fact);
  return {pool_.constant(0), known.dim, known.equality};
}

/// What right - left is above (below) what it has to be; nothing where that has no value.
std::optional<int64_t> Samples::distance(Sample& sample, const Goal& goal) {
  const std::optional<int64_t> left = number(sample, goal.left);
  const std::optional<int64_t> right = left ? number(sample, goal.right) : std::nullopt;
  if (!right) return std::nullopt;
  const Wide difference = Wide{*right} - *left;
  if (difference < INT64_MIN || difference > INT64_MAX) return std::nullopt;
  return static_cast<int64_t>(difference);
}

bool Samples::holds(Sample& sample, const Goal& goal) {
  const std::optional<int64_t> found = distance(sample, goal);
  return found && (goal.equality ? *found == 0 : *found >= 0);
}

bool Samples::holds(Sample& sample, uint32_t fact) {
  if (sample.statuses.size() <= fact) sample.statuses.resize(fact + 1, Status::kUnchecked);
  Status& status = sample.statuses[fact];
  if (status == Status::kUnchecked) {
    status = holds(sample, goal_of(fact)) ? Status::kHolds : Status::kBroken;
  }
  return status == Status::kHolds;
}

/// What was repaired for facts that are gone must not show in later answers.
void Samples::restart_after_forgetting() {
  if (knowledge_ == nullptr || forgotten_ == knowledge_->forgotten()) return;
  forgotten_ = knowledge_->forgotten();
  restart();
}

void Samples::restart() {
  samples_.clear();
  next_found_ = 0;
  for (const int64_t spread : kSpread) samples_.emplace_back().spread = spread;
}

Samples::Component Samples::component(Dim a, Dim b) {
  Component result;
  if (knowledge_ == nullptr) return result;
  const auto reach = [&](Dim dim) {
    for (const SymbolId symbol : knowledge_->lists().of(dim)) {
      const auto known = std::find(result.symbols.begin(), result.symbols.end(), symbol);
      if (known == result.symbols.end()) result.symbols.push_back(symbol);
    }
  };
  reach(a);
  reach(b);
  for (size_t i = 0; i < result.symbols.size(); ++i) {
    for (const uint32_t fact : knowledge_->facts_about(result.symbols[i])) {
      if (!knowledge_->fact(fact).active) continue;
      if (std::find(result.facts.begin(), result.facts.end(), fact) != result.facts.end()) continue;
      if (result.facts.size() == kMaxFacts) {
        result.complete = false;
        return result;
      }
      result.facts.push_back(fact);
      reach(knowledge_->fact(fact).dim);
    }
  }
  return result;
}

/// Whether the sample satisfies what is known of the symbols, if need be after repair.
bool Samples::fits(Sample& sample, const Component& component) {
  for (const SymbolId symbol : component.symbols) {
    const Interval range = interval(symbol);
    if (range.contains(value(sample, symbol))) continue;
    set(sample, symbol, spread_out(range, symbol, sample.spread));
  }
  return satisfy(sample, component, nullptr);
}

/// Changes one number after the other until all facts hold, and the goal too.
bool Samples::satisfy(Sample& sample, const Component& component, const Goal* goal) {
  SymbolId last_moved = UINT32_MAX;
  for (size_t round = 0; round < kMaxRounds; ++round) {
    const auto broken = std::find_if(component.facts.begin(), component.facts.end(),
                                     [&](uint32_t fact) { return !holds(sample, fact); });
    const bool facts_hold = broken == component.facts.end();
    if (facts_hold && (goal == nullptr || holds(sample, *goal))) return true;
    if (sample.repairs_left == 0) return false;
    const Move move = best_move(sample, facts_hold ? *goal : goal_of(*broken), goal, last_moved);
    if (move.broken == SIZE_MAX) return false;
    set(sample, move.symbol, move.value);
    last_moved = move.symbol;
  }
  return false;
}

/// Of the numbers that mend what is broken, the one that breaks least.
Samples::Move Samples::best_move(Sample& sample, const Goal& broken, const Goal* goal,
                                 SymbolId last_moved) {
  std::vector<SymbolId> symbols;
  for (const Dim side : {broken.left, broken.right}) {
    for_each_symbol(side, [&](SymbolId symbol) { symbols.push_back(symbol); });
  }
  Move best;
  for (const SymbolId symbol : symbols) {
    if (symbol == last_moved && symbols.size() > 1) continue;
    const int64_t before = value(sample, symbol);
    for (const int64_t candidate : candidates(sample, broken, symbol)) {
      if (sample.repairs_left == 0 || best.broken == 0) break;
      --sample.repairs_left;
      try_out(sample, symbol, candidate);
      if (!holds(sample, broken)) continue;
      size_t count = goal != nullptr && !holds(sample, *goal) ? 1 : 0;
      if (knowledge_ != nullptr) {
        for (const uint32_t fact : knowledge_->facts_about(symbol)) {
          if (count >= best.broken) break;
          if (!knowledge_->fact(fact).active) continue;
          sample.repairs_left -= std::min<size_t>(sample.repairs_left, 1);
          if (!holds(sample, goal_of(fact))) ++count;
        }
      }
      if (count < best.broken) best = {symbol, candidate, count};
    }
    try_out(sample, symbol, before);
  }
  return best;
}

/// Usual numbers, those of the other symbols, and where a straight line would meet the goal.
std::vector<int64_t> Samples::candidates(Sample& sample, const Goal& broken, SymbolId symbol) {
  std::vector<int64_t> result;
  const int64_t before = value(sample, symbol);
  const Interval range = interval(symbol);
  const auto add = [&](Wide number) {
    if (number < range.lo || number > range.hi || number == before) return;
    const auto narrow = static_cast<int64_t>(number);
    if (std::find(result.begin(), result.end(), narrow) == result.end()) result.push_back(narrow);
  };
  const std::optional<int64_t> here = distance(sample, broken);
  for (const int64_t step : {int64_t{1}, int64_t{64}}) {
    if (!here || before > Interval::kInf - step) break;
    try_out(sample, symbol, before + step);
    const std::optional<int64_t> there = distance(sample, broken);
    try_out(sample, symbol, before);
    if (!there || *there == *here) continue;
    const Wide slope = Wide{*there} - *here;
    const Wide root = before - Wide{*here} * step / slope;
    for (const int64_t around : {0, 1, -1}) add(root + around);
  }
  for (const Dim side : {broken.left, broken.right}) {
    for_each_symbol(side, [&](SymbolId other) { add(value(sample, other)); });
  }
  if (range.lo != Interval::kNegInf) add(range.lo);
  for (const int64_t usual : kUsual) add(usual);
  return result;
}

Seen Samples::compare(Dim a, Dim b) {
  restart_after_forgetting();
  Seen seen;
  const Component related = component(a, b);
  if (!related.complete) return seen;
  for (Sample& sample : samples_) {
    if (!fits(sample, related)) continue;
    const std::optional<int64_t> left = number(sample, a);
    const std::optional<int64_t> right = number(sample, b);
    if (!left || !right) continue;
    seen.less = seen.less || *left < *right;
    seen.equal = seen.equal || *left == *right;
    seen.greater = seen.greater || *left > *right;
  }
  return seen;
}

bool Samples::find(Dim a, Dim b, Wanted wanted) {
  restart_after_forgetting();
  const Component related = component(a, b);
  if (!related.complete) return false;
  Goal goal{a, b, wanted == Wanted::kEqual};
  if (wanted == Wanted::kLess) goal.right = b - 1;
  if (!goal.right.known()) return false;
  size_t budget = kMaxSearch;
  for (size_t i = 0; i < samples_.size() && budget > 0; ++i) {
    Sample sample = samples_[i];
    std::swap(sample.atoms, scratch_);  // its memory
    sample.atoms.forget();
    sample.repairs_left = budget;
    if (fits(sample, related) && satisfy(sample, related, &goal)) {
      sample.repairs_left = kMaxRepairs / 4;
      if (samples_.size() < kSpread.size() + kMaxFound) {
        samples_.push_back(std::move(sample));
      } else {
        samples_[kSpread.size() + next_found_++ % kMaxFound] = std::move(sample);
      }
      return true;
    }
    budget = sample.repairs_left;
    std::swap(sample.atoms, scratch_);
  }
  return false;
}

std::optional<Interval> Samples::range(Dim dim) {
  restart_after_forgetting();
  std::optional<Interval> all;
  const Component related = component(dim, dim);
  if (!related.complete) return all;
  for (Sample& sample : samples_) {
    if (!fits(sample, related)) continue;
    const std::optional<int64_t> found = number(sample, dim);
    if (!found) continue;
    const Interval point = Interval::point(*found);
    all = all ? hull(*all, point) : point;
  }
  return all;
}

}  // namespace onnx_shapes
