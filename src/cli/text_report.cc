// The report as text.
#include <fmt/format.h>

#include <algorithm>

#include "anchors/summary.h"
#include "cli/inference_report.h"
#include "cli/listing.h"
#include "cli/wording.h"
#include "diag/printable.h"
#include "diag/text_writer.h"
#include "model/annotate.h"

namespace onnx_shapes {
namespace {

/// Two columns; what is wide makes its own line no longer than it must be.
class Table {
 public:
  void add(std::string left, std::string right) {
    rows_.emplace_back(std::move(left), std::move(right));
  }
  [[nodiscard]] bool empty() const { return rows_.empty(); }
  [[nodiscard]] std::string text() const {
    constexpr size_t kWidest = 40;
    size_t width = 0;
    for (const auto& [left, right] : rows_) width = std::max(width, std::min(left.size(), kWidest));
    std::string result;
    for (const auto& [left, right] : rows_) {
      result += fmt::format("  {:<{}}  {}\n", left, width, right);
    }
    return result;
  }

 private:
  std::vector<std::pair<std::string, std::string>> rows_;
};

class Reporter {
 public:
  explicit Reporter(const Reported& reported)
      : reported_(reported),
        model_(reported.model),
        inference_(reported.inference),
        summary_(summarise(model_, inference_)) {}

  std::string run() {
    text_ = fmt::format("{}\n\n{}", printable(model_.file().path()), listing(model_, inference_));
    section("names", names());
    section("equalities", equalities(summary_.equalities));
    section("the model needs, but does not say", equalities(summary_.needs));
    section("trusted, not proved", trusted());
    section("unknown", unknown());
    const std::string changes = public_changes_text(model_, reported_.public_changes);
    if (!changes.empty()) text_ += "\nchanged inputs and outputs\n" + changes;
    if (!reported_.findings.empty()) {
      text_ += "\nfindings\n" + to_text(reported_.findings, {.concise = true});
    }
    return std::move(text_);
  }

 private:
  void section(const char* title, const Table& table) {
    if (!table.empty()) text_ += fmt::format("\n{}\n{}", title, table.text());
  }

  Table names() const {
    Table table;
    for (const NameSummary& name : summary_.names) {
      std::vector<std::string> parts = {origin_of(name)};
      if (!name.data.empty()) parts.push_back(data_text(model_, name.data, name.inputs));
      const std::string bounds = bounds_text(name.bounds);
      if (!bounds.empty()) {
        parts.push_back(bounds);
      } else if (name.range.lo > 0) {
        parts.push_back(fmt::format("at least {}", name.range.lo));
      }
      for (const Dim compound : name.equals) parts.push_back("equals " + dim_text(compound));
      std::vector<std::string> aliases;
      for (const std::string& alias : name.aliases) aliases.push_back(printable(alias));
      if (!aliases.empty()) parts.push_back("also " + list_text(aliases, aliases.size()));
      table.add(printable(inference_.symbols->name(name.symbol)),
                fmt::format("{}", fmt::join(parts, "; ")));
    }
    return table;
  }

  std::string origin_of(const NameSummary& name) const {
    const SymbolInfo& info = inference_.symbols->info(name.symbol);
    const Origin& origin = info.origin;
    if (origin.kind != Origin::Kind::kAnchor) {
      return "made by " + origin_text(model_, origin);
    }
    if (origin.value == kNoId) return "declared";
    const std::string axis =
        origin.axis >= 0 ? fmt::format(" axis {}", origin.axis) : std::string();
    const std::string value = fmt::format("'{}'{}", value_text(model_, origin.value), axis);
    if (info.kind == SymbolKind::kInput) return "input " + value;
    if (info.kind == SymbolKind::kInternal)
      return fmt::format("input {}, which has no name", value);
    return "declared on " + value;
  }

  Table equalities(const std::vector<uint32_t>& indices) const {
    Table table;
    for (const uint32_t index : indices) {
      const Equality& equality = inference_.constraints->equalities()[index];
      table.add(fmt::format("{} == {}", dim_text(equality.a), dim_text(equality.b)),
                origin_text(model_, equality.origin));
    }
    return table;
  }

  Table trusted() const {
    Table table = equalities(summary_.trusted);
    for (const ValueId value : summary_.declared) {
      table.add(value_text(model_, value), "nothing but its declaration is known of it");
    }
    return table;
  }

  Table unknown() const {
    Table table;
    for (const NamelessSummary& nameless : summary_.nameless) {
      const std::string value = value_text(model_, nameless.value);
      table.add(nameless.axis ? fmt::format("{} axis {}", value, *nameless.axis) : value + " rank",
                nameless.axis ? nameless_text(model_, nameless.varies_in)
                              : data_text(model_, nameless.data, nameless.inputs));
    }
    return table;
  }

  const Reported& reported_;
  const Model& model_;
  const Inference& inference_;
  Summary summary_;
  std::string text_;
};

}  // namespace

std::string text_report(const Reported& reported) { return Reporter(reported).run(); }

std::string public_changes_text(const Model& model, const std::vector<PublicChange>& changes) {
  std::string text;
  for (const PublicChange& change : changes) {
    text += fmt::format("  {} {}{}: {} is now {}\n", role_name(change.role),
                        value_text(model, change.value),
                        change.axis ? fmt::format(" axis {}", *change.axis) : std::string(),
                        printable(change.before), printable(change.after));
  }
  return text;
}

}  // namespace onnx_shapes
