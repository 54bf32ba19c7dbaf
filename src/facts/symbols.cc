// Registers symbols by name and keeps fresh names apart from all others.
#include "facts/symbols.h"

namespace onnx_shapes {

Dim SymbolTable::author(std::string_view name, SymbolKind kind, Interval range, Origin origin) {
  const std::string key(name);
  const auto found = by_name_.find(key);
  // A fresh symbol that happens to have the name is another symbol: to take it for the author's
  // would equate two dims that have nothing to do with each other.
  if (found != by_name_.end() && infos_[found->second].kind != SymbolKind::kInternal) {
    SymbolInfo& info = infos_[found->second];
    if (kind < info.kind) info = {kind, origin};
    return pool_.symbol(found->second);
  }
  const SymbolId id = pool_.add_symbol(key, range);
  if (infos_.size() <= id) infos_.resize(id + 1);
  infos_[id] = {kind, origin};
  by_name_[key] = id;
  return pool_.symbol(id);
}

Dim SymbolTable::find(std::string_view name) const {
  const auto found = by_name_.find(std::string(name));
  return found == by_name_.end() ? Dim() : pool_.symbol(found->second);
}

Dim SymbolTable::fresh(std::string_view stem, Interval range, Origin origin) {
  const std::string base(stem);
  std::string name = base;
  while (by_name_.contains(name) || reserved_.contains(name)) {
    uint32_t& suffix = next_suffix_.try_emplace(base, 2).first->second;
    name = base + "_" + std::to_string(suffix++);
  }
  const SymbolId id = pool_.add_symbol(name, range);
  if (infos_.size() <= id) infos_.resize(id + 1);
  infos_[id] = {SymbolKind::kInternal, origin};
  by_name_[name] = id;
  return pool_.symbol(id);
}

void SymbolTable::reserve(std::string_view name) { reserved_.emplace(name); }

}  // namespace onnx_shapes
