// The symbols of one inference: where each comes from and what numbers it may be.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "expr/expr.h"

namespace onnx_shapes {

enum class SymbolKind : uint8_t {
  kInput,     // named on a graph input: universal, the caller chooses it
  kDeclared,  // named by the author on an output or value_info only
  kInternal,  // made by inference
};

/// Where a symbol or a constraint comes from.
struct Origin {
  enum class Kind : uint8_t {
    kNone,
    kAnchor,    // an annotation
    kNode,      // what an operator gives or needs
    kContents,  // an element of a tensor that a run decides
  } kind = Kind::kNone;
  uint32_t node = 0;         // kNode: the NodeId of the model
  uint32_t value = 0;        // kAnchor, kContents: the ValueId of the model
  int32_t axis = -1;         // kAnchor: the axis, or -1; kContents: the element
  std::string_view label{};  // kNode: the constraint's label, a literal such as "matmul-inner"
};

struct SymbolInfo {
  SymbolKind kind = SymbolKind::kInternal;
  Origin origin;
};

/// Registers symbols in a Pool, by name. Names are global in a model, also inside subgraphs.
class SymbolTable {
 public:
  explicit SymbolTable(Pool& pool) : pool_(pool) {}

  /// The symbol of that name; made on the first call, with `range`. A later call with a stronger
  /// kind (input before declared) does not change the range.
  Dim author(std::string_view name, SymbolKind kind, Interval range, Origin origin);
  [[nodiscard]] Dim find(std::string_view name) const;  // unknown if there is none
  /// A new symbol whose name starts with `stem` and is not used by any symbol or reserved name.
  Dim fresh(std::string_view stem, Interval range, Origin origin);
  /// Keeps a name from being given to a fresh symbol.
  void reserve(std::string_view name);

  [[nodiscard]] const SymbolInfo& info(SymbolId id) const { return infos_[id]; }
  [[nodiscard]] const std::string& name(SymbolId id) const { return pool_.symbol_name(id); }
  [[nodiscard]] size_t size() const { return infos_.size(); }
  [[nodiscard]] Pool& pool() const { return pool_; }

 private:
  Pool& pool_;
  std::vector<SymbolInfo> infos_;  // by SymbolId
  std::unordered_map<std::string, SymbolId> by_name_;
  std::unordered_set<std::string> reserved_;
  std::unordered_map<std::string, uint32_t> next_suffix_;
};

}  // namespace onnx_shapes
