// The inside of a ConstraintSet, which the prover reads too.
#pragma once

#include <unordered_map>
#include <utility>
#include <vector>

#include "facts/constraints.h"
#include "facts/knowledge.h"

namespace onnx_shapes {

using ConstraintKey = std::pair<const Expr*, const Expr*>;

struct ConstraintKeyHash {
  size_t operator()(const ConstraintKey& key) const {
    return (uint64_t{key.first->id} * 0x9E3779B97F4A7C15U) ^ key.second->id;
  }
};

struct ConstraintSet::Solver {
  explicit Solver(SymbolTable& symbols) : knowledge(symbols) {}

  /// One recorded change, and where the knowledge was before it.
  struct Entry {
    enum class Kind : uint8_t { kEquality, kBound, kStronger, kStrongerBound };
    Kind kind = Kind::kEquality;
    size_t position = 0;
    uint32_t index = 0;
    Origin origin;  // kStronger...: the one it had
  };

  Knowledge knowledge;
  std::vector<Entry> log;
  std::unordered_map<ConstraintKey, uint32_t, ConstraintKeyHash> equalities;
  std::unordered_map<ConstraintKey, uint32_t, ConstraintKeyHash> upper_bounds;
};

}  // namespace onnx_shapes
