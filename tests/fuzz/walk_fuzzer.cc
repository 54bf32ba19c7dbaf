// Walks any bytes and splices what the walk has found. What the walk says must agree with the
// bytes, and the result of a splice must be a file that a walk reads in the same way.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "wire/splice_plan.h"
#include "wire/walk.h"

namespace onnx_shapes {
namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

bool inside(const Span& inner, const Span& outer) {
  return inner.offset >= outer.offset && inner.size <= outer.size &&
         inner.offset - outer.offset <= outer.size - inner.size;
}

void check_index(const WireIndex& index, const Span& file) {
  require(!index.messages.empty() && index.messages[0].parent == kNoParent);
  for (size_t i = 1; i < index.messages.size(); ++i) {
    const MessageSpan& message = index.messages[i];
    require(message.parent < i);
    require(inside(message.field.whole, index.messages[message.parent].field.content));
    require(message.field.content.end() == message.field.whole.end());
    require(message.field.content.offset - message.field.whole.offset > message.length_size);
  }
  for (const ContainerSpan& container : index.containers) {
    const Span& content = index.messages[container.message].field.content;
    for (const auto* fields : {&container.inputs, &container.outputs, &container.value_infos}) {
      for (const FieldSpan& field : *fields) {
        require(inside(field.whole, content) && inside(field.content, field.whole));
      }
    }
  }
  for (const Payload& payload : index.payloads) require(inside(payload.content, file));
}

std::string apply(std::span<const uint8_t> bytes, const SplicePlan& plan) {
  std::string result;
  uint64_t at = 0;
  const auto copy_until = [&](uint64_t end) {
    result.append(reinterpret_cast<const char*>(bytes.data()) + at, end - at);
  };
  for (const Replacement& replacement : plan.replacements) {
    copy_until(replacement.replaced.offset);
    result += replacement.text;
    at = replacement.replaced.end();
  }
  copy_until(bytes.size());
  require(result.size() == plan.size);
  return result;
}

/// Removes every second annotation, puts one before every third, and appends one to each container.
std::vector<Edit> edits_of(const WireIndex& index) {
  std::vector<Edit> edits;
  size_t count = 0;
  for (const ContainerSpan& container : index.containers) {
    const bool graph = container.kind == ContainerKind::kGraph;
    const std::string added = graph ? std::string("\x6a\x03\x0a\x01v") : "\x62\x03\x0a\x01v";
    for (const FieldSpan& field : container.value_infos) {
      ++count;
      if (count % 3 == 0) edits.push_back({container.message, {field.whole.offset, 0}, added});
      if (count % 2 == 0) edits.push_back({container.message, field.whole, {}});
    }
    const Span& content = index.messages[container.message].field.content;
    edits.push_back({container.message, {content.end(), 0}, added});
  }
  return edits;
}

size_t annotations(const WireIndex& index) {
  size_t count = 0;
  for (const ContainerSpan& container : index.containers) count += container.value_infos.size();
  return count;
}

void run(std::span<const uint8_t> bytes) {
  const WalkLimits limits = {.keep_payload_below = 8, .max_nesting = 20, .max_skeleton = 1U << 24U};
  const Expected<WireIndex> index = walk(bytes, "fuzz", limits);
  if (!index) return;
  check_index(*index, {0, bytes.size()});

  const std::optional<SplicePlan> unchanged = plan_splice(*index, {});
  require(unchanged && unchanged->replacements.empty() && unchanged->size == bytes.size());

  const std::vector<Edit> edits = edits_of(*index);
  const std::optional<SplicePlan> plan = plan_splice(*index, edits);
  require(plan.has_value());
  const std::string result = apply(bytes, *plan);
  const std::span<const uint8_t> result_bytes{reinterpret_cast<const uint8_t*>(result.data()),
                                              result.size()};
  const Expected<WireIndex> again = walk(result_bytes, "result", limits);
  if (!again) {
    require(again.reason().code == Code::kLimitSize);
    return;
  }
  require(again->containers.size() == index->containers.size());
  require(again->payloads.size() == index->payloads.size());
  const size_t before = annotations(*index);
  require(annotations(*again) == before - before / 2 + before / 3 + index->containers.size());
  for (size_t i = 0; i < index->payloads.size(); ++i) {
    const Span& old_span = index->payloads[i].content;
    const Span& new_span = again->payloads[i].content;
    require(std::ranges::equal(bytes.subspan(old_span.offset, old_span.size),
                               result_bytes.subspan(new_span.offset, new_span.size)));
  }

  // The skeleton itself, with its markers, walks again to the same containers.
  const std::span<const uint8_t> skeleton{reinterpret_cast<const uint8_t*>(index->skeleton.data()),
                                          index->skeleton.size()};
  const Expected<WireIndex> inner = walk(skeleton, "skeleton", limits);
  require(inner ? inner->containers.size() == index->containers.size()
                : inner.reason().code == Code::kLimitSize);
}

}  // namespace
}  // namespace onnx_shapes

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer names it
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  onnx_shapes::run({data, size});
  return 0;
}
