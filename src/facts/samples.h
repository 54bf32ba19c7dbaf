// A few runs that satisfy what is known, to see at once which questions have no answer.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "facts/knowledge.h"

namespace onnx_shapes {

/// How the numbers of two dims compare in the runs tried. What was seen in one run is not false in
/// every run.
struct Seen {
  bool less = false;
  bool equal = false;
  bool greater = false;
};

/// Numbers for the symbols that satisfy the facts. They show only that something cannot be proved,
/// so a wrong sample could lose a proof, but never make one. Samples are kept from question to
/// question and repaired where a new fact breaks them.
class Samples {
 public:
  /// `knowledge` may be null: then only the ranges of the symbols are known.
  Samples(Pool& pool, Knowledge* knowledge);

  [[nodiscard]] Seen compare(Dim a, Dim b);
  /// Looks for one more run, in which the two compare as `wanted` says, and keeps it if it finds
  /// one.
  enum class Wanted : uint8_t { kEqual, kAtMost, kLess };
  [[nodiscard]] bool find(Dim a, Dim b, Wanted wanted);
  /// The hull of the dim's numbers in the samples; nothing if there are none.
  [[nodiscard]] std::optional<Interval> range(Dim dim);

 private:
  enum class Status : uint8_t { kUnchecked, kHolds, kBroken };
  struct Sample {
    int64_t spread = 1;
    std::vector<int64_t> values;   // by SymbolId; kUnset where no one asked yet
    std::vector<Status> statuses;  // of the facts, by index
    AtomValues atoms;              // under `values`
    size_t repairs_left = kMaxRepairs;
  };
  /// left == right, or left <= right.
  struct Goal {
    Dim left, right;
    bool equality = false;
  };
  /// What the symbols of a question are related to by facts.
  struct Component {
    std::vector<SymbolId> symbols;
    std::vector<uint32_t> facts;
    bool complete = true;
  };
  struct Move {
    SymbolId symbol = 0;
    int64_t value = 0;
    size_t broken = SIZE_MAX;
  };

  void restart();
  void restart_after_forgetting();
  [[nodiscard]] Component component(Dim a, Dim b);
  [[nodiscard]] bool fits(Sample& sample, const Component& component);
  [[nodiscard]] bool satisfy(Sample& sample, const Component& component, const Goal* goal);
  [[nodiscard]] Move best_move(Sample& sample, const Goal& broken, const Goal* goal,
                               SymbolId last_moved);
  [[nodiscard]] std::vector<int64_t> candidates(Sample& sample, const Goal& broken,
                                                SymbolId symbol);
  [[nodiscard]] Goal goal_of(uint32_t fact) const;
  [[nodiscard]] bool holds(Sample& sample, uint32_t fact);
  [[nodiscard]] bool holds(Sample& sample, const Goal& goal);
  [[nodiscard]] std::optional<int64_t> distance(Sample& sample, const Goal& goal);
  [[nodiscard]] std::optional<int64_t> number(Sample& sample, Dim dim);
  [[nodiscard]] int64_t value(Sample& sample, SymbolId symbol);
  static void try_out(Sample& sample, SymbolId symbol, int64_t number);
  void set(Sample& sample, SymbolId symbol, int64_t number);
  [[nodiscard]] Interval interval(SymbolId symbol);

  static constexpr size_t kMaxFacts = 128;  // in one component
  static constexpr size_t kMaxRounds = 12;  // of repair
  // Evaluations, for the repairs of one sample altogether and for one search.
  static constexpr size_t kMaxRepairs = 1500;
  static constexpr size_t kMaxSearch = 200;
  static constexpr size_t kMaxFound = 6;  // runs that were found, besides those made at first

  Pool& pool_;
  Knowledge* knowledge_;
  std::vector<Sample> samples_;
  AtomValues scratch_;
  size_t next_found_ = 0;  // where the next run that is found goes
  uint64_t forgotten_ = 0;
};

}  // namespace onnx_shapes
