// Places of findings. Their texts are cut: a name may be as long as the file.
#include <fmt/format.h>

#include "model/state.h"

namespace onnx_shapes {
namespace {

constexpr size_t kMaxName = 200;

}  // namespace

std::string shortened(std::string_view text, size_t limit) {
  if (text.size() <= limit) return std::string(text);
  constexpr std::string_view kCut = "...";
  size_t end = limit > kCut.size() ? limit - kCut.size() : 0;
  // Not in the middle of a UTF-8 sequence.
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80) --end;
  return std::string(text.substr(0, end)) + std::string(kCut);
}

std::string ModelData::node_label(NodeId id) const {
  const Node& node = nodes[id];
  if (!node.name.empty()) return shortened(node.name, kMaxName);
  return fmt::format("{}_{}", shortened(node.op_type, kMaxName), node.index);
}

Place ModelData::place(ScopeId scope) const {
  Place place;
  place.file = file.path();
  if (scope != kNoId) place.graph = scopes[scope].path;
  return place;
}

Place ModelData::place_of_node(NodeId id) const {
  Place place = this->place(nodes[id].scope);
  place.node = node_label(id);
  place.node_text = node_text(node_proto(id));
  return place;
}

Place ModelData::place_of_value(ValueId id, std::optional<int64_t> axis) const {
  const Value& value = values[id];
  const bool produced = value.producer != kNoId;
  Place place = produced ? place_of_node(value.producer) : this->place(value.scope);
  place.value = shortened(value.name, kMaxName);
  if (produced) {
    place.role = "output";
  } else if (value.scope_input) {
    place.role = "input";
  } else if (value.initializer != kNoId) {
    place.role = "initializer";
  }
  place.axis = axis;
  return place;
}

Place ModelData::place_of_tensor(const TensorSource& source) const {
  Place place = source.node != kNoId ? place_of_node(source.node) : this->place(source.scope);
  place.role = source.is_attribute ? "attribute" : "initializer";
  place.value = shortened(source.owner, kMaxName);
  return place;
}

}  // namespace onnx_shapes
