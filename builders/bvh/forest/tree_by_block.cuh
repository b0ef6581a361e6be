#pragma once

// A small tree of a forest on CUDA, built as a whole by one block: order, binary tree, collapse. All that the steps hand
// to each other stays in shared memory, but for the nodes of the binary tree. These stand in memory of the block, which it
// uses again for its next tree, so they stay in the second-level cache.
//
// The steps are those of a single tree, over the same functions, and numbers count from the begin of the tree. So the
// tree has the bytes that it has alone.

#include "builders/bvh/forest/forest_small.cuh"
#include "builders/bvh/forest/small_tree_memory.cuh"
#include "builders/bvh/wide/collapse_write.h"

namespace copse::cuda {

namespace detail {

using copse::detail::CollapseCosts;
using copse::detail::ForestBuild;
using copse::detail::ForestBuilder;

/// Builds a tree. All threads of the block call each function.
template <class Shape>
class SmallTreeBuilder {
 public:
  using Memory = SmallTreeMemory<Shape>;
  static constexpr u32 threads = Shape::threads, width = Memory::width;

  ///   nodes: room for two per primitive
  __device__ SmallTreeBuilder(Memory& memory, BvhNode* nodes) : memory_(memory), nodes_(nodes) {}

  /// Returns how many primitives are in the tree.
  ///   box_of: the box of each of its n primitives, at least one
  template <ForestBuilder builder, class BoxOf>
  __device__ u32 build(const BoxOf& box_of, u32 n, const CollapseCosts& costs,
                       const copse::detail::WideArrays<CompressedBvh4Node>& out) {
    put_in_order(box_of, n);
    const u32 valid = memory_.valid_count;
    if (valid > 0 && builder == ForestBuilder::hploc) cluster(valid);
    if (valid > 0 && builder == ForestBuilder::lbvh) join(valid);
    if (threadIdx.x == 0) {
      memory_.counts = {valid == 0 ? 0 : 2 * valid - 1, valid, valid, n - valid};
      memory_.parts = 1;
    }
    __syncthreads();
    if (valid >= 2) {
      choose(costs, valid - 1);
      find_wide_nodes(valid - 1);
      place_children(valid - 1);
      write(out);
    }
    const copse::detail::WriteCounts<CompressedBvh4Node> finish{nodes_,         memory_.ids, &memory_.counts,
                                                                &memory_.parts, n,           out};
    finish(threadIdx.x, threads);
    return valid;
  }

 private:
  using Arrays = copse::detail::PairArrays<width>;

  __device__ Arrays pairs() const { return {memory_.collapse.choices, memory_.collapse.links, memory_.parents}; }

  /// Stores the ids in Morton order, the deltas between them, how many are valid, and the boxes of these in order.
  template <class BoxOf>
  __device__ void put_in_order(const BoxOf& box_of, u32 n) {
    constexpr u32 per_thread = Shape::per_thread;
    auto& order = memory_.order;
    if (threadIdx.x == 0) memory_.valid_count = 0;
    Aabb all = Aabb::empty();
    // The code of the whole kernel should fit into the instruction cache.
#pragma unroll 1
    for (u32 i = threadIdx.x; i < n; i += threads) {
      const Aabb box = box_of.box(i);
      order.put(i, box);
      all = merge(all, box);
    }
    const MortonGrid grid = MortonGrid::of(box_of_block(all));
    u64 words[per_thread];
#pragma unroll
    for (u32 k = 0; k < per_thread; ++k) {
      const u32 i = k * threads + threadIdx.x;
      words[k] = i < n ? u64{ForestBuild::key(grid, order.box(i))} << 32 | i : ~u64{0};
    }
    sort_by_block(words, Shape::capacity, order.words);

#pragma unroll 1
    for (u32 i = threadIdx.x; i < n; i += threads) {
      const u32 key = u32(order.words[i] >> 32), next = i + 1 < n ? u32(order.words[i + 1] >> 32) : ~0u;
      const bool is_valid = key < ForestBuild::invalid_key;
      memory_.ids[i] = u32(order.words[i]);
      memory_.deltas[i] = u8(common_prefix(u64{key} << 32, u64{next} << 32, i));
      if (is_valid && next >= ForestBuild::invalid_key) memory_.valid_count = i + 1;
    }
    Aabb boxes[per_thread];
#pragma unroll
    for (u32 k = 0; k < per_thread; ++k) {
      const u32 i = k * threads + threadIdx.x;
      if (i < n) boxes[k] = order.box(memory_.ids[i]);
    }
    __syncthreads();
#pragma unroll
    for (u32 k = 0; k < per_thread; ++k) {
      const u32 i = k * threads + threadIdx.x;
      if (i < n) order.put(i, boxes[k]);
    }
    __syncthreads();
  }

  __device__ copse::detail::BvhArrays binary() {
    return {nodes_, memory_.parents, memory_.ids, &memory_.counts, memory_.deltas, nullptr, nullptr};
  }

  /// Makes the binary tree by H-PLOC, as hploc_kernel does.
  __device__ void cluster(u32 n) {
    constexpr u32 radius = HplocOptions{}.radius, warps = Shape::warps;
    using Hierarchy = ClusterHierarchy<SingleLeaves>;
    const Hierarchy hierarchy{SingleLeaves{}, memory_.deltas, n};
    const PlaceCluster<SingleLeaves> place{{}, binary()};
    auto& clusters = memory_.clusters;
    const u32 warp = threadIdx.x / warp_size;
    const u32 begin = warp == 0 ? 0 : Shape::Tile::cut(hierarchy, warp);
    const u32 end = warp + 1 == warps ? n : Shape::Tile::cut(hierarchy, warp + 1);
    const TileLeaves tile{0, begin, end - begin};

    Split* const splits = clusters.splits[0] + begin + warp;
    list_splits(hierarchy, tile, splits);
    __syncwarp();
    const MergeClusters<any_radius, true, Hierarchy, SingleLeaves> merge_near{hierarchy, place, radius};
    const u32 split_count = merge_tile(clusters, splits, tile.count + 1, hierarchy, merge_near);
    if constexpr (warps > 1) {
      const MergeClusters<any_radius, false, Hierarchy, SingleLeaves> merge{hierarchy, place, radius};
      BlockSplits left(clusters, splits, warp == warps - 1 ? split_count : split_count - 1);
      left.merge_block(hierarchy, merge);
    }
    if (threadIdx.x == 0) {
      const Cluster whole = clusters.load(0);
      place(whole, copse::detail::root_over(whole));
    }
    __syncthreads();
  }

  /// Makes the LBVH by walks up from all leaves, as JoinForestLeaf does.
  __device__ void join(u32 n) {
    for (u32 i = threadIdx.x; i < n; i += threads) memory_.meetings.ends[i] = 0;
    __syncthreads();
    for (u32 leaf = threadIdx.x; leaf < n; leaf += threads) join_leaf(n, leaf);
    __syncthreads();
  }

  __device__ void join_leaf(u32 n, u32 leaf) {
    auto& meetings = memory_.meetings;
    const copse::detail::LeafHierarchy<SingleLeaves> hierarchy{SingleLeaves{}, memory_.deltas, n};
    LeafRange range{leaf, leaf};
    BvhNode node = BvhNode::leaf(meetings.box(leaf), leaf, 1);
    u32 split = invalid_id;  // of the node, if it is an inner one
    for (;;) {
      const u32 left = hierarchy.delta_left(range.first), right = hierarchy.delta_right(range.last);
      const bool is_left_child = left < right;  // equal, at 0, for the whole tree
      const u32 place = is_left_child ? 2 * range.last + 1 : 2 * range.first;
      nodes_[place] = node;
      if (split != invalid_id) memory_.parents[split] = place;
      if (left == right) return;

      // Go on with the parent if the sibling has come.
      split = sibling_pair(place);
      meetings.put(is_left_child ? range.last : range.first, node.box());
      const u32 other_end = meetings.meet(split, is_left_child ? range.first : range.last);
      if (other_end == invalid_id) return;
      const Aabb other = meetings.box(is_left_child ? range.last + 1 : range.first - 1);
      (is_left_child ? range.last : range.first) = other_end;
      node = BvhNode::inner(merge(node.box(), other), 2 * split + 1);
    }
  }

  /// Chooses the roles of the nodes, as choose_slots_kernel does.
  __device__ void choose(const CollapseCosts& costs, u32 pair_count) {
    const BvhView view{{nodes_, 2 * u64{Shape::capacity}}, {memory_.parents, u64{Shape::capacity}}, {}, {}};
    auto& collapse = memory_.collapse;
    const ChooseInput<width> in{view, costs, nullptr, {collapse.choices, collapse.links}, {}};
    collapse.window.load(in, scales_of(in), 0, pair_count);
    collapse.window.choose(in);
    for (u32 pair = threadIdx.x; pair < pair_count; pair += threads) {
      collapse.choices[pair] = collapse.window.choice(pair);
    }
    __syncthreads();
  }

  /// Records the wide nodes and the children in their slots, from the root down, four lanes a node. In a single large
  /// tree all nodes are looked at at once, and each searches upwards for its role; here that would take more steps.
  __device__ void find_wide_nodes(u32 pair_count) {
    auto& writing = memory_.collapse.writing;
    const copse::detail::CollapsedTree<width> tree{pairs()};
    for (u32 pair = threadIdx.x; pair < pair_count; pair += threads) {
      writing.records[pair].kinds = {};
      if (memory_.parents[pair] == 0) writing.pair_at[0] = u16(pair);
    }
    if (threadIdx.x < writing.level_count) writing.found[threadIdx.x] = 0;
    __syncthreads();
    for (u32 level = 0, first = 0, count = 1; count > 0; ++level) {
      u32* const found = &writing.found[(level + 1) % writing.level_count];
      if (threadIdx.x == 0) writing.found[(level + 2) % writing.level_count] = 0;
      for (u32 k = threadIdx.x; k < count * width; k += threads) {
        const u32 pair = writing.pair_at[first + k / width], slot = k % width;
        const auto child = tree.child_at(pair, slot);
        const u8 kind = kind_of<width>(child, slot);
        writing.records[pair].kinds.of[slot] = kind;
        writing.records[pair].children[slot] = u16(child.node);
        if (kind == SlotKinds<width>::inner)
          writing.pair_at[first + count + atomicAdd(found, 1u)] = u16(child.pair);
      }
      __syncthreads();
      first += count;
      count = *found;
    }
  }

  /// Finds the places of the wide nodes: the root is at place 0; the inner children of all wide nodes follow, in the
  /// order of the pairs.
  __device__ void place_children(u32 pair_count) {
    auto& writing = memory_.collapse.writing;
    const u32 first = threadIdx.x * Shape::per_thread, end = smaller(first + Shape::per_thread, pair_count);
    u32 sum = 0;
    for (u32 pair = first; pair < end; ++pair) sum += PackedParts::pack(writing.records[pair].kinds.parts());
    const BlockScan<u32> scan = block_inclusive_scan<threads>(sum, Plus{}, writing.sums);
    u32 before = scan.inclusive - sum;
    for (u32 pair = first; pair < end; ++pair) {
      SmallRecord& record = writing.records[pair];
      const SlotKinds<width> kinds = record.kinds;
      const u32 parts = PackedParts::pack(kinds.parts());
      if (parts == 0) continue;
      record.first_parts = before;
      u32 place = 1 + copse::detail::place_of_parts(PackedParts::unpack(before)).node;
      before += parts;
      if (memory_.parents[pair] == 0) writing.pair_at[0] = u16(pair);
#pragma unroll
      for (u32 slot = 0; slot < width; ++slot) {
        if (kinds.of[slot] != SlotKinds<width>::inner) continue;
        writing.pair_at[place++] = u16(copse::detail::pair_below(pairs(), record.children[slot]));
      }
    }
    if (threadIdx.x == 0) memory_.parts = 1 + PackedParts::unpack(scan.total);
    __syncthreads();
  }

  /// Writes the wide nodes: four lanes a node, in shared memory, and then as words of 16 bytes.
  __device__ void write(const copse::detail::WideArrays<CompressedBvh4Node>& out) {
    auto& writing = memory_.collapse.writing;
    const copse::detail::WriteSlot<CompressedBvh4Node> write_slot{nodes_, {pairs(), memory_.ids}, out};
    const u32 node_count = copse::detail::place_of_parts(memory_.parts).node, slot = threadIdx.x % width;
    uint4* const own = writing.made + threadIdx.x / width * writing.words_apart;
    for (u32 first = 0; first < node_count; first += threads / width) {
      const u32 place = first + threadIdx.x / width;
      const bool is_there = place < node_count;
      if (is_there) {
        const u32 pair = writing.pair_at[place];
        const SmallRecord made = load_whole(&writing.records[pair]);
        WideRecord<width> record;
#pragma unroll
        for (u32 k = 0; k < width; ++k) record.children[k] = made.children[k];
        record.head = {0, made.kinds, memory_.parents[pair]};
        const bool has_child = made.kinds.at(slot) != SlotKinds<width>::nothing;
        const BvhNode child = load_whole(nodes_ + (has_child ? record.child(slot) : 0));
        write_slot(record, 1 + PackedParts::unpack(made.first_parts), place, slot, child,
                   *reinterpret_cast<CompressedBvh4Node*>(own));
      }
      __syncwarp();
      if (is_there) reinterpret_cast<uint4*>(out.nodes + place)[slot] = own[slot];
      __syncwarp();
    }
  }

  Memory& memory_;
  BvhNode* nodes_;
};

}  // namespace detail

}  // namespace copse::cuda
