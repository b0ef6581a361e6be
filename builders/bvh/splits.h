#pragma once

#include "primitives/core/context.h"
#include "primitives/core/macros.h"

namespace copse {

/// The largest value of the option `splits` of the builders.
inline constexpr float max_splits = 4;

/// Returns the maximum number of references of a tree over `triangle_count` triangles. A reference is one place of
/// a triangle in a leaf. With splits, a triangle that fills its box badly stands in several leaves, each with a
/// box around a part of it. The tree takes memory for this number of references, whether it uses them or not.
///   splits: 1 to max_splits
constexpr u64 reference_count(u64 triangle_count, float splits) {
  return splits == 1 ? triangle_count : u64(double(triangle_count) * double(splits));
}

namespace detail {

/// Makes room for the links between the places of a primitive (RepeatedPlace), if one may stand in several leaves.
/// Throws: Error out_of_memory.
template <class Tree>
void make_room_for_repeats(Context& context, Tree& tree);

/// Stores the links of a tree, Bvh or WideBvh. Does nothing if each primitive is in one leaf.
template <class Tree>
void link_repeats(Context& context, Tree& tree);

/// Stores the leaves of all places again, after nodes have moved.
template <class Tree>
void relink_leaves(Context& context, Tree& tree);

/// Returns the scratch that link_repeats takes.
COPSE_API u64 link_repeats_scratch_bytes(Context& context, u64 primitive_count, u64 place_count);

}  // namespace detail

}  // namespace copse
