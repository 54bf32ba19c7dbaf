// What a Model holds: the protobuf skeleton and the indices built from it. Private to model/.
#pragma once

#include <google/protobuf/arena.h>
#include <onnx/onnx_pb.h>

#include <array>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/external.h"
#include "model/model.h"
#include "model/name_table.h"
#include "model/stable_vector.h"

namespace onnx_shapes {

/// Where a tensor's elements are and whom a finding about it names.
struct TensorSource {
  /// Null for a sparse initializer, and for a plain tensor until it is asked for as a message.
  const onnx::TensorProto* dense = nullptr;
  // A tensor of a plain node that has raw_data: its bytes, and those of the elements.
  std::span<const uint8_t> plain;
  std::span<const uint8_t> raw;
  // A sparse initializer: the tensors of its parts.
  TensorId values = kNoId;
  TensorId indices = kNoId;
  ScopeId scope = kNoId;
  NodeId node = kNoId;  // the node whose attribute it is in, if any
  bool is_attribute = false;
  std::string_view owner;  // the initializer's or the attribute's name

  [[nodiscard]] bool is_plain() const { return plain.data() != nullptr; }
  [[nodiscard]] bool is_sparse() const { return dense == nullptr && !is_plain(); }
};

/// What a node was read from: its message in the skeleton, or the bytes of a plain node.
struct NodeSource {
  const onnx::NodeProto* proto = nullptr;
  std::span<const uint8_t> plain;
  bool resolved = false;  // its inputs are known
};

/// (domain, name, overload)
using FunctionKey = std::array<std::string_view, 3>;

/// Blocks that suit models: small ones fit in the first, large ones do not take thousands.
[[nodiscard]] inline google::protobuf::ArenaOptions arena_options() {
  google::protobuf::ArenaOptions options;
  options.start_block_size = size_t{16} << 10U;
  options.max_block_size = size_t{1} << 20U;
  return options;
}

struct ModelData {
  ModelData(MappedFile mapped, LoadOptions load_options)
      : file(std::move(mapped)),
        options(load_options),
        arena(arena_options()),
        names(values),
        external(folder_of(file.path())) {}

  MappedFile file;
  WireIndex wire;
  LoadOptions options;
  mutable google::protobuf::Arena arena;  // grows with what is parsed later
  onnx::ModelProto* proto = nullptr;      // in the arena

  StableVector<Scope> scopes;
  StableVector<Node> nodes;
  StableVector<Value> values;
  StableVector<Tensor> tensors;
  std::vector<Annotation> annotations;
  std::vector<ScopeId> roots;                    // by scope: the main graph or function around it
  mutable std::vector<NodeSource> node_sources;  // node_proto adds messages
  mutable std::vector<TensorSource> tensor_sources;  // and tensor_proto those of tensors
  NameTable names;
  std::map<FunctionKey, ScopeId> functions;
  std::vector<bool> recursive;  // by scope; may be shorter than scopes
  ExternalFolder external;

  [[nodiscard]] ScopeId function(std::string_view domain, std::string_view name,
                                 std::string_view overload) const;
  [[nodiscard]] std::optional<int64_t> opset(ScopeId scope, std::string_view domain) const;

  /// The node as a message, which is parsed when it is asked for if the node is plain.
  [[nodiscard]] const onnx::NodeProto& node_proto(NodeId id) const;
  /// The same for a tensor. Precondition: it is not a sparse initializer.
  [[nodiscard]] const onnx::TensorProto& tensor_proto(TensorId id) const;

  // Places for findings, as in Model.
  [[nodiscard]] std::string node_label(NodeId id) const;
  [[nodiscard]] Place place(ScopeId scope) const;
  [[nodiscard]] Place place_of_node(NodeId id) const;
  [[nodiscard]] Place place_of_value(ValueId id, std::optional<int64_t> axis = {}) const;
  [[nodiscard]] Place place_of_tensor(const TensorSource& source) const;
};

struct Model::State : ModelData {
  using ModelData::ModelData;
};

/// The name of a domain as the model's stages see it: "ai.onnx" is "".
[[nodiscard]] inline std::string_view canonical_domain(std::string_view domain) {
  return domain == "ai.onnx" ? std::string_view{} : domain;
}

/// A node as one line of ONNX text, shortened when it is long.
[[nodiscard]] std::string node_text(const onnx::NodeProto& node);

/// At most `limit` bytes of a text; what is cut shows as "...".
[[nodiscard]] std::string shortened(std::string_view text, size_t limit);

}  // namespace onnx_shapes
