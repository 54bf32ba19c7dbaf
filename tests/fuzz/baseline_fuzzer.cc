// Reads any bytes as a baseline. A complaint is one line; what is read is written and read again as
// the same, and hides exactly what it lists.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "gate/baseline.h"

namespace onnx_shapes {
namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

/// One finding for each entry of a model: none of them is new, and stale is what is listed more
/// than once.
void apply(const Baseline& baseline, const std::string& model, const Baseline::Findings& known) {
  // Other paths may be spelt in several ways.
  if (model.find_first_not_of("abcdefghijklmnopqrstuvwxyz") != std::string::npos) return;
  Findings found(SIZE_MAX);
  size_t repeated = 0;
  for (const auto& [key, entry] : known) {
    if (is_unchecked(key.code)) return;
    Place place;
    place.value = key.value;
    place.axis = key.axis;
    // Keys are made of printable text, others fit no finding.
    if (key_of(make_finding(key.code, place, "")) != key) return;
    found.add(make_finding(key.code, std::move(place), "m"));
    if (entry.count > 1) ++repeated;
  }
  const Findings left = baseline.unknown("folder/" + model, found);
  require(std::ranges::all_of(
      left.all(), [](const Finding& each) { return each.code == Code::kBaselineStale; }));
  require(left.mark() == repeated);
}

}  // namespace
}  // namespace onnx_shapes

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer names it
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace onnx_shapes;
  const std::string path = "folder/base.json";
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto baseline = Baseline::parse(text, path);
  if (!baseline) {
    require(baseline.reason().starts_with("the baseline folder/base.json "));
    require(baseline.reason().find('\n') == std::string::npos);
    return 0;
  }
  const std::string written = baseline->to_json();
  const auto again = Baseline::parse(written, path);
  require(again.ok());
  require(again->to_json() == written);
  for (const auto& [model, known] : baseline->models()) apply(*baseline, model, known);
  return 0;
}
