#include "diag/finding_key.h"

#include <fmt/format.h>

#include "diag/printable.h"

namespace onnx_shapes {

FindingKey key_of(const Finding& finding) {
  const Place& place = finding.place;
  // Printable, so that a file can hold it.
  FindingKey key{.code = finding.code, .value = printable(place.value), .axis = place.axis};
  if (!key.value.empty()) return key;
  // A node's name may be its position; its outputs are how other nodes know it.
  const size_t equals = place.node_text.find(" = ");
  key.value =
      equals != std::string::npos && equals > 0 ? place.node_text.substr(0, equals) : place.node;
  return key;
}

std::string fingerprint(const FindingKey& key) {
  // FNV-1a of 64 bits.
  uint64_t hash = 0xcbf29ce484222325U;
  const std::string text = fmt::format("{}|{}|{}", code_id(key.code), key.value,
                                       key.axis ? std::to_string(*key.axis) : std::string());
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3U;
  }
  return fmt::format("{:016x}", hash);
}

}  // namespace onnx_shapes
