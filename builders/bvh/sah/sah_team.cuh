#pragma once

// Splits of nodes whose items fit in the registers of a team: a warp, or a block of several warps.

#include "builders/bvh/sah/sah_bins.cuh"

namespace copse::cuda {

namespace detail {

/// A split, with the grid that it counts in.
struct SahChoice {
  SahGrid grid;
  SahSplit split;
};

/// The bounds of the centres on either side of a split.
struct SahSideCentres {
  SahBounds left = SahBounds::empty(), right = SahBounds::empty();

  __device__ void add(bool is_left, const SahItem& item) {
    const SahBounds centre = SahBounds::of_point(item.centre());
    if (is_left) {
      left.merge(centre);
    } else {
      right.merge(centre);
    }
  }
};
/// For callers that do not need the bounds.
struct SahNoCentres {
  __device__ void add(bool, const SahItem&) {}
};

/// The shared memory of a team.
template <u32 warps>
struct SahTeamMemory {
  SahBinTable bins;
  SahBounds centres;
  SahBounds bounds;  // of the node
  SahAxisSplit of_axis[3];
  u32 left_counts[warps];
};

template <u32 warps>
class SahTeam {
 public:
  static constexpr u32 threads = warps * warp_size;
  static constexpr u32 rounds = 4;  // items per thread
  static constexpr u32 max_items = threads * rounds;
  static constexpr bool is_warp = warps == 1;

  __device__ SahTeam(const SahInput& in, SahTeamMemory<warps>& memory) : in_(in), memory_(memory) {}

  __device__ static u32 thread() { return is_warp ? lane_id() : threadIdx.x; }
  __device__ static u32 warp() { return is_warp ? 0 : threadIdx.x / warp_size; }
  __device__ static void sync() {
    if constexpr (is_warp) {
      __syncwarp();
    } else {
      __syncthreads();
    }
  }

  /// Splits a node of at most max_items and moves its items from `from` to `to`. Returns how many go left, to all
  /// threads. After it, each thread sees the items that the others moved.
  __device__ u32 split(const SahRange& range, const SahItem* from, SahItem* to) {
    SahItem items[rounds];
    load(range, 0, from, items);
    const SahGrid grid = SahGrid::over(bound_centres(range, items), in_.bin_count);
    memory_.bins.clear(thread(), threads);
    sync();
    add(range, 0, grid, items);
    sync();
    const SahSplit split = choose(range, memory_.bins);
    u32 left_before = 0;
    SahNoCentres no_centres;
    move(range, 0, {grid, split}, items, left_before, to, no_centres);
    if (thread() == 0) in_.tree.place_inner(range, memory_.bounds.box(), split.left_count);
    sync();
    return split.left_count;
  }

  /// Loads the team's items of a node, from the `begin`-th on. A warp has neighbouring items, so counts per warp
  /// are enough to keep their order.
  __device__ void load(const SahRange& range, u32 begin, const SahItem* from, SahItem (&items)[rounds]) const {
#pragma unroll
    for (u32 r = 0; r < rounds; ++r) {
      const u32 i = begin + item_id(r);
      if (i < range.count) items[r] = from[range.first + i];
    }
  }

  /// Adds the items to the team's bins.
  __device__ void add(const SahRange& range, u32 begin, const SahGrid& grid, const SahItem (&items)[rounds]) {
#pragma unroll
    for (u32 r = 0; r < rounds; ++r) {
      if (begin + item_id(r) < range.count) memory_.bins.add(grid, items[r]);
    }
  }

  /// Returns the best split by complete bins, to all threads; memory_.bounds = the bounds of the node.
  __device__ SahSplit choose(const SahRange& range, const SahBinTable& bins) {
    for (u32 axis = warp(); axis < 3; axis += warps) {
      SahBounds bounds;
      const SahAxisSplit best = best_split_along(bins, axis, range.count, bounds);
      if (lane_id() == 0) memory_.of_axis[axis] = best;
      if (axis == 0 && lane_id() == warp_size - 1) memory_.bounds = bounds;
    }
    sync();
    SahSplit split = SahSplit::in_the_middle(range.count);
    if (range.depth >= copse::detail::sah_depth_limit) return split;
    double min_cost = infinity;
    for (u32 axis = 0; axis < 3; ++axis) {
      const SahAxisSplit& best = memory_.of_axis[axis];
      if (best.cost < min_cost) {
        min_cost = best.cost;
        split = {axis, best.last_left, best.left_count};
      }
    }
    return split;
  }

  /// Moves the team's items to their sides, in order. `left_before` items went left before them; adds to that
  /// number.
  template <class SideCentres>
  __device__ void move(const SahRange& range, u32 begin, const SahChoice& choice, const SahItem (&items)[rounds],
                       u32& left_before, SahItem* to, SideCentres& side_centres) {
    u32 votes[rounds], warp_count = 0;
#pragma unroll
    for (u32 r = 0; r < rounds; ++r) {
      const u32 i = begin + item_id(r);
      votes[r] = __ballot_sync(all_lanes, i < range.count && choice.split.goes_left(choice.grid, items[r], i));
      warp_count += u32(__popc(votes[r]));
    }
    u32 rank = left_before;
    rank += count_before(warp_count, left_before);
#pragma unroll
    for (u32 r = 0; r < rounds; ++r) {
      const u32 i = begin + item_id(r), left_rank = rank + u32(__popc(votes[r] & lower_lanes()));
      rank += u32(__popc(votes[r]));
      if (i >= range.count) continue;
      const bool is_left = (votes[r] >> lane_id() & 1) != 0;
      const u32 left_count = choice.split.left_count;
      place(is_left ? range.left(left_count) : range.right(left_count), is_left ? left_rank : i - left_rank,
            items[r], to);
      side_centres.add(is_left, items[r]);
    }
  }

 private:
  __device__ static u32 item_id(u32 r) {
    return (warp() * rounds + r) * warp_size + lane_id();
  }

  __device__ Aabb bound_centres(const SahRange& range, const SahItem (&items)[rounds]) {
    SahBounds centres = SahBounds::empty();
#pragma unroll
    for (u32 r = 0; r < rounds; ++r) {
      if (item_id(r) < range.count) centres.merge(SahBounds::of_point(items[r].centre()));
    }
#pragma unroll
    for (u32& side : centres.side) side = warp_min(all_lanes, side);
    if constexpr (is_warp) return centres.box();
    if (thread() == 0) memory_.centres = SahBounds::empty();
    sync();
    if (lane_id() < SahBounds::side_count)
      lower_shared(&memory_.centres.side[lane_id()], side_of(centres, lane_id()));
    sync();
    return memory_.centres.box();
  }

  __device__ static u32 side_of(const SahBounds& bounds, u32 s) {
    u32 side = bounds.side[0];
#pragma unroll
    for (u32 k = 1; k < SahBounds::side_count; ++k) side = s == k ? bounds.side[k] : side;
    return side;
  }

  /// Returns the sum of the counts of lower warps; adds the counts of all warps to `total`.
  __device__ u32 count_before(u32 count, u32& total) {
    if constexpr (is_warp) {
      total += count;
      return 0;
    }
    if (lane_id() == 0) memory_.left_counts[warp()] = count;
    sync();
    u32 before = 0;
#pragma unroll
    for (u32 w = 0; w < warps; ++w) {
      if (w < warp()) before += memory_.left_counts[w];
      total += memory_.left_counts[w];
    }
    sync();
    return before;
  }

  /// Stores an item at its place on its side. An item that is alone there is a leaf.
  __device__ void place(const SahRange& side, u32 rank, const SahItem& item, SahItem* to) const {
    if (side.count == 1) {
      in_.tree.place_single(side, item);
    } else {
      to[side.first + rank] = item;
    }
  }

  const SahInput& in_;
  SahTeamMemory<warps>& memory_;
};

}  // namespace detail

}  // namespace copse::cuda
