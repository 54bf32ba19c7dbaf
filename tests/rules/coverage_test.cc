// Every operator version of the onnx schemas has a rule, or stands in a list with the reason why it
// has none; a row of that list that is no longer needed fails, so the list can only shrink.
#include <onnx/defs/operator_sets.h>
#include <onnx/defs/operator_sets_ml.h>
#include <onnx/defs/operator_sets_preview.h>
#include <onnx/defs/operator_sets_training.h>
#include <onnx/defs/schema.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "rules/rules.h"
#include "tests/support/catch.h"

namespace onnx_shapes {
namespace {

struct Uncovered {
  std::string_view domain, op, reason;
};
constexpr std::array<Uncovered, 0> kUncovered = {};

/// Operators of ai.onnx that the schemas no longer define (experimental until opset 9, or merged
/// into others), or that ONNX Runtime writes into that domain.
constexpr auto kOutsideSchemas = std::to_array<std::string_view>({
    "Affine",
    "ImageScaler",
    "ParametricSoftplus",
    "Scale",
    "ScaledTanh",
    "SimplifiedLayerNormalization",
});

std::vector<onnx::OpSchema> all_schemas() {
  static const bool kRegistered = [] {
    onnx::RegisterOnnxOperatorSetSchema();
    onnx::RegisterOnnxMLOperatorSetSchema();
    onnx::RegisterOnnxTrainingOperatorSetSchema();
    onnx::RegisterOnnxPreviewOperatorSetSchema();
    return true;
  }();
  return kRegistered ? onnx::OpSchemaRegistry::get_all_schemas_with_history()
                     : std::vector<onnx::OpSchema>();
}

std::vector<Family> all_families() {
  std::vector<Family> families;
#define ONNX_SHAPES_ADD_FAMILY(name) \
  for (const Family& family : name##_family()) families.push_back(family);
  ONNX_SHAPES_FAMILIES(ONNX_SHAPES_ADD_FAMILY)
#undef ONNX_SHAPES_ADD_FAMILY
  return families;
}

TEST_CASE("every operator version has a rule or a reason") {
  const std::vector<onnx::OpSchema> schemas = all_schemas();
  CHECK(schemas.size() > 600);
  std::set<std::pair<std::string, std::string>> without_rule;
  for (const onnx::OpSchema& schema : schemas) {
    if (default_rules().find(schema.domain(), schema.Name(), schema.SinceVersion()) == nullptr) {
      without_rule.emplace(schema.domain(), schema.Name());
    }
  }
  for (const auto& [domain, op] : without_rule) {
    INFO("no rule for some version of " << domain << " " << op);
    CHECK(std::any_of(kUncovered.begin(), kUncovered.end(), [&](const Uncovered& row) {
      return row.domain == domain && row.op == op && !row.reason.empty();
    }));
  }
  for (const Uncovered& row : kUncovered) {
    INFO(row.op << " has rules for all its versions: remove it from the list");
    CHECK(without_rule.count({std::string(row.domain), std::string(row.op)}) == 1);
  }
}

TEST_CASE("no two rows are for one form of an operator") {
  std::set<std::tuple<std::string_view, std::string_view, int>> rows;
  for (const Family& family : all_families()) {
    for (const OpRule& rule : family.rules) {
      INFO(family.domain << " " << rule.op << " " << rule.since);
      CHECK(rows.emplace(family.domain, rule.op, rule.since).second);
      CHECK(rule.infer != nullptr);
    }
  }
}

TEST_CASE("rows of the standard domains name operators that exist") {
  std::set<std::pair<std::string, std::string>> known;
  std::set<std::string> domains;
  for (const onnx::OpSchema& schema : all_schemas()) {
    known.emplace(schema.domain(), schema.Name());
    domains.insert(schema.domain());
  }
  for (const Family& family : all_families()) {
    if (domains.count(std::string(family.domain)) == 0) continue;
    for (const OpRule& rule : family.rules) {
      INFO(family.domain << " " << rule.op);
      const bool listed = std::find(kOutsideSchemas.begin(), kOutsideSchemas.end(), rule.op) !=
                          kOutsideSchemas.end();
      CHECK(known.count({std::string(family.domain), std::string(rule.op)}) + (listed ? 1 : 0) ==
            1);
    }
  }
}

}  // namespace
}  // namespace onnx_shapes
