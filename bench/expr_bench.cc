// What the operations of the expression engine cost.
#include <benchmark/benchmark.h>

#include <string>
#include <utility>

#include "expr/expr.h"
#include "expr/text.h"
#include "facts/prover.h"

namespace onnx_shapes {
namespace {

/// Two sums of three terms.
struct Sums {
  Pool pool;
  Dim b = pool.symbol(pool.add_symbol("B"));
  Dim s = pool.symbol(pool.add_symbol("S"));
  Dim h = pool.symbol(pool.add_symbol("H"));
  Dim p = pool.symbol(pool.add_symbol("P"));
  Dim x = b * s + h + 3;
  Dim y = b * p - s - h;
};

void add(benchmark::State& state) {
  const Sums sums;
  for (auto _ : state) benchmark::DoNotOptimize(sums.x + sums.y);
}
BENCHMARK(add);

void multiply(benchmark::State& state) {
  const Sums sums;
  for (auto _ : state) benchmark::DoNotOptimize(sums.x * sums.y);
}
BENCHMARK(multiply);

void floor_div_by_number(benchmark::State& state) {
  const Sums sums;
  for (auto _ : state) benchmark::DoNotOptimize(floor_div(sums.x, 2));
}
BENCHMARK(floor_div_by_number);

/// What a Reshape with -1 asks: B*S*64 // (S*8).
void floor_div_exact(benchmark::State& state) {
  const Sums sums;
  const Dim above = sums.b * sums.s * 64;
  const Dim below = sums.s * 8;
  for (auto _ : state) benchmark::DoNotOptimize(floor_div(above, below));
}
BENCHMARK(floor_div_exact);

void maximum(benchmark::State& state) {
  const Sums sums;
  for (auto _ : state) benchmark::DoNotOptimize(max(sums.x, sums.y));
}
BENCHMARK(maximum);

void equal(benchmark::State& state) {
  const Sums sums;
  Dim x = sums.x;
  for (auto _ : state) {
    benchmark::DoNotOptimize(x);
    benchmark::DoNotOptimize(x == sums.y);
  }
}
BENCHMARK(equal);

/// `(a + 1)//2 == a - a//2`, which are two normal forms.
void prove_equal(benchmark::State& state) {
  Pool pool;
  const Dim a = pool.symbol(pool.add_symbol("a"));
  const Dim x = floor_div(a + 1, 2);
  const Dim y = a - floor_div(a, 2);
  for (auto _ : state) {
    Prover prover(pool);
    if (prover.equal(x, y) != Truth::kTrue) state.SkipWithError("not proved");
  }
}
BENCHMARK(prove_equal);

/// The sizes after 32 convolutions with a kernel of 2, every eighth with a stride of 2.
Dim convolution_chain(Dim size) {
  for (int stage = 0; stage < 32; ++stage) {
    size = floor_div(size - 1, stage % 8 == 7 ? 2 : 1) + 1;
  }
  return size;
}

/// Both spatial dims of an image, in a pool of their own: what a model of 32 convolutions costs.
void convolution_chain_32(benchmark::State& state) {
  for (auto _ : state) {
    Pool pool;
    const Dim height = pool.symbol(pool.add_symbol("H"));
    const Dim width = pool.symbol(pool.add_symbol("W"));
    benchmark::DoNotOptimize(convolution_chain(height));
    benchmark::DoNotOptimize(convolution_chain(width));
  }
  Pool pool;
  state.SetLabel(to_text(convolution_chain(pool.symbol(pool.add_symbol("H")))));
}
BENCHMARK(convolution_chain_32);

/// 32 layers, in each the quotients of five Reshapes and a Slice of the past.
void attention_32(benchmark::State& state) {
  for (auto _ : state) {
    Pool pool;
    const Dim batch = pool.symbol(pool.add_symbol("B"));
    const Dim seq = pool.symbol(pool.add_symbol("S"));
    const Dim past = pool.symbol(pool.add_symbol("P"));
    for (int layer = 0; layer < 32; ++layer) {
      const Dim total = past + seq;
      const Dim elements = batch * seq * 4096;
      const Dim scores = batch * 32 * (seq * total);
      benchmark::DoNotOptimize(floor_div(elements, batch * seq));
      benchmark::DoNotOptimize(floor_div(elements, batch * seq * 32));
      benchmark::DoNotOptimize(floor_div(scores, batch * (seq * total)));
      benchmark::DoNotOptimize(floor_div(elements, batch * 4096));
      benchmark::DoNotOptimize(floor_div(scores, total * 32));
      benchmark::DoNotOptimize(min(total, max(total - seq, 0)));
    }
  }
}
BENCHMARK(attention_32);

}  // namespace
}  // namespace onnx_shapes

BENCHMARK_MAIN();
