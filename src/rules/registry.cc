// The one list of families, made into the table that inference reads.
#include "rules/rules.h"

namespace onnx_shapes {

const RuleTable& default_rules() {
  static const RuleTable table = [] {
    std::vector<Family> families;
#define ONNX_SHAPES_ADD_FAMILY(name) \
  for (const Family& family : name##_family()) families.push_back(family);
    ONNX_SHAPES_FAMILIES(ONNX_SHAPES_ADD_FAMILY)
#undef ONNX_SHAPES_ADD_FAMILY
    return RuleTable(families, arities());
  }();
  return table;
}

}  // namespace onnx_shapes
