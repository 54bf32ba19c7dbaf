// Finds the value that a name stands for in a scope. Flat and seeded: a file cannot be made so that
// its names collide.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "model/model.h"
#include "model/stable_vector.h"

namespace onnx_shapes {

class NameTable {
 public:
  explicit NameTable(const StableVector<Value>& values);

  /// Makes room for so many more names.
  void reserve(size_t count);
  [[nodiscard]] uint64_t hash(std::string_view name) const;
  /// The value of that name in that very scope, or kNoId. `name_hash` is hash(name).
  [[nodiscard]] ValueId find(ScopeId scope, std::string_view name, uint64_t name_hash) const;
  /// Enters a value under its own scope and name. Precondition: find() gives kNoId for them.
  void insert(ValueId id, uint64_t name_hash);

 private:
  struct Slot {
    uint32_t tag = 0;  // bits of the hash, to skip most string comparisons
    ValueId id = kNoId;
  };
  [[nodiscard]] static uint64_t with_scope(uint64_t name_hash, ScopeId scope);
  void grow(size_t slot_count);
  void place(ValueId id, uint64_t full_hash);

  const StableVector<Value>* values_;
  uint64_t seed_;
  std::vector<Slot> slots_;
  size_t used_ = 0;
};

}  // namespace onnx_shapes
