// The report as JSON.
#include <nlohmann/json.hpp>

#include "anchors/names.h"
#include "anchors/summary.h"
#include "cli/inference_report.h"
#include "diag/json_writer.h"
#include "expr/text.h"
#include "model/annotate.h"

namespace onnx_shapes {
namespace {

using Json = nlohmann::ordered_json;

class Reporter {
 public:
  explicit Reporter(const Reported& reported)
      : reported_(reported),
        model_(reported.model),
        inference_(reported.inference),
        namer_(inference_),
        summary_(summarise(model_, inference_)) {}

  Json run() {
    Json report;
    report["version"] = kReportVersion;
    report["model"] = model_.file().path();
    report["values"] = values();
    report["symbols"] = symbols();
    report["equalities"] = equalities(summary_.equalities);
    report["needs"] = equalities(summary_.needs);
    report["trusted"] = trusted();
    report["unknown"] = unknown();
    report["public_changes"] = public_changes();
    return report;
  }

 private:
  Json dim_json(Dim dim) {
    if (!dim.known()) return nullptr;
    const Dim named = namer_(dim);
    if (const std::optional<int64_t> number = named.number()) return *number;
    return to_text(named);
  }

  Json dims_json(const std::vector<Dim>& dims) {
    Json list = Json::array();
    for (const Dim dim : dims) list.push_back(dim_json(dim));
    return list;
  }

  Json value_json(ValueId id) const {
    const Value& value = model_.value(id);
    return {{"scope", model_.scope(value.scope).path}, {"name", value.name}};
  }

  Json values_json(const std::vector<ValueId>& ids) const {
    Json list = Json::array();
    for (const ValueId id : ids) list.push_back(value_json(id));
    return list;
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
      Json item = value_json(id);
      item["role"] = value.scope_output           ? "output"
                     : value.scope_input          ? "input"
                     : value.initializer != kNoId ? "initializer"
                                                  : "value";
      item["type"] = type_json(*inference_.facts[id]);
      list.push_back(std::move(item));
    }
    return list;
  }

  Json unknown() const {
    Json list = Json::array();
    for (const NamelessSummary& nameless : summary_.nameless) {
      Json item = value_json(nameless.value);
      item["axis"] = nameless.axis ? Json(*nameless.axis) : Json(nullptr);
      const NodeId producer = model_.value(nameless.value).producer;
      if (producer != kNoId) {
        item["node"] = model_.node_label(producer);
        item["operator"] = model_.node(producer).op_type;
      }
      if (nameless.varies_in != kNoId) item["varies_in"] = model_.scope(nameless.varies_in).path;
      add_data(item, nameless.data, nameless.inputs);
      list.push_back(std::move(item));
    }
    return list;
  }

  void add_data(Json& item, const std::vector<ValueId>& data,
                const std::vector<ValueId>& inputs) const {
    if (data.empty()) return;
    item["waits_for"] = values_json(data);
    item["inputs"] = Json::array();
    for (const ValueId input : inputs) item["inputs"].push_back(model_.value(input).name);
  }

  Json origin_json(const Origin& origin) const {
    Json item;
    switch (origin.kind) {
      case Origin::Kind::kNone:
        return nullptr;
      case Origin::Kind::kNode:
        item["node"] = model_.node_label(origin.node);
        item["operator"] = model_.node(origin.node).op_type;
        item["scope"] = model_.scope(model_.node(origin.node).scope).path;
        if (!origin.label.empty()) item["constraint"] = origin.label;
        return item;
      case Origin::Kind::kAnchor:
      case Origin::Kind::kContents:
        break;
    }
    if (origin.value == kNoId) return nullptr;
    item["value"] = model_.value(origin.value).name;
    item["scope"] = model_.scope(model_.value(origin.value).scope).path;
    const bool contents = origin.kind == Origin::Kind::kContents;
    if (origin.axis >= 0) item[contents ? "element" : "axis"] = origin.axis;
    return item;
  }

  Json symbols() {
    static constexpr const char* kKinds[] = {"input", "declared", "made"};
    Json list = Json::array();
    for (const NameSummary& name : summary_.names) {
      const SymbolInfo& info = inference_.symbols->info(name.symbol);
      Json item;
      item["name"] = inference_.symbols->name(name.symbol);
      item["kind"] = kKinds[static_cast<size_t>(info.kind)];
      item["least"] = name.range.lo == Interval::kNegInf ? Json(nullptr) : Json(name.range.lo);
      item["greatest"] = name.range.hi == Interval::kInf ? Json(nullptr) : Json(name.range.hi);
      if (!name.bounds.at_least.empty()) item["at_least"] = dims_json(name.bounds.at_least);
      if (!name.bounds.at_most.empty()) item["at_most"] = dims_json(name.bounds.at_most);
      if (!name.aliases.empty()) item["aliases"] = name.aliases;
      for (const Dim compound : name.equals) item["equals"].push_back(to_text(compound));
      item["origin"] = origin_json(info.origin);
      add_data(item, name.data, name.inputs);
      list.push_back(std::move(item));
    }
    return list;
  }

  Json equalities(const std::vector<uint32_t>& indices) const {
    Json list = Json::array();
    for (const uint32_t index : indices) {
      const Equality& equality = inference_.constraints->equalities()[index];
      Json item;
      item["left"] = to_text(equality.a);
      item["right"] = to_text(equality.b);
      item["holds"] = equality.holds == Holds::kEveryRun ? "in every run" : "under an anchor";
      item["origin"] = origin_json(equality.origin);
      list.push_back(std::move(item));
    }
    return list;
  }

  Json trusted() const {
    Json item;
    item["equalities"] = equalities(summary_.trusted);
    item["values"] = values_json(summary_.declared);
    return item;
  }

  Json public_changes() const {
    Json list = Json::array();
    for (const PublicChange& change : reported_.public_changes) {
      Json item;
      item["role"] = role_name(change.role);
      item["name"] = model_.value(change.value).name;
      item["axis"] = change.axis ? Json(*change.axis) : Json(nullptr);
      item["before"] = change.before;
      item["after"] = change.after;
      list.push_back(std::move(item));
    }
    return list;
  }

  const Reported& reported_;
  const Model& model_;
  const Inference& inference_;
  Namer namer_;
  Summary summary_;
};

}  // namespace

std::string json_report(const Reported& reported) {
  Json report = Reporter(reported).run();
  report["findings"] = Json::parse(to_json(reported.findings)).at("findings");
  return report.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace onnx_shapes
