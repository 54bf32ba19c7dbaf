// The hash table of names: open addressing with linear probing, at most half full.
#include "model/name_table.h"

#include <array>
#include <bit>
#include <cstring>
#include <random>

namespace onnx_shapes {
namespace {

__extension__ using Uint128 = unsigned __int128;

uint64_t mix(uint64_t a, uint64_t b) {
  const Uint128 product = static_cast<Uint128>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

uint64_t process_seed() {
  static const uint64_t seed = [] {
    std::random_device device;
    return (uint64_t{device()} << 32 | device()) | 1;
  }();
  return seed;
}

constexpr uint64_t kOdd = 0x9E3779B97F4A7C15;

}  // namespace

NameTable::NameTable(const StableVector<Value>& values)
    : values_(&values), seed_(process_seed()), slots_(64) {}

uint64_t NameTable::hash(std::string_view name) const {
  uint64_t state = seed_ ^ name.size() * kOdd;
  const char* at = name.data();
  size_t left = name.size();
  const uint64_t key = seed_ ^ kOdd;
  std::array<uint64_t, 2> words;
  for (; left >= sizeof words; at += sizeof words, left -= sizeof words) {
    std::memcpy(words.data(), at, sizeof words);
    state = mix(state ^ words[0], key ^ words[1]);
  }
  words = {};
  if (left != 0) std::memcpy(words.data(), at, left);
  return mix(mix(state ^ words[0], key ^ words[1]), key);
}

uint64_t NameTable::with_scope(uint64_t name_hash, ScopeId scope) {
  return mix(name_hash ^ (uint64_t{scope} + 1) * kOdd, kOdd);
}

ValueId NameTable::find(ScopeId scope, std::string_view name, uint64_t name_hash) const {
  const uint64_t full = with_scope(name_hash, scope);
  const auto tag = static_cast<uint32_t>(full >> 32);
  for (size_t at = full & (slots_.size() - 1);; at = (at + 1) & (slots_.size() - 1)) {
    const Slot& slot = slots_[at];
    if (slot.id == kNoId) return kNoId;
    if (slot.tag != tag) continue;
    const Value& value = (*values_)[slot.id];
    if (value.scope == scope && value.name == name) return slot.id;
  }
}

void NameTable::insert(ValueId id, uint64_t name_hash) {
  if (++used_ * 2 > slots_.size()) grow(slots_.size() * 4);
  place(id, with_scope(name_hash, (*values_)[id].scope));
}

void NameTable::place(ValueId id, uint64_t full_hash) {
  size_t at = full_hash & (slots_.size() - 1);
  while (slots_[at].id != kNoId) at = (at + 1) & (slots_.size() - 1);
  slots_[at] = {.tag = static_cast<uint32_t>(full_hash >> 32), .id = id};
}

void NameTable::reserve(size_t count) {
  const size_t wanted = std::bit_ceil((used_ + count) * 2);
  if (wanted > slots_.size()) grow(wanted);
}

void NameTable::grow(size_t slot_count) {
  std::vector<Slot> old(slot_count);
  old.swap(slots_);
  for (const Slot& slot : old) {
    if (slot.id == kNoId) continue;
    const Value& value = (*values_)[slot.id];
    place(slot.id, with_scope(hash(value.name), value.scope));
  }
}

}  // namespace onnx_shapes
