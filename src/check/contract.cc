#include "check/contract.h"

#include "anchors/decide.h"

namespace onnx_shapes {
namespace {

WrittenType as_written(const DeclaredType& declared) {
  WrittenType type{.kind = declared.kind,
                   .elem = declared.elem,
                   .has_shape = declared.has_shape,
                   .dims = {},
                   .element = nullptr};
  for (const DeclaredDim& dim : declared.dims) {
    switch (dim.kind) {
      case DeclaredDim::Kind::kUnnamed:
        type.dims.emplace_back();
        break;
      case DeclaredDim::Kind::kNumber:
        type.dims.emplace_back(dim.number);
        break;
      case DeclaredDim::Kind::kText:
        type.dims.emplace_back(std::string(dim.text));
        break;
    }
  }
  if (declared.element) {
    type.element = std::make_shared<const WrittenType>(as_written(*declared.element));
  }
  return type;
}

PublicValue declared_value(const Model& model, ValueId id, uint32_t annotation) {
  PublicValue value{.name = std::string(model.value(id).name),
                    .place = model.place_of_value(id),
                    .type = {},
                    .optional = model.value(id).initializer != kNoId};
  if (annotation != kNoId) value.type = as_written(model.annotations()[annotation].type);
  return value;
}

}  // namespace

Contract contract_of(const Model& model, const Inference& inference) {
  const Decision decision = decide_annotations(
      model, inference, {.name_inputs = false, .outputs = Outputs::kFull, .declare = nullptr});
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
    for (const TypeChange& change : decision.changes.set) {
      if (change.value == id && change.role == Annotation::Role::kOutput) output.type = change.type;
    }
  }
  return contract;
}

}  // namespace onnx_shapes
