// Runs the onnx library's inference functions over facts.
#include "infer/schema_fallback.h"

#include <fmt/format.h>
#include <onnx/defs/operator_sets.h>
#include <onnx/defs/operator_sets_ml.h>
#include <onnx/defs/operator_sets_preview.h>
#include <onnx/defs/operator_sets_training.h>
#include <onnx/defs/schema.h>

#include <deque>
#include <map>
#include <mutex>
#include <set>

#include "infer/schema_fallback_types.h"

namespace onnx_shapes {
namespace {

/// The schema of the node; null if the domain has none or not in that opset.
const onnx::OpSchema* schema_of(const InferContext& ctx) {
  // Several models may be inferred at once. Schemas stay where they are once they are registered.
  static std::mutex mutex;
  static std::set<std::string> registered;
  const std::lock_guard lock(mutex);
  const std::string domain(ctx.node().domain);
  if (registered.insert(domain).second) {
    if (domain.empty()) onnx::RegisterOnnxOperatorSetSchema();
    if (domain == "ai.onnx.ml") onnx::RegisterOnnxMLOperatorSetSchema();
    if (domain == "ai.onnx.preview") onnx::RegisterOnnxPreviewOperatorSetSchema();
    if (domain == "ai.onnx.training" || domain == "ai.onnx.preview.training") {
      if (registered.insert("*training").second) onnx::RegisterOnnxTrainingOperatorSetSchema();
    }
  }
  return onnx::OpSchemaRegistry::Schema(std::string(ctx.node().op_type),
                                        static_cast<int>(ctx.opset()), domain);
}

/// A body's outputs as types, for the inference functions of operators that run one.
class BodyInferencer final : public onnx::GraphInferencer {
 public:
  BodyInferencer(InferContext& ctx, TypeTranslator& types, ScopeId body)
      : ctx_(ctx), types_(types), body_(body) {}

  std::vector<const onnx::TypeProto*> doInferencing(
      const std::vector<const onnx::TypeProto*>& inputs,
      const std::vector<const onnx::TensorProto*>& /*data*/) override {
    std::vector<Fact> facts;
    for (const onnx::TypeProto* type : inputs) {
      facts.push_back(type != nullptr ? types_.fact(*type) : Fact::unknown());
    }
    std::vector<const onnx::TypeProto*> result;
    for (const Fact& fact : ctx_.infer_body(body_, facts, true)) {
      result.push_back(&outputs_.emplace_back(types_.type(fact)));
    }
    return result;
  }

 private:
  InferContext& ctx_;
  TypeTranslator& types_;
  ScopeId body_;
  std::deque<onnx::TypeProto> outputs_;
};

class InferenceAdapter final : public onnx::InferenceContext {
 public:
  explicit InferenceAdapter(InferContext& ctx) : ctx_(ctx), types_(ctx.pool()) {
    const size_t count = ctx.input_count();
    inputs_.resize(count);
    data_.resize(count);
    shapes_.resize(count);
    has_data_.resize(count);
    has_shape_.resize(count);
    for (size_t i = 0; i < count; ++i) {
      const Fact fact = ctx.input_with_contents(i);
      inputs_[i] = types_.type(fact);
      has_data_[i] = types_.data(fact, data_[i]);
      has_shape_[i] = types_.symbolic(fact, shapes_[i]);
    }
    outputs_.resize(ctx.output_count());
    for (const Attribute& attribute : ctx.node().attributes) {
      if (const Attribute* actual = ctx.attribute(attribute.name)) {
        attributes_.emplace(attribute.name, attribute_proto(ctx, types_, *actual, attribute.name));
      }
    }
  }

  const onnx::AttributeProto* getAttribute(const std::string& name) const override {
    const auto found = attributes_.find(name);
    return found == attributes_.end() ? nullptr : &found->second;
  }
  size_t getNumInputs() const override { return inputs_.size(); }
  const onnx::TypeProto* getInputType(size_t i) const override {
    const bool known = i < inputs_.size() && ctx_.has_input(i) &&
                       inputs_[i].value_case() != onnx::TypeProto::VALUE_NOT_SET;
    return known ? &inputs_[i] : nullptr;
  }
  const onnx::TensorProto* getInputData(size_t i) const override {
    return i < data_.size() && has_data_[i] ? &data_[i] : nullptr;
  }
  const onnx::SparseTensorProto* getInputSparseData(size_t /*i*/) const override { return nullptr; }
  const onnx::TensorShapeProto* getSymbolicInput(size_t i) const override {
    return i < shapes_.size() && has_shape_[i] ? &shapes_[i] : nullptr;
  }
  size_t getNumOutputs() const override { return outputs_.size(); }
  onnx::TypeProto* getOutputType(size_t i) override {
    return i < outputs_.size() ? &outputs_[i] : nullptr;
  }
  onnx::GraphInferencer* getGraphAttributeInferencer(const std::string& name) override {
    const ScopeId body = ctx_.attr_graph(name);
    if (body == kNoId) return nullptr;
    return &bodies_.emplace_back(ctx_, types_, body);
  }

  [[nodiscard]] TypeTranslator& types() { return types_; }
  [[nodiscard]] const std::map<std::string, onnx::AttributeProto, std::less<>>& attributes() const {
    return attributes_;
  }
  [[nodiscard]] const std::vector<onnx::TypeProto>& inputs() const { return inputs_; }

  void set_outputs() {
    for (size_t i = 0; i < outputs_.size(); ++i) {
      if (ctx_.has_output(i)) ctx_.set(i, types_.fact(outputs_[i]));
    }
  }

 private:
  InferContext& ctx_;
  TypeTranslator types_;
  std::vector<onnx::TypeProto> inputs_, outputs_;
  std::vector<onnx::TensorProto> data_;
  std::vector<onnx::TensorShapeProto> shapes_;
  std::vector<bool> has_data_, has_shape_;
  std::map<std::string, onnx::AttributeProto, std::less<>> attributes_;
  std::deque<BodyInferencer> bodies_;
};

/// Contents of integer tensors, as far as the library propagates them.
class DataAdapter final : public onnx::DataPropagationContext {
 public:
  DataAdapter(InferContext& ctx, InferenceAdapter& types) : ctx_(ctx), types_(types) {}

  const onnx::AttributeProto* getAttribute(const std::string& name) const override {
    return types_.getAttribute(name);
  }
  size_t getNumInputs() const override { return types_.getNumInputs(); }
  const onnx::TypeProto* getInputType(size_t i) const override { return types_.getInputType(i); }
  size_t getNumOutputs() const override { return types_.getNumOutputs(); }
  const onnx::TypeProto* getOutputType(size_t i) const override { return types_.getOutputType(i); }
  const onnx::TensorShapeProto* getInputData(size_t i) override {
    return types_.getSymbolicInput(i);
  }
  void addOutputData(size_t i, onnx::TensorShapeProto&& data) override {
    const Shape elements = types_.types().dims(data, false);
    const Fact& output = ctx_.output(i);
    if (!output.is_tensor() || !is_integer(output.elem)) return;
    ctx_.set_integers(i, elements);
  }

 private:
  InferContext& ctx_;
  InferenceAdapter& types_;
};

class SchemaFallback final : public Fallback {
 public:
  explicit SchemaFallback(Model& model) : model_(model) {}

  ScopeId function_body(InferContext& ctx) override {
    const onnx::OpSchema* schema = schema_of(ctx);
    if (schema == nullptr) return kNoId;
    const int opset = static_cast<int>(ctx.opset());
    if (schema->HasFunction()) {
      const onnx::FunctionProto* body = schema->GetFunction(opset);
      return body != nullptr ? scope_of(*body) : kNoId;
    }
    if (!schema->HasContextDependentFunction()) return kNoId;
    const InferenceAdapter adapter(ctx);
    onnx::NodeProto node;
    for (size_t i = 0; i < ctx.input_count(); ++i) {
      node.add_input(ctx.has_input(i) ? fmt::format("x{}", i) : std::string());
    }
    for (size_t i = 0; i < ctx.output_count(); ++i) {
      node.add_output(ctx.has_output(i) ? fmt::format("y{}", i) : std::string());
    }
    node.set_op_type(std::string(ctx.node().op_type));
    node.set_domain(std::string(ctx.node().domain));
    for (const auto& [name, attribute] : adapter.attributes()) *node.add_attribute() = attribute;
    onnx::FunctionProto body;
    const onnx::FunctionBodyBuildContextImpl build(node, adapter.inputs());
    try {
      if (!schema->BuildContextDependentFunction(build, body, opset)) return kNoId;
    } catch (const std::exception&) {
      return kNoId;
    }
    return scope_of(body);
  }

  bool infer(InferContext& ctx) override {
    const onnx::OpSchema* schema = schema_of(ctx);
    if (schema == nullptr) return false;
    try {
      InferenceAdapter adapter(ctx);
      schema->GetTypeAndShapeInferenceFunction()(adapter);
      adapter.set_outputs();
      if (schema->has_data_propagation_function()) {
        DataAdapter data(ctx, adapter);
        schema->GetDataPropagationFunction()(data);
      }
    } catch (const std::exception& error) {
      ctx.report(Code::kNodeRejected, {}, error.what());
    }
    return true;
  }

 private:
  ScopeId scope_of(const onnx::FunctionProto& body) {
    const auto [found, added] = scopes_.try_emplace(body.SerializeAsString(), kNoId);
    // What is odd about the library's own bodies (outputs that they leave out, say) is no fault of
    // the model.
    Findings ignored;
    if (added) found->second = model_.add_function(body, ignored);
    return found->second;
  }

  Model& model_;
  std::map<std::string, ScopeId> scopes_;
};

}  // namespace

std::unique_ptr<Fallback> make_schema_fallback(Model& model) {
  return std::make_unique<SchemaFallback>(model);
}

}  // namespace onnx_shapes
