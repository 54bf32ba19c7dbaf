// An open-addressing table from contents to the one node that has them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace onnx_shapes {

/// Mixes `value` into `hash`. Only ids and numbers are mixed in, never addresses.
[[nodiscard]] constexpr uint64_t mix_hash(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
  return hash ^ (hash >> 29);
}

/// Linear probing, at most half full. Nodes are never removed.
template <class Node>
class InternTable {
 public:
  InternTable() : slots_(kFirstSize) {}

  template <class Matches>
  [[nodiscard]] const Node* find(uint64_t hash, const Matches& matches) const {
    for (size_t i = hash & mask(); slots_[i].node != nullptr; i = (i + 1) & mask()) {
      if (slots_[i].hash == hash && matches(*slots_[i].node)) return slots_[i].node;
    }
    return nullptr;
  }

  void insert(uint64_t hash, const Node* node) {
    if (2 * (size_ + 1) > slots_.size()) grow();
    place({hash, node});
    ++size_;
  }

  [[nodiscard]] size_t size() const { return size_; }

 private:
  static constexpr size_t kFirstSize = 64;

  struct Slot {
    uint64_t hash = 0;
    const Node* node = nullptr;
  };

  [[nodiscard]] size_t mask() const { return slots_.size() - 1; }

  void place(Slot slot) {
    size_t i = slot.hash & mask();
    while (slots_[i].node != nullptr) i = (i + 1) & mask();
    slots_[i] = slot;
  }

  void grow() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.node != nullptr) place(slot);
    }
  }

  std::vector<Slot> slots_;
  size_t size_ = 0;
};

}  // namespace onnx_shapes
