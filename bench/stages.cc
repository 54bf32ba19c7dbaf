// How long the stages of `infer` take on one model, and what anchors add to inference:
//
//     stages MODEL [ROUNDS]
//
// prints the least time of all rounds, in milliseconds.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include "anchors/decide.h"
#include "anchors/merge.h"
#include "infer/infer.h"
#include "infer/schema_fallback.h"
#include "model/model.h"
#include "rules/rules.h"
#include "wire/file.h"

namespace {

using namespace onnx_shapes;  // NOLINT(google-build-using-namespace)
using Clock = std::chrono::steady_clock;

double milliseconds(Clock::time_point start, Clock::time_point end) {
  return std::chrono::duration<double, std::milli>(end - start).count();
}

struct Times {
  double load = 1e9, infer = 1e9, merge = 1e9, decide = 1e9;
};

bool run_once(const char* path, Times& least) {
  Findings findings;
  const Clock::time_point start = Clock::now();
  Expected<MappedFile> file = MappedFile::open(path);
  if (!file) return false;
  Expected<Model> model = Model::load(std::move(*file), {}, findings);
  if (!model) return false;
  const Clock::time_point loaded = Clock::now();
  const std::unique_ptr<Fallback> fallback = make_schema_fallback(*model);
  Inference inference = infer(*model, default_rules(), fallback.get(), {}, findings);
  const Clock::time_point inferred = Clock::now();
  merge_anchors(*model, inference, {}, findings);
  const Clock::time_point merged = Clock::now();
  const Decision decision = decide_annotations(*model, inference, {});
  const Clock::time_point decided = Clock::now();
  least.load = std::min(least.load, milliseconds(start, loaded));
  least.infer = std::min(least.infer, milliseconds(loaded, inferred));
  least.merge = std::min(least.merge, milliseconds(inferred, merged));
  least.decide = std::min(least.decide, milliseconds(merged, decided));
  return decision.tally.values > 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "stages MODEL [ROUNDS]\n");
    return 2;
  }
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 20;
  Times least;
  for (int round = 0; round < rounds; ++round) {
    if (!run_once(argv[1], least)) {
      fmt::print(stderr, "{} cannot be annotated\n", argv[1]);
      return 1;
    }
  }
  fmt::print("load {:.2f}, infer {:.2f}, merge anchors {:.2f} ({:.1f} % of inference), decide {:.2f}\n",
             least.load, least.infer, least.merge, 100 * least.merge / least.infer, least.decide);
}
