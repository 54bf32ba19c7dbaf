// What a model promises its callers: the types and shapes of its inputs and outputs.
#pragma once

#include <string>
#include <vector>

#include "infer/infer.h"
#include "model/annotate.h"

namespace onnx_shapes {

struct PublicValue {
  std::string name;
  Place place;
  WrittenType type;
  bool optional = false;  // an input that callers may leave out: it has an initializer
};

struct Contract {
  std::vector<PublicValue> inputs;   // as declared
  std::vector<PublicValue> outputs;  // as declared, and what is proved where that says more
};

/// `inference` has the anchors merged into it. A dim is written in the author's words; what depends
/// on data and has no name of the author's is unnamed.
[[nodiscard]] Contract contract_of(const Model& model, const Inference& inference);

/// Compares the contract of a model with that of its predecessor. A call that the old model accepts
/// must be accepted by the new one, and what the old one promised of its outputs must still hold.
/// Names mean what the inputs bind them to, so a name that was changed everywhere breaks nobody.
///
/// What breaks callers are errors: inputs that are gone (SHP811), new (SHP812) or accept less
/// (SHP813), outputs that are gone (SHP814) or promise less or something else (SHP815). Another
/// order is a warning (SHP816). Notes say what got wider or more precise (SHP817), and which names
/// changed (SHP818). Places are those of the new model, except of what is gone.
void compare_contracts(const Contract& before, const Contract& after, Findings& findings);

}  // namespace onnx_shapes
