// Loads bytes as a model, changes annotations, splices, and loads the result.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "model/annotate.h"
#include "model/model.h"
#include "wire/splice_plan.h"

namespace onnx_shapes {
namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

LoadOptions small_limits() {
  LoadOptions options;
  options.max_nodes = 100'000;
  return options;
}

Expected<Model> load(std::span<const uint8_t> bytes, Findings& findings) {
  return Model::load(MappedFile::borrow(bytes, "<stdin>"), small_limits(), findings);
}

/// Every third annotation or so gets another type, or goes. The choice depends on the bytes alone.
AnnotationChanges choose_changes(const Model& model) {
  AnnotationChanges changes;
  uint32_t state = static_cast<uint32_t>(model.file().bytes().size());
  const auto below = [&state](uint32_t bound) {
    state = state * 1664525U + 1013904223U;
    return (state >> 16U) % bound;
  };
  for (ValueId id = 0; id < model.value_count(); ++id) {
    if (below(3) != 0) continue;
    TypeChange change;
    change.value = id;
    change.role = static_cast<Annotation::Role>(below(3));
    change.type.kind = DeclaredType::Kind::kTensor;
    change.type.elem = ElemType::kInt64;
    change.type.has_shape = below(4) != 0;
    if (change.type.has_shape) {
      for (uint32_t rank = below(4); change.type.dims.size() < rank;) {
        change.type.dims.emplace_back(std::string(1 + below(150), 'N'));
      }
    }
    changes.set.push_back(std::move(change));
  }
  for (uint32_t i = 0; i < model.annotations().size(); ++i) {
    if (below(3) == 0) changes.remove.push_back(i);
  }
  return changes;
}

std::string splice(const Model& model, const std::vector<Edit>& edits) {
  const std::optional<SplicePlan> plan = plan_splice(model.wire(), edits);
  require(plan.has_value());
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
  require(result.size() == plan->size);
  return result;
}

/// Looks at all there is.
void visit(const Model& model) {
  Findings findings;
  for (ScopeId id = 0; id < model.scope_count(); ++id) {
    const Scope& scope = model.scope(id);
    (void)model.place(id);
    for (const ValueId value : scope.initializers) {
      const TensorId tensor = model.value(value).initializer;
      (void)model.int_elements(tensor, 4096, findings);
      (void)model.float_elements(tensor, 4096, findings);
      (void)model.string_elements(tensor, 4096, findings);
    }
    for (const NodeId node : scope.nodes) {
      require(model.node(node).scope == id);
      (void)model.place_of_node(node);
      (void)model.opset(id, model.node(node).domain);
    }
  }
  for (ValueId id = 0; id < model.value_count(); ++id) (void)model.place_of_value(id, 0);
}

}  // namespace
}  // namespace onnx_shapes

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace onnx_shapes;
  Findings findings;
  const Expected<Model> model = load({data, size}, findings);
  if (!model) return 0;
  visit(*model);
  const AnnotationChanges changes = choose_changes(*model);
  const std::string bytes = splice(*model, annotation_edits(*model, changes));
  const Expected<Model> again =
      load({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}, findings);
  require(again.ok());
  require(again->node_count() == model->node_count());
  require(again->value_count() == model->value_count());
  require(again->scope_count() == model->scope_count());
  AnnotationChanges same;
  same.set = changes.set;
  require(annotation_edits(*again, same).empty());
  return 0;
}
