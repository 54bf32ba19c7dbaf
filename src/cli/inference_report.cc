#include "cli/inference_report.h"

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "anchors/names.h"
#include "diag/json_writer.h"
#include "expr/text.h"

namespace onnx_shapes {
namespace {

using Json = nlohmann::ordered_json;

class Reporter {
 public:
  Reporter(const Model& model, const Inference& inference)
      : model_(model), inference_(inference), namer_(inference) {}

  Json run() {
    Json report;
    report["version"] = kReportVersion;
    report["model"] = model_.file().path();
    report["values"] = values();
    report["symbols"] = symbols();
    report["equalities"] = equalities();
    report["needs"] = needs();
    report["unknown"] = unknown_;
    return report;
  }

 private:
  Json dim_json(Dim dim) {
    if (!dim.known()) return nullptr;
    const Dim named = namer_(dim);
    if (const std::optional<int64_t> number = named.number()) return *number;
    for_each_symbol(named, [&](SymbolId symbol) { used_.insert(symbol); });
    return to_text(named);
  }

  Json type_json(const Fact& fact) {
    static constexpr const char* kKinds[] = {"unknown",  "tensor",   "sparse_tensor",
                                             "sequence", "optional", "map"};
    Json type;
    type["kind"] = kKinds[static_cast<size_t>(fact.kind)];
    if (fact.elem != ElemType::kUndefined) type["elem"] = elem_type_name(fact.elem);
    if (fact.shape) {
      type["shape"] = Json::array();
      for (const Dim dim : *fact.shape) type["shape"].push_back(dim_json(dim));
    }
    if (fact.length.known()) type["length"] = dim_json(fact.length);
    if (fact.element) type["element"] = type_json(*fact.element);
    return type;
  }

  Json values() {
    Json list = Json::array();
    for (ValueId id = 0; id < model_.value_count(); ++id) {
      const Value& value = model_.value(id);
      if (model_.scope(value.scope).container == kNoId || !inference_.facts[id]) continue;
      const Fact& fact = *inference_.facts[id];
      Json item;
      item["scope"] = model_.scope(value.scope).path;
      item["name"] = value.name;
      item["role"] = value.scope_output           ? "output"
                     : value.scope_input          ? "input"
                     : value.initializer != kNoId ? "initializer"
                                                  : "value";
      item["type"] = type_json(fact);
      list.push_back(std::move(item));
      note_unknown(id, fact);
    }
    return list;
  }

  void note_unknown(ValueId id, const Fact& fact) {
    const Value& value = model_.value(id);
    const auto add = [&](Json axis) {
      Json item;
      item["scope"] = model_.scope(value.scope).path;
      item["name"] = value.name;
      item["axis"] = std::move(axis);
      if (value.producer != kNoId) {
        item["node"] = model_.node_label(value.producer);
        item["operator"] = model_.node(value.producer).op_type;
      }
      unknown_.push_back(std::move(item));
    };
    if (fact.is_tensor() && !fact.shape) add(nullptr);
    if (!fact.shape) return;
    for (size_t axis = 0; axis < fact.shape->size(); ++axis) {
      if (!(*fact.shape)[axis].known()) add(axis);
    }
  }

  Json origin_json(const Origin& origin) {
    Json item;
    switch (origin.kind) {
      case Origin::Kind::kNone:
        return nullptr;
      case Origin::Kind::kNode:
        item["node"] = model_.node_label(origin.node);
        item["operator"] = model_.node(origin.node).op_type;
        item["scope"] = model_.scope(model_.node(origin.node).scope).path;
        if (!origin.label.empty()) item["constraint"] = origin.label;
        break;
      case Origin::Kind::kAnchor:
        if (origin.value == kNoId) return nullptr;
        item["value"] = model_.value(origin.value).name;
        item["scope"] = model_.scope(model_.value(origin.value).scope).path;
        if (origin.axis >= 0) item["axis"] = origin.axis;
        break;
    }
    return item;
  }

  /// The symbols that occur in a written dim, with what is known of them.
  Json symbols() {
    static constexpr const char* kKinds[] = {"input", "declared", "made"};
    std::map<SymbolId, Json> bounds;
    for (const UpperBound& bound : inference_.constraints->upper_bounds()) {
      if (const std::optional<SymbolId> symbol = as_symbol(namer_(bound.lhs))) {
        bounds[*symbol].push_back(dim_json(bound.rhs));
      }
    }
    Json list = Json::array();
    for (const SymbolId symbol : std::set<SymbolId>(used_)) {
      const SymbolInfo& info = inference_.symbols->info(symbol);
      const Interval range = inference_.pool->symbol_range(symbol);
      Json item;
      item["name"] = inference_.symbols->name(symbol);
      item["kind"] = kKinds[static_cast<size_t>(info.kind)];
      item["least"] = range.lo == Interval::kNegInf ? Json(nullptr) : Json(range.lo);
      item["greatest"] = range.hi == Interval::kInf ? Json(nullptr) : Json(range.hi);
      if (const auto found = bounds.find(symbol); found != bounds.end()) {
        item["at_most"] = found->second;
      }
      item["origin"] = origin_json(info.origin);
      list.push_back(std::move(item));
    }
    return list;
  }

  Json equality_json(const Equality& equality) {
    Json item;
    item["left"] = to_text(equality.a);
    item["right"] = to_text(equality.b);
    item["holds"] = equality.holds == Holds::kEveryRun ? "in every run" : "under an anchor";
    item["origin"] = origin_json(equality.origin);
    return item;
  }

  Json equalities() {
    Json list = Json::array();
    for (const Equality& equality : inference_.constraints->equalities()) {
      list.push_back(equality_json(equality));
    }
    return list;
  }

  /// What the model needs of its inputs but does not say.
  Json needs() {
    Json list = Json::array();
    for (const Equality& equality : inference_.constraints->equalities()) {
      if (equality.holds != Holds::kEveryRun) continue;
      bool inputs_only = true;
      for (const Dim side : {equality.a, equality.b}) {
        for_each_symbol(side, [&](SymbolId symbol) {
          inputs_only = inputs_only && inference_.symbols->info(symbol).kind == SymbolKind::kInput;
        });
      }
      if (inputs_only) list.push_back(equality_json(equality));
    }
    return list;
  }

  const Model& model_;
  const Inference& inference_;
  Namer namer_;
  Json unknown_ = Json::array();
  std::set<SymbolId> used_;
};

}  // namespace

std::string inference_report(const Model& model, const Inference& inference,
                             const Findings& findings) {
  Json report = Reporter(model, inference).run();
  report["findings"] = Json::parse(to_json(findings)).at("findings");
  return report.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace onnx_shapes
