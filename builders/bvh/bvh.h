#pragma once

#include "builders/bvh/node.h"
#include "builders/geometry/primitive_set.h"
#include "primitives/core/buffer.h"

namespace copse {

namespace detail {

struct BvhAccess;

/// The deltas of an LBVH, kept for a fast refit: all of its topology follows from them.
///
///   word 0     1 if the tree is the LBVH of its deltas, with one primitive per leaf, else 0
///   word 1     of 256 samples, how many are far from the next primitive in input order (PrecomputedBounds)
///   byte 8 + s how many leading bits the Morton keys in slots s and s + 1 share
struct LbvhDeltas {
  Buffer<u32> words;
  bool may_refit = false;  // what the host expects in word 0; the device reads the word itself
};

/// Words of the deltas of a tree over `primitive_count` primitives.
constexpr u64 delta_words(u64 primitive_count) {
  return 2 + (primitive_count + sizeof(u32) - 1) / sizeof(u32);
}

}  // namespace detail

/// A binary tree that owns its memory. Builders make it; kernels and traversal take its view().
struct Bvh {
  Buffer<BvhNode> nodes;
  Buffer<u32> parents;
  Buffer<u32> primitive_ids;
  Buffer<BvhCounts> counts;
  Buffer<RepeatedPlace> repeats;
  u64 source_count = 0;     // primitives of the last build, in the tree or left out
  u64 reference_count = 0;  // if the last build split triangles, its room for places in leaves; else 0
  u32 max_leaf_size = 32;   // maximum primitives per leaf

  BvhView view() const {
    return {nodes.span(), parents.span(), primitive_ids.span(), counts.span(),
            has_repeats() ? repeats.data() : nullptr};
  }

  /// Returns whether a primitive may stand in several leaves.
  bool has_repeats() const { return reference_count > 0; }

  /// Returns how many places of primitive_ids the last build wrote.
  u64 place_count() const { return has_repeats() ? reference_count : source_count; }

  /// Returns how many primitives the tree has room for, or references.
  u64 primitive_capacity() const { return primitive_ids.size(); }
  u64 size_bytes() const {
    return nodes.size_bytes() + parents.size_bytes() + primitive_ids.size_bytes() + counts.size_bytes() +
           repeats.size_bytes() + deltas_.words.size_bytes();
  }

  /// Makes the next refit go by the nodes alone. Call it after you write the nodes of a tree that a builder made.
  void forget_deltas() { deltas_.may_refit = false; }

 private:
  friend struct detail::BvhAccess;
  detail::LbvhDeltas deltas_;
};

/// How a builder makes the top of a tree, which is its nodes with the largest area.
enum class Top : u32 {
  as_built,  // as the builder makes all levels
  sah,       // rebuilt by the SAH builder over the subtrees below: see rebuild_top() in builders/bvh/top.h
};

/// The maximum number of nodes, and of pairs of siblings, of a tree over `primitive_count` primitives.
constexpr u64 node_capacity(u64 primitive_count) {
  return primitive_count == 0 ? 1 : 2 * primitive_count - 1;
}
constexpr u64 pair_capacity(u64 primitive_count) {
  return primitive_count == 0 ? 0 : primitive_count - 1;
}

constexpr u64 bvh_bytes(u64 primitive_count) {
  return node_capacity(primitive_count) * sizeof(BvhNode) + pair_capacity(primitive_count) * sizeof(u32) +
         primitive_count * sizeof(u32) + sizeof(BvhCounts) + detail::delta_words(primitive_count) * sizeof(u32);
}

/// The additional bytes of a tree over `reference_count` references to split triangles.
constexpr u64 repeat_bytes(u64 reference_count) {
  return reference_count * sizeof(RepeatedPlace);
}

/// Returns a tree with room for `primitive_count` primitives and none in it: rays miss it until it is rebuilt.
/// Throws: Error capacity past 2^31 primitives, Error out_of_memory.
COPSE_API Bvh make_bvh(Context& context, u64 primitive_count);

/// The bytes that a build takes. They are known before it runs.
struct BuildSizes {
  u64 result_bytes = 0;   // of the tree
  u64 scratch_bytes = 0;  // of the context's scratch; free again after the build
};

}  // namespace copse
