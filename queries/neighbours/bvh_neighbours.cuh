#pragma once

// The few nearest points of many queries on CUDA: a warp walks the hierarchy once for 32 queries that are close to
// each other.
//
// 1. Each lane tests the leaves to which the queries of the warp would belong. So the limits are near their final
// values
//    before the walk begins, and its order matters little.
// 2. The walk takes two depths at a time: it tests 64 boxes, two per lane, against the box of all 32 queries and the
//    largest limit of the warp.
// 3. A box that passes is compared with each query and its own limit. So a query that is far from the others, with a
// large
//    limit, brings the warp only to nodes that this query needs. If a leaf passes, all lanes test its points.
//
// A lane does not insert a point at once, since the other lanes would wait: it collects points in shared memory. When
// a lane has eight, all lanes merge their collected points into their lists.

#include "primitives/cuda/launch.cuh"
#include "primitives/cuda/warp.cuh"
#include "queries/neighbours/bvh_query_order.h"
#include "queries/neighbours/nearest_keys.h"

namespace copse::cuda {

namespace detail {

using copse::detail::BvhQueryOrder;
using copse::detail::NearestKeys;

inline constexpr u32 query_packet_warps = 4;

/// Leaves are at most nine depths below the root. The walk stops at every second depth: the root puts off at most
/// eight nodes, and each of three depths below it at most 64.
inline constexpr u32 query_packet_stack_size = 8 + 3 * 64;

/// The shared memory of a warp.
struct QueryPacketMemory {
  /// The points to merge: [number][lane]. A leaf is tested only while each lane has fewer than point_leaf_size.
  u64 collected[2 * point_leaf_size - 1][warp_size];
  u32 stack[query_packet_stack_size];
};

/// Returns the box of all lanes' points.
__device__ inline Aabb box_of_lanes(Aabb box) {
#pragma unroll
  for (u32 distance = warp_size / 2; distance > 0; distance /= 2) {
    box = merge(box, copse::cuda::shuffle_down(box, distance));
  }
  return copse::cuda::shuffle_from(box, 0);
}

/// The square of the distance of two boxes. Points in them are never nearer, even after rounding: see box_square.
__device__ inline float gap_square(const Aabb& a, const PointNode& b) {
  const vec3 gap(max_number(max_number(sub_rn(b.lo.x, a.hi.x), sub_rn(a.lo.x, b.hi.x)), 0.0f),
                 max_number(max_number(sub_rn(b.lo.y, a.hi.y), sub_rn(a.lo.y, b.hi.y)), 0.0f),
                 max_number(max_number(sub_rn(b.lo.z, a.hi.z), sub_rn(a.lo.z, b.hi.z)), 0.0f));
  return copse::detail::near_square(gap, vec3(0));
}

/// The 32 queries of a warp.
template <u32 room>
class QueryPacket {
 public:
  /// A lane without a query has a negative limit.
  __device__ QueryPacket(const PointBvhView& bvh, u64 point_count, const vec3& from, u32 leaf, u32 k, float limit,
                         QueryPacketMemory& memory)
      : bvh_(bvh),
        shape_(point_count),
        point_count_(u32(point_count)),
        from_(from),
        leaf_(leaf),
        nearest_(k, limit),
        memory_(memory),
        box_(box_of_lanes(is_query() ? Aabb{from, from} : Aabb::empty())) {}

  __device__ const NearestKeys<room>& nearest() const { return nearest_; }

  /// Finds the nearest points. All lanes call it.
  __device__ void run() {
    test_own_leaves();
    merge_collected();
    u32 size = visit_children(0, 0, shape_.depth() % 2, 0);
    while (size > 0) {
      // An entry is the number of a node, with its depth in the highest bits.
      const u32 entry = memory_.stack[--size], depth = entry >> depth_shift;
      __syncwarp();
      size = visit_children(entry & ((1u << depth_shift) - 1), depth, depth + 2, size);
    }
    merge_collected();
  }

 private:
  static constexpr u32 depth_shift = 28;  // the number of nodes at one depth is at most 8^9

  __device__ bool is_query() const { return nearest_.limit() >= 0; }
  __device__ const PointNode* nodes_at(u32 depth) const {
    return bvh_.nodes.data() + PointBvhShape::first_at(depth);
  }

  __device__ void test_own_leaves() {
    for (u32 pending = __ballot_sync(all_lanes, is_query()); pending != 0;) {
      const u32 leaf = __shfl_sync(all_lanes, leaf_, __ffs(int(pending)) - 1);
      test_leaf(leaf);
      pending &= ~__ballot_sync(all_lanes, leaf == leaf_);
    }
  }

  /// Visits the descendants at depth `to` of a node at depth `from`, whose number at that depth is `node`. Tests
  /// those that are leaves, and pushes the others. Returns the new size of the stack.
  __device__ u32 visit_children(u32 node, u32 from, u32 to, u32 size) {
    const u32 shift = 3 * (to - from), first = node << shift;
    const u32 end = smaller(first + (1u << shift), shape_.count_at(to));
    const float farthest = farthest_limit();
    for (u32 begin = first; begin < end; begin += warp_size) {
      const u32 child = begin + lane_id();
      const bool is_near = child < end && gap_square(box_, nodes_at(to)[child]) <= farthest;
      u32 reached = 0;
      for (u32 left = __ballot_sync(all_lanes, is_near); left != 0; left &= left - 1) {
        const u32 bit = u32(__ffs(int(left))) - 1;
        if (!is_reached(nodes_at(to)[begin + bit])) continue;
        if (to == shape_.depth()) {
          visit_leaf(begin + bit);
        } else {
          reached |= 1u << bit;
        }
      }
      if ((reached >> lane_id() & 1) != 0) {
        memory_.stack[size + u32(__popc(reached & lower_lanes()))] = to << depth_shift | child;
      }
      size += u32(__popc(reached));
    }
    __syncwarp();
    return size;
  }

  /// The largest limit of the lanes. Limits are not negative, except in lanes without a query, so their bits compare
  /// as integers.
  __device__ float farthest_limit() const {
    const float limit = nearest_.limit();
    return float_from_bits(warp_max(all_lanes, limit >= 0 ? bits_of(limit) : 0));
  }

  /// True if any query reaches a node within its own limit.
  __device__ bool is_reached(const PointNode& node) const {
    return __any_sync(all_lanes, copse::detail::box_square(from_, node.lo, node.hi) <= nearest_.limit());
  }

  __device__ void visit_leaf(u32 leaf) {
    if (!__any_sync(all_lanes, is_query() && leaf == leaf_)) test_leaf(leaf);
  }

  __device__ void test_leaf(u32 leaf) {
    const u32 first = leaf * point_leaf_size, count = smaller(point_count_ - first, point_leaf_size);
    const NumberedPoint* const points = bvh_.points.data() + first;
    if (count == point_leaf_size) {
      NumberedPoint loaded[point_leaf_size];  // all loads come before the first test, so that they overlap
#pragma unroll
      for (u32 k = 0; k < point_leaf_size; ++k) loaded[k] = points[k];
#pragma unroll
      for (u32 k = 0; k < point_leaf_size; ++k) test(loaded[k]);
    } else {
      for (u32 k = 0; k < count; ++k) test(points[k]);
    }
    if (__any_sync(all_lanes, collected_count_ >= point_leaf_size)) merge_collected();
  }

  __device__ void test(const NumberedPoint& point) {
    const float square = copse::detail::near_square(point.position, from_);
    if (square <= nearest_.limit()) {
      memory_.collected[collected_count_++][lane_id()] = copse::detail::nearest_key(square, point.id);
    }
  }

  __device__ void merge_collected() {
    constexpr u32 at_once = NearestKeys<room>::batch_size;
    for (u32 begin = 0; __any_sync(all_lanes, collected_count_ > begin); begin += at_once) {
      u64 batch[at_once];
#pragma unroll
      for (u32 k = 0; k < at_once; ++k) {
        const bool is_there = begin + k < collected_count_;
        batch[k] = is_there ? memory_.collected[begin + k][lane_id()] : copse::detail::no_nearest_key;
      }
      nearest_.add_batch(batch);
    }
    collected_count_ = 0;
  }

  const PointBvhView& bvh_;
  PointBvhShape shape_;
  u32 point_count_;
  vec3 from_;
  u32 leaf_;
  NearestKeys<room> nearest_;
  QueryPacketMemory& memory_;
  Aabb box_;
  u32 collected_count_ = 0;
};

template <u32 room>
__global__ void __launch_bounds__(query_packet_warps* warp_size, 6)
    few_nearest_kernel(const PointBvhView bvh, const vec3* queries, u64 n, const BvhQueryOrder order, float limit,
                       u32 k, PointNeighbour* neighbours) {
  __shared__ QueryPacketMemory memory[query_packet_warps];
  overlap_launches();
  const u64 place = u64(blockIdx.x) * (query_packet_warps * warp_size) + threadIdx.x;
  const bool is_there = place < n;
  const u64 i = is_there ? order(place) : 0;
  const vec3 from = is_there ? queries[i] : vec3(0);
  const u64 point_count = bvh.counts.data()[0].point_count;
  const bool is_query = is_there && point_count > 0 && is_finite(from) && limit >= 0;
  QueryPacket<room> packet(bvh, point_count, from, is_query ? order.leaves[place] : 0, k, is_query ? limit : -1.0f,
                           memory[threadIdx.x / warp_size]);
  if (__any_sync(all_lanes, is_query)) packet.run();
  if (is_there) packet.nearest().store(neighbours + i * k);
}

}  // namespace detail

/// Contract: queries/neighbours/neighbour_batch.h.
template <u32 room>
void find_few_nearest(const Executor& ex, const char* label, const PointBvhView& bvh,
                      BufferSpan<const vec3> queries, const copse::detail::BvhQueryOrder& order, float limit,
                      u32 k, PointNeighbour* neighbours) {
  constexpr u32 threads = detail::query_packet_warps * warp_size;
  launch(
      ex, label, detail::few_nearest_kernel<room>,
      {.blocks = divide_rounding_up(queries.size(), threads), .threads = threads, .overlaps_earlier_launch = true},
      bvh, queries.data(), queries.size(), order, limit, k, neighbours);
}

}  // namespace copse::cuda
