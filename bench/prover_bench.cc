// What a question to the prover and a new constraint cost.
#include <benchmark/benchmark.h>

#include <memory>
#include <vector>

#include "facts/constraints.h"
#include "facts/prover.h"

namespace onnx_shapes {
namespace {

constexpr size_t kSymbols = 1024;

/// Symbols of which each question uses another, so that no answer is remembered.
class Questions {
 public:
  explicit Questions(bool with_facts) : symbols_(pool_), constraints_(symbols_) {
    n_ = symbols_.author("N", SymbolKind::kInput, Interval::at_least(0), {});
    m_ = symbols_.author("M", SymbolKind::kInput, Interval::at_least(0), {});
    for (size_t i = 0; i < kSymbols; ++i) {
      u_.push_back(symbols_.fresh("u", Interval::at_least(0), {}));
      if (with_facts) constraints_.add_at_most(u_.back(), n_ * m_, {});
    }
  }

  /// Runs `ask(prover, i)` for one i after the other; the prover is new whenever i starts again.
  template <class Ask>
  void run(benchmark::State& state, Ask ask) {
    auto prover = std::make_unique<Prover>(pool_, &constraints_);
    size_t i = 0;
    for (auto _ : state) {
      benchmark::DoNotOptimize(ask(*prover, i));
      if (++i < kSymbols - 1) continue;
      state.PauseTiming();
      prover = std::make_unique<Prover>(pool_, &constraints_);
      i = 0;
      state.ResumeTiming();
    }
  }

  [[nodiscard]] Dim n() const { return n_; }
  [[nodiscard]] Dim m() const { return m_; }
  [[nodiscard]] Dim u(size_t i) const { return u_[i]; }

 private:
  Pool pool_;
  SymbolTable symbols_;
  ConstraintSet constraints_;
  Dim n_, m_;
  std::vector<Dim> u_;
};

void same_pointer(benchmark::State& state) {
  Questions q(false);
  q.run(state, [&](Prover& prover, size_t i) { return prover.equal(q.u(i), q.u(i)); });
}
BENCHMARK(same_pointer);

void remembered(benchmark::State& state) {
  Questions q(false);
  q.run(state, [&](Prover& prover, size_t) { return prover.equal(q.n(), q.m()); });
}
BENCHMARK(remembered);

void unrelated_symbols(benchmark::State& state) {
  Questions q(false);
  q.run(state, [&](Prover& prover, size_t i) { return prover.equal(q.u(i), q.u(i + 1)); });
}
BENCHMARK(unrelated_symbols);

void is_it_one(benchmark::State& state) {
  Questions q(false);
  q.run(state, [&](Prover& prover, size_t i) { return prover.provably_not(q.u(i), 1); });
}
BENCHMARK(is_it_one);

void halves_make_a_whole(benchmark::State& state) {
  Questions q(false);
  q.run(state, [&](Prover& prover, size_t i) {
    return prover.equal(floor_div(q.u(i) + 1, 2), q.u(i) - floor_div(q.u(i), 2));
  });
}
BENCHMARK(halves_make_a_whole);

void unrelated_quotients(benchmark::State& state) {
  Questions q(false);
  q.run(state, [&](Prover& prover, size_t i) {
    return prover.equal(floor_div(q.u(i) + 15, 16), floor_div(q.u(i + 1) + 7, 8));
  });
}
BENCHMARK(unrelated_quotients);

void clamped_slice(benchmark::State& state) {
  Questions q(false);
  q.run(state, [&](Prover& prover, size_t i) {
    return prover.at_most(floor_div(max(min(q.u(i), q.n()) - 5, 0), 2), q.n());
  });
}
BENCHMARK(clamped_slice);

void by_an_upper_bound(benchmark::State& state) {
  Questions q(true);
  q.run(state, [&](Prover& prover, size_t i) { return prover.at_most(q.u(i), q.n() * q.m() + 1); });
}
BENCHMARK(by_an_upper_bound);

void unknown_among_facts(benchmark::State& state) {
  Questions q(true);
  q.run(state, [&](Prover& prover, size_t i) { return prover.equal(q.u(i), q.u(i + 1)); });
}
BENCHMARK(unknown_among_facts);

/// One more equality after so many, recorded and forgotten again.
void add_and_roll_back(benchmark::State& state) {
  Pool pool;
  SymbolTable symbols(pool);
  ConstraintSet constraints(symbols);
  Dim previous = symbols.fresh("u", Interval::at_least(0), {});
  for (int64_t i = 0; i < state.range(0); ++i) {
    const Dim next = symbols.fresh("u", Interval::at_least(0), {});
    benchmark::DoNotOptimize(constraints.add_equal(previous, next + i % 3, {}));
    previous = next;
  }
  const Dim last = symbols.fresh("u", Interval::at_least(0), {});
  for (auto _ : state) {
    const uint64_t mark = constraints.mark();
    benchmark::DoNotOptimize(constraints.add_equal(previous, last + 1, {}));
    constraints.roll_back(mark);
  }
}
BENCHMARK(add_and_roll_back)->Arg(10)->Arg(10'000);

}  // namespace
}  // namespace onnx_shapes

BENCHMARK_MAIN();
