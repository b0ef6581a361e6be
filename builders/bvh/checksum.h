#pragma once

#include <cstddef>
#include <span>

#include "builders/bvh/bvh.h"
#include "builders/bvh/wide_bvh.h"

namespace copse {

/// A checksum of bytes, FNV-1a of 64 bits. It tells apart structures that differ by accident, not forgeries.
class Fnv1a {
 public:
  /// Adds the bytes of values, which must have no padding.
  template <class T>
  Fnv1a& add(std::span<const T> values) {
    for (const std::byte byte : std::as_bytes(values)) sum_ = (sum_ ^ u64(byte)) * 0x100000001b3;
    return *this;
  }
  u64 value() const { return sum_; }

 private:
  u64 sum_ = 0xcbf29ce484222325;
};

/// Returns the checksum of the nodes and of the primitive ids of a tree that are in use. The same triangles and options
/// give the same checksum on every backend and machine. `copse build` prints it. The tree of an Accel that was compacted
/// has no ids, so it has another checksum.
/// Throws: Error out_of_memory.
/// Waits: for the tree.
/// Memory: a copy of nodes and ids on the host.
COPSE_API u64 checksum(Context& context, const Bvh& tree);

/// The same of a wide tree: Bvh4, CompressedBvh4 or CompressedBvh8.
template <class Node>
u64 checksum(Context& context, const WideBvh<Node>& tree);

}  // namespace copse
