// Loads a model: bytes, skeleton, ids.
#include <google/protobuf/io/coded_stream.h>

#include <algorithm>

#include "model/index.h"
#include "model/model.h"
#include "model/state.h"

namespace onnx_shapes {
namespace {

bool parse(const std::string& skeleton, uint32_t max_depth, onnx::ModelProto& proto) {
  google::protobuf::io::CodedInputStream stream(reinterpret_cast<const uint8_t*>(skeleton.data()),
                                                static_cast<int>(skeleton.size()));
  constexpr uint32_t kDeepest = 6000;  // the parser recurses: more could exhaust the stack
  stream.SetRecursionLimit(static_cast<int>(std::min(max_depth, kDeepest)));
  return proto.ParseFromCodedStream(&stream) && stream.ConsumedEntireMessage();
}

Failure<Finding> failure(const ModelData& data, Code code, std::string message,
                         std::string help = {}) {
  return Failure{make_finding(code, data.place(kNoId), std::move(message), std::move(help))};
}

}  // namespace

Expected<Model> Model::load(MappedFile file, const LoadOptions& options, Findings& findings) {
  auto state = std::make_unique<State>(std::move(file), options);
  WalkLimits limits;
  limits.max_nesting = options.max_nesting;
  Expected<WireIndex> index = walk(state->file, limits);
  if (!index) return Failure{std::move(index).reason()};
  state->wire = std::move(index).value();
  state->proto = google::protobuf::Arena::CreateMessage<onnx::ModelProto>(&state->arena);
  if (!parse(state->wire.skeleton, limits.max_depth(), *state->proto)) {
    return failure(*state, Code::kNotAModel,
                   "protobuf cannot parse it: a message is malformed or nested too deeply");
  }
  state->wire.skeleton = {};
  if (!state->proto->has_graph()) {
    return failure(*state, Code::kNotAModel, "the file has no graph", "is it an ONNX model?");
  }
  Indexer indexer(*state, findings);
  if (!indexer.index_model()) {
    return failure(
        *state, Code::kLimitNodes,
        "the model has more nodes than the limit of " + std::to_string(options.max_nodes),
        "raise it with --max-nodes");
  }
  resolve_names(*state, indexer.first_scope(), indexer.sources(), findings);
  find_recursion(*state, findings);
  check_opsets(*state, findings);
  return Model(std::move(state));
}

ScopeId Model::add_function(const onnx::FunctionProto& function, Findings& findings) {
  auto* const copy = google::protobuf::Arena::CreateMessage<onnx::FunctionProto>(&state_->arena);
  copy->CopyFrom(function);
  copy->mutable_unknown_fields()->clear();  // markers are of the file
  Indexer indexer(*state_, findings);
  const ScopeId id = indexer.index_function(*copy);
  resolve_names(*state_, indexer.first_scope(), indexer.sources(), findings);
  return id;
}

}  // namespace onnx_shapes
