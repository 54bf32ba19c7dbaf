// The symbols of each dim, found once: dims are immutable, so the list never goes stale.
#pragma once

#include <algorithm>
#include <span>
#include <unordered_map>
#include <vector>

#include "expr/expr.h"

namespace onnx_shapes {

class SymbolLists {
 public:
  /// The symbols that the dim mentions at any depth, in order of id; none for an unknown dim.
  [[nodiscard]] std::span<const SymbolId> of(Dim dim) {
    if (!dim.known()) return {};
    const auto [entry, is_new] = lists_.try_emplace(dim.expr());
    if (is_new) {
      for_each_symbol(dim, [&list = entry->second](SymbolId symbol) { list.push_back(symbol); });
    }
    return entry->second;
  }

  [[nodiscard]] bool mentions(Dim dim, SymbolId symbol) {
    const std::span<const SymbolId> list = of(dim);
    return std::binary_search(list.begin(), list.end(), symbol);
  }

 private:
  std::unordered_map<const Expr*, std::vector<SymbolId>> lists_;
};

}  // namespace onnx_shapes
