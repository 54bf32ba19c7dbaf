// The entry into inference: the parts of a result, made in the order in which they need each other.
#include "infer/infer.h"

#include "infer/engine.h"

namespace onnx_shapes {

Inference infer(Model& model, const RuleTable& rules, Fallback* fallback,
                const InferOptions& options, Findings& findings) {
  Inference result;
  result.pool = std::make_unique<Pool>();
  result.symbols = std::make_unique<SymbolTable>(*result.pool);
  result.constraints = std::make_unique<ConstraintSet>(*result.symbols);
  result.declarations = std::make_unique<Declarations>(model, *result.symbols, options.declare);
  Engine(model, rules, fallback, options, findings, result).run();
  return result;
}

}  // namespace onnx_shapes
