#include "check/contract.h"

#include <unordered_map>

#include "anchors/decide.h"

namespace onnx_shapes {
namespace {

PublicValue declared_value(const Model& model, ValueId id, uint32_t annotation) {
  PublicValue value{.name = std::string(model.value(id).name),
                    .place = model.place_of_value(id),
                    .type = {},
                    .optional = model.value(id).initializer != kNoId};
  if (annotation != kNoId) value.type = written_type(model.annotations()[annotation].type);
  return value;
}

}  // namespace

Contract contract_of(const Model& model, const Inference& inference) {
  const Decision decision = decide_annotations(
      model, inference, {.name_inputs = false, .outputs = Outputs::kFull, .declare = nullptr});
  std::unordered_map<ValueId, const WrittenType*> outputs;
  for (const TypeChange& change : decision.changes.set) {
    if (change.role == Annotation::Role::kOutput) outputs[change.value] = &change.type;
  }
  const Scope& graph = model.scope(model.main_graph());
  Contract contract;
  for (const ValueId id : graph.inputs) {
    contract.inputs.push_back(declared_value(model, id, model.value(id).input_annotation));
    contract.inputs.back().place.role = "input";
  }
  for (const ValueId id : graph.outputs) {
    if (id == kNoId) continue;  // declared but not produced, which the loader has reported
    contract.outputs.push_back(declared_value(model, id, model.value(id).output_annotation));
    PublicValue& output = contract.outputs.back();
    output.place.role = "output";
    if (const auto found = outputs.find(id); found != outputs.end()) output.type = *found->second;
  }
  return contract;
}

}  // namespace onnx_shapes
