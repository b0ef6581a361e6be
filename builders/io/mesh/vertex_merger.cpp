#include "builders/io/mesh/vertex_merger.h"

#include <bit>
#include <random>

namespace copse::detail {

// The numbers do not depend on the seed. With a random seed, no file can be made whose vertices all fall into one
// slot.
VertexMerger::VertexMerger() : slots_(1024, empty), seed_(std::random_device{}()) {}

u32 VertexMerger::add(const vec3& position) {
  const u64 mask = slots_.size() - 1;
  u64 slot = home_of(position);
  for (; slots_[slot] != empty; slot = (slot + 1) & mask) {
    if (positions_[slots_[slot]] == position) return slots_[slot];
  }
  const u32 number = u32(positions_.size());
  slots_[slot] = number;
  positions_.push_back(position);
  if (2 * positions_.size() > slots_.size()) grow();
  return number;
}

u64 VertexMerger::home_of(const vec3& position) const {
  u64 hash = seed_;
  for (int axis = 0; axis < 3; ++axis) {
    const u32 bits = bits_of(position[axis] + 0.0f);  // which makes 0 of -0
    hash = (hash ^ bits) * 0x9e3779b185ebca87;
    hash ^= hash >> 32;
  }
  return hash & (slots_.size() - 1);
}

void VertexMerger::grow() {
  slots_.assign(2 * slots_.size(), empty);
  const u64 mask = slots_.size() - 1;
  for (u64 number = 0; number < positions_.size(); ++number) {
    u64 slot = home_of(positions_[number]);
    while (slots_[slot] != empty) slot = (slot + 1) & mask;
    slots_[slot] = u32(number);
  }
}

}  // namespace copse::detail
