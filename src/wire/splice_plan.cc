// Sizes from the inside out, then one sorted list.
#include "wire/splice_plan.h"

#include <algorithm>
#include <cstddef>
#include <tuple>

#include "wire/varint.h"

namespace onnx_shapes {
namespace {

/// A replacement with what decides its place among those at the same offset.
struct Ordered {
  Replacement replacement;
  uint32_t message = 0;
};

/// Where one message ends and the next begins, what is appended to the inner one comes first; an
/// inner message has the higher index. In one message, an insertion comes before what is replaced.
bool before(const Ordered& a, const Ordered& b) {
  const auto key = [](const Ordered& x) {
    return std::tuple(x.replacement.replaced.offset, ~x.message, x.replacement.replaced.size != 0);
  };
  return key(a) < key(b);
}

/// The shortest form of a length, unless the author's was longer than it had to be.
std::string new_prefix(const MessageSpan& message, uint64_t size) {
  const bool overlong = message.length_size > varint_size(message.field.content.size);
  std::string prefix;
  append_varint(prefix, size, overlong ? message.length_size : 1);
  return prefix;
}

}  // namespace

std::optional<SplicePlan> plan_splice(const WireIndex& index, const std::vector<Edit>& edits) {
  SplicePlan plan;
  const size_t count = index.messages.size();
  std::vector<uint64_t> growth(count, 0);  // of the content, modulo 2^64
  std::vector<bool> changed(count, false);
  std::vector<Ordered> ordered;
  for (const Edit& edit : edits) {
    if (edit.message >= count) return std::nullopt;
    const Span& content = index.messages[edit.message].field.content;
    const Span& replaced = edit.replaced;
    if (replaced.offset < content.offset || replaced.offset > content.end() ||
        replaced.size > content.end() - replaced.offset) {
      return std::nullopt;
    }
    if (replaced.size == 0 && edit.replacement.empty()) continue;
    growth[edit.message] += edit.replacement.size() - replaced.size;
    changed[edit.message] = true;
    ordered.push_back({{replaced, edit.replacement}, edit.message});
  }
  plan.prefixes.reserve(count);
  for (size_t i = count; i-- > 1;) {
    if (!changed[i]) continue;
    const MessageSpan& message = index.messages[i];
    changed[message.parent] = true;
    growth[message.parent] += growth[i];
    if (growth[i] == 0) continue;
    const uint32_t old_size = message.length_size;
    const std::string& prefix =
        plan.prefixes.emplace_back(new_prefix(message, message.field.content.size + growth[i]));
    growth[message.parent] += prefix.size() - old_size;
    ordered.push_back(
        {{{message.field.content.offset - old_size, old_size}, prefix}, message.parent});
  }
  std::stable_sort(ordered.begin(), ordered.end(), before);
  uint64_t end = 0;
  plan.replacements.reserve(ordered.size());
  for (const Ordered& entry : ordered) {
    if (entry.replacement.replaced.offset < end) return std::nullopt;
    end = entry.replacement.replaced.end();
    plan.replacements.push_back(entry.replacement);
  }
  plan.size = count == 0 ? 0 : index.messages[0].field.content.size + growth[0];
  return plan;
}

uint64_t spliced_size(const WireIndex& index, const std::vector<Edit>& edits) {
  const std::optional<SplicePlan> plan = plan_splice(index, edits);
  return plan ? plan->size : 0;
}

}  // namespace onnx_shapes
