#pragma once

// The primitives of a forest in the order of their trees, and in each tree along the Morton curve: what
// morton_order.inl does for one tree. For bodies that include primitives/radix_sort.h.
//
// A key is the number of the tree, then the 31 bits that a build of so few primitives takes of the Morton key,
// behind a bit for the invalid ones. If the number of a primitive in its tree fits beside them, one word is
// sorted:
//
//   63 ..   .. 32 + number_bits | .. number_bits    | .. 0
//   tree                        | invalid, 31 bits  | number
//
// If not, the word has the tree and the key alone, and the number is sorted along with it.

#include "builders/bvh/build/bvh_arrays.h"
#include "builders/bvh/forest.h"
#include "builders/bvh/morton/leaf_hierarchy.h"
#include "builders/bvh/morton/morton_keys.h"
#include "builders/geometry/morton.h"

namespace copse::detail {

/// The boxes of a forest's primitives, read from memory.
struct ForestBoxes {
  const Aabb* boxes;
  COPSE_HD Aabb operator()(u32 primitive) const { return boxes[primitive]; }
};

/// The primitives of a forest whose trees are built as a whole (build_small_trees in forest.inl), by their numbers in the
/// tree. Other types may also store what goes with the places of the finished trees: they have are_packed = true, and
///
///   void OfTree::pack(u32 i, u32 place)      called for each place in the leaves, with the primitive there
struct StoredBoxes {
  static constexpr bool are_packed = false;
  const Aabb* boxes;

  struct OfTree {
    const Aabb* boxes;
    COPSE_HD Aabb box(u32 i) const { return boxes[i]; }
  };
  COPSE_HD OfTree of_tree(u32, u32 begin) const { return {boxes + begin}; }
};

/// Where the trees of a forest stand while they are built.
struct ForestBuild {
  ForestShape shape;
  const Aabb* boxes;
  MortonGrid* grids;  // [tree]
  u32* valid_counts;  // [tree]
  BvhArrays binary;   // nodes: two per slot, the root of a tree at twice its first slot
  u8* deltas;         // [slot], see ForestLeaves

  /// Stores the counts and the last links, which do not depend on the order.
  COPSE_HD void begin_order() const {
    const u32 n = shape.primitive_count;
    *binary.counts = {2 * n, n, n, 0};
    if (n == 0) return;
    binary.parents[n - 1] = invalid_id;  // no pair is behind the last slot
    binary.nodes[2 * n - 1] = BvhNode::inner(Aabb::empty(), 0);
  }
  /// Stores the primitive and the delta of a slot. The slot of the last valid primitive of a tree also stores
  /// their number. Stores the nodes that no merge will write as empty.
  ///   key, next_key: of the primitives in the slot and in the next one of the tree
  COPSE_HD void store_slot(u32 tree, u32 begin, u32 slot, u32 primitive, u32 key, u32 next_key) const {
    const bool is_valid = key < invalid_key, ends_tree = !is_valid || next_key >= invalid_key;
    if (is_valid && ends_tree) valid_counts[tree] = slot + 1 - begin;
    binary.primitive_ids[slot] = primitive;
    deltas[slot] = ends_tree ? ForestLeaves::behind_tree
                             : u8(common_prefix(u64{key} << 32, u64{next_key} << 32, slot - begin));
    if (is_valid && slot > begin) return;
    binary.nodes[2 * slot] = BvhNode::inner(Aabb::empty(), 0);
    if (slot == 0) return;
    binary.nodes[2 * slot - 1] = BvhNode::inner(Aabb::empty(), 0);
    binary.parents[slot - 1] = invalid_id;
  }
  /// Returns the key of a box in the grid of its tree: 31 bits, or invalid_key.
  COPSE_HD static u32 key(const MortonGrid& grid, const Aabb& box) {
    return is_empty(box) ? invalid_key : u32(grid.key(clean_point(centroid(box))) >> 32);
  }
  static constexpr u32 invalid_key = 1u << 31;

  COPSE_HD bool is_root(u32 node) const {
    return node % 2 == 0 && (node == 0 || deltas[node / 2 - 1] == ForestLeaves::behind_tree);
  }
};

/// The binary trees for walks up (tree_walk.h).
struct ForestPairs {
  copse::detail::ForestBuild build;

  COPSE_HD bool is_root(u32 node) const { return build.is_root(node); }
  COPSE_HD u32 family(u32 node) const { return sibling_pair(node); }
  COPSE_HD u32 family_size(u32) const { return 2; }
  COPSE_HD u32 parent(u32 pair) const { return build.binary.parents[pair]; }
};

/// How a key stands in a word.
struct ForestWords {
  static constexpr u32 key_bits = 32;

  u32 tree_bits, number_bits;  // number_bits is 0 if numbers are sorted along
  bool has_numbers;

  static ForestWords of(const ForestShape& shape) {
    const u32 tree_bits = detail::number_bits(larger(shape.tree_count, 1u));
    const u32 number_bits = detail::number_bits(larger(shape.max_tree_size, 1u));
    if (tree_bits + key_bits + number_bits <= 64) return {tree_bits, number_bits, true};
    return {tree_bits, 0, false};
  }
  BitRange sorted() const { return {number_bits, number_bits + key_bits + tree_bits}; }
  COPSE_HD u64 word(u32 tree, u32 key, u32 number) const {
    return (u64{tree} << key_bits | key) << number_bits | (has_numbers ? number : 0);
  }
  COPSE_HD u32 key(u64 word) const { return u32(word >> number_bits); }
  COPSE_HD u32 number(u64 word) const { return u32(word & ((u64{1} << number_bits) - 1)); }
};

/// Makes the grid of each tree, and sets the counts to be found to 0.
struct PrepareTree {
  ForestBuild build;
  const Aabb* bounds;

  COPSE_HD void operator()(u64 tree) const {
    if (tree == 0) build.begin_order();
    build.grids[tree] = MortonGrid::of(bounds[tree]);
    build.valid_counts[tree] = 0;
  }
};

/// Makes the word of a primitive.
struct MakeForestWord {
  ForestBuild build;
  ForestWords words;
  u64* out;

  COPSE_HD void operator()(u64 i) const {
    const u32 tree = build.shape.tree_of[i];
    const u32 key = build.key(build.grids[tree], build.boxes[i]);
    out[i] = words.word(tree, key, u32(i) - build.shape.begins[tree]);
  }
};

/// Stores the order of the sorted words.
struct StoreForestOrder {
  ForestBuild build;
  ForestWords words;
  const u64* sorted;
  const u32* numbers;  // [slot]: of the primitives, if they were sorted along

  COPSE_HD void operator()(u64 i) const {
    const u32 slot = u32(i), tree = build.shape.tree_of[slot], begin = build.shape.begins[tree];
    const u64 word = sorted[slot];
    const u32 primitive = words.has_numbers ? begin + words.number(word) : numbers[slot];
    const u32 next_key = slot + 1 == build.shape.begins[tree + 1] ? ~0u : words.key(sorted[slot + 1]);
    build.store_slot(tree, begin, slot, primitive, words.key(word), next_key);
  }
};

struct PrimitiveNumber {
  COPSE_HD u32 operator()(u64 i) const { return u32(i); }
};

/// Brings the primitives of all trees in order.
template <class Executor>
void order_forest(const Executor& ex, const ForestBuild& build) {
  const u64 n = build.shape.primitive_count;
  const ForestWords words = ForestWords::of(build.shape);
  ScratchArena::Frame frame(ex.scratch);
  u64* const made = frame.allocate<u64>(n);
  u64* const sorted = frame.allocate<u64>(n);
  u32* const numbers = frame.allocate<u32>(words.has_numbers ? 0 : n);
  for_each(ex, "forest: keys", n, MakeForestWord{build, words, made});
  if (words.has_numbers) {
    radix_sort_keys(ex, "forest: sort", n, Elements<u64>{made}, sorted, words.sorted());
  } else {
    radix_sort_pairs(ex, "forest: sort", n, Elements<u64>{made}, PrimitiveNumber{}, sorted, numbers,
                     words.sorted());
  }
  for_each(ex, "forest: order", n, StoreForestOrder{build, words, sorted, numbers});
}

template <class Executor>
u64 order_forest_scratch_bytes(const Executor& ex, const ForestShape& shape) {
  const u64 n = shape.primitive_count;
  const ForestWords words = ForestWords::of(shape);
  const u64 sort = words.has_numbers ? u64(radix_sort_keys_scratch_bytes<u64>(ex, n, words.sorted()))
                                     : u64(radix_sort_pairs_scratch_bytes<u64, u32>(ex, n, words.sorted()));
  return 2 * ScratchArena::bytes_for<u64>(n) + ScratchArena::bytes_for<u32>(words.has_numbers ? 0 : n) + sort;
}

}  // namespace copse::detail
