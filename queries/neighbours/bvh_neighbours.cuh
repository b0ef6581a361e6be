#pragma once

// The few nearest points of many queries on CUDA: a warp walks the hierarchy once for 32 queries that are close to
// each other. A node is visited if any of them reaches it, so all lanes read the same node and nothing diverges but
// the lists of nearest points.
//
// First each lane tests the leaves where the queries of the warp would stand. So the limits are near their final
// values before the walk begins, and its order hardly matters.

#include "primitives/cuda/launch.cuh"
#include "primitives/cuda/warp.cuh"
#include "queries/neighbours/bvh_query_order.h"
#include "queries/neighbours/nearest_keys.h"

namespace copse::cuda {

namespace detail {

using copse::detail::BvhQueryOrder;
using copse::detail::NearestKeys;

inline constexpr u32 packet_warps = 4;

struct QueryPacketStack {
  u32 nodes[copse::detail::point_stack_size];
};

/// The 32 queries of a warp.
template <u32 room>
class QueryPacket {
 public:
  __device__ QueryPacket(const PointBvhView& bvh, u64 point_count, const vec3& from, u32 leaf, bool is_query,
                         u32 k, float limit, QueryPacketStack& stack)
      : bvh_(bvh),
        shape_(point_count),
        point_count_(u32(point_count)),
        from_(from),
        leaf_(leaf),
        is_query_(is_query),
        nearest_(k, limit),
        stack_(stack) {}

  __device__ const NearestKeys<room>& nearest() const { return nearest_; }

  /// Finds the nearest points. All lanes call it.
  __device__ void run() {
    test_own_leaves();
    u32 size = 1;
    if (lane_id() == 0) stack_.nodes[0] = 0;
    __syncwarp();
    while (size > 0) {
      const u32 node = stack_.nodes[--size];
      __syncwarp();
      if (node < shape_.first_leaf()) {
        size = visit_children(node, size);
      } else {
        const u32 leaf = node - shape_.first_leaf();
        if (!__any_sync(all_lanes, is_query_ && leaf == leaf_)) test_leaf(leaf);
      }
    }
  }

 private:
  static constexpr u32 children_at_once = 4;  // that are loaded before the first is tested, so that loads overlap

  __device__ bool reaches(float square) const { return is_query_ && square <= nearest_.limit(); }

  __device__ void test_own_leaves() {
    for (u32 pending = __ballot_sync(all_lanes, is_query_); pending != 0;) {
      const u32 leaf = __shfl_sync(all_lanes, leaf_, __ffs(int(pending)) - 1);
      test_leaf(leaf);
      pending &= ~__ballot_sync(all_lanes, leaf == leaf_);
    }
  }

  __device__ void test_leaf(u32 leaf) {
    const u32 first = leaf * point_leaf_size, count = smaller(point_count_ - first, point_leaf_size);
    const NumberedPoint* const points = bvh_.points.data() + first;
    if (count == point_leaf_size) {
      NumberedPoint loaded[point_leaf_size];  // all loads before the first test, so that they overlap
#pragma unroll
      for (u32 k = 0; k < point_leaf_size; ++k) loaded[k] = points[k];
#pragma unroll
      for (u32 k = 0; k < point_leaf_size; ++k) test(loaded[k]);
    } else {
      for (u32 k = 0; k < count; ++k) test(points[k]);
    }
  }

  __device__ void test(const NumberedPoint& point) {
    const float square = copse::detail::near_square(point.position, from_);
    if (reaches(square)) nearest_.add(square, point.id);
  }

  /// Puts the children that any lane reaches on the stack. Returns its new size.
  __device__ u32 visit_children(u32 node, u32 size) {
    const u32 first = 8 * node + 1, count = shape_.child_count(node);
    const PointNode* const children = bvh_.nodes.data() + first;
    u32 reached = 0;
#pragma unroll
    for (u32 begin = 0; begin < 8; begin += children_at_once) {
      Aabb boxes[children_at_once];
#pragma unroll
      for (u32 k = 0; k < children_at_once; ++k) {
        const PointNode child = children[smaller(begin + k, count - 1)];
        boxes[k] = {child.lo, child.hi};
      }
#pragma unroll
      for (u32 k = 0; k < children_at_once; ++k) {
        const bool is_near = reaches(copse::detail::box_square(from_, boxes[k].lo, boxes[k].hi));
        reached |= u32(__any_sync(all_lanes, is_near)) << (begin + k);
      }
    }
    reached &= (1u << count) - 1;
    if ((reached >> lane_id() & 1) != 0) {
      stack_.nodes[size + u32(__popc(reached & lower_lanes()))] = first + lane_id();
    }
    __syncwarp();
    return size + u32(__popc(reached));
  }

  const PointBvhView& bvh_;
  PointBvhShape shape_;
  u32 point_count_;
  vec3 from_;
  u32 leaf_;
  bool is_query_;
  NearestKeys<room> nearest_;
  QueryPacketStack& stack_;
};

template <u32 room>
__global__ void __launch_bounds__(packet_warps* warp_size)
    few_nearest_kernel(const PointBvhView bvh, const vec3* queries, u64 n, const BvhQueryOrder order, float limit,
                       u32 k, PointNeighbour* neighbours) {
  __shared__ QueryPacketStack stacks[packet_warps];
  overlap_launches();
  const u64 place = u64(blockIdx.x) * (packet_warps * warp_size) + threadIdx.x;
  const bool is_there = place < n;
  const u64 i = is_there ? order(place) : 0;
  const vec3 from = is_there ? queries[i] : vec3(0);
  const u64 point_count = bvh.counts.data()[0].point_count;
  const bool is_query = is_there && point_count > 0 && is_finite(from) && limit >= 0;
  QueryPacket<room> packet(bvh, point_count, from, is_query ? order.leaves[place] : 0, is_query, k, limit,
                           stacks[threadIdx.x / warp_size]);
  if (__any_sync(all_lanes, is_query)) packet.run();
  if (is_there) packet.nearest().store(neighbours + i * k);
}

}  // namespace detail

/// Contract: queries/neighbours/neighbour_batch.h.
template <u32 room>
void find_few_nearest(const Executor& ex, const char* label, const PointBvhView& bvh,
                      BufferSpan<const vec3> queries, const copse::detail::BvhQueryOrder& order, float limit,
                      u32 k, PointNeighbour* neighbours) {
  constexpr u32 threads = detail::packet_warps * warp_size;
  launch(
      ex, label, detail::few_nearest_kernel<room>,
      {.blocks = divide_rounding_up(queries.size(), threads), .threads = threads, .overlaps_earlier_launch = true},
      bvh, queries.data(), queries.size(), order, limit, k, neighbours);
}

}  // namespace copse::cuda
