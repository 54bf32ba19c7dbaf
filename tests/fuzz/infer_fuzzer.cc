// Loads bytes as a model, infers it, merges its anchors, writes it, and does the same with the
// result.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "anchors/decide.h"
#include "anchors/merge.h"
#include "anchors/placeholders.h"
#include "cli/listing.h"
#include "infer/infer.h"
#include "infer/schema_fallback.h"
#include "model/annotate.h"
#include "rules/rules.h"
#include "wire/splice_plan.h"

namespace onnx_shapes {
namespace {

struct Annotated {
  std::string bytes;
  size_t changes = 0;
  bool stopped = false;  // a limit ended inference
};

std::string spliced(const Model& model, const std::vector<Edit>& edits) {
  const std::optional<SplicePlan> plan = plan_splice(model.wire(), edits);
  if (!plan) std::abort();
  const std::span<const uint8_t> bytes = model.file().bytes();
  const std::string_view source(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  std::string result;
  uint64_t at = 0;
  for (const Replacement& replacement : plan->replacements) {
    result += source.substr(at, replacement.replaced.offset - at);
    result += replacement.text;
    at = replacement.replaced.end();
  }
  result += source.substr(at);
  return result;
}

bool limit_hit(const Findings& findings) {
  for (const Finding& finding : findings.all()) {
    if (finding.code >= Code::kLimitNesting && finding.code <= Code::kLimitSize) return true;
  }
  return false;
}

std::optional<Annotated> annotated(std::span<const uint8_t> bytes) {
  Findings findings;
  LoadOptions load;
  load.max_nodes = 20'000;
  Expected<Model> model = Model::load(MappedFile::borrow(bytes, "<stdin>"), load, findings);
  if (!model) return std::nullopt;
  InferOptions options;
  options.max_node_visits = 20'000;
  options.deadline = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  const std::unique_ptr<Fallback> fallback = make_schema_fallback(*model);
  Inference inference = infer(*model, default_rules(), fallback.get(), options, findings);
  report_placeholders(*model, findings);
  merge_anchors(*model, inference, {}, findings);
  (void)listing(*model, inference);
  const Decision decision = decide_annotations(*model, inference, {});
  return Annotated{spliced(*model, annotation_edits(*model, decision.changes)),
                   decision.tally.changes, limit_hit(findings)};
}

}  // namespace
}  // namespace onnx_shapes

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto first = onnx_shapes::annotated({data, size});
  if (!first || first->stopped) return 0;
  const auto* bytes = reinterpret_cast<const uint8_t*>(first->bytes.data());
  const auto second = onnx_shapes::annotated({bytes, first->bytes.size()});
  // What we wrote can be read.
  if (!second) std::abort();
  return 0;
}
