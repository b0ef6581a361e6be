// Batches of rays through worlds, a thread per ray.
//
// The cooperative stage, scene/worlds/worlds_rays_cpu.h and scene/worlds/worlds_rays.cuh:
//
//   trace_each_in_world(ex, label, n, trace)     calls trace(i) for rays 0 to n - 1

#include "scene/worlds/worlds_batch.h"

namespace copse::detail {

namespace {

template <class Result>
struct TraceWorlds {
  WorldsBatch batch;
  Result* results;

  COPSE_HD void operator()(u64 i) const {
    const u32 mask = batch.masks == nullptr ? batch.mask : batch.masks[i] & batch.mask;
    const u32 world = batch.world_of_ray[i];
    if constexpr (std::is_same_v<Result, SceneHit>) {
      results[i] = closest_hit(batch.worlds, world, batch.rays[i], mask, batch.cull);
    } else {
      results[i] = any_hit(batch.worlds, world, batch.rays[i], mask, batch.cull) ? 1 : 0;
    }
  }
};

/// Takes over the instances of the worlds that have moved, and their boxes.
struct TakeMovedWorlds {
  ForestShape shape;
  const u32* moved;
  const PlacedInstance* placed;
  const Aabb* boxes;
  PlacedInstance* placed_out;
  Aabb* boxes_out;

  COPSE_HD void operator()(u64 i) const {
    if (moved[shape.tree_of[i]] == 0) return;
    placed_out[i] = placed[i];
    boxes_out[i] = boxes[i];
  }
};

}  // namespace

template <class Executor, class Result>
void trace_worlds(const Executor& ex, const WorldsBatch& batch, BufferSpan<Result> results) {
  const char* const label = std::is_same_v<Result, SceneHit> ? "worlds: closest hits" : "worlds: any hits";
  trace_each_in_world(ex, label, results.size(), TraceWorlds<Result>{batch, results.data()});
}

template <class Executor>
void take_moved_worlds(const Executor& ex, const ForestShape& shape, const u32* moved,
                       const PlacedInstance* placed, const Aabb* boxes, PlacedInstance* placed_out,
                       Aabb* boxes_out) {
  for_each(ex, "worlds: take those that moved", shape.primitive_count,
           TakeMovedWorlds{shape, moved, placed, boxes, placed_out, boxes_out});
}

template void trace_worlds(const BodyExecutor&, const WorldsBatch&, BufferSpan<SceneHit>);
template void trace_worlds(const BodyExecutor&, const WorldsBatch&, BufferSpan<u8>);
template void take_moved_worlds(const BodyExecutor&, const ForestShape&, const u32*, const PlacedInstance*,
                                const Aabb*, PlacedInstance*, Aabb*);

}  // namespace copse::detail
