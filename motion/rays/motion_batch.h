#pragma once

// The rays of a batch through moving triangles, for the kernels of both backends.

#include <type_traits>

#include "accel/ray_span.h"
#include "builders/geometry/quad.h"
#include "motion/motion_view.h"
#include "trace/walk/unordered_walk.h"

namespace copse::detail {

/// The layout of the rays of a batch: records aligned to 16 bytes, other records, or separate parts.
enum class RayLayout : u32 { at_quads, in_records, in_parts };

/// Rays, their times and their masks.
struct TimedRays {
  RayLayout layout = RayLayout::in_records;
  const Ray* rays = nullptr;     // in records
  RaySpan parts = {};            // in separate arrays
  const float* times = nullptr;  // one per ray; null: `time` for all
  float time = 0;
  const u32* masks = nullptr;  // one per ray; null: `mask` for all
  u32 mask = ~u32{0};
  Cull cull = Cull::none;
  u64 first = 0;  // the number of the launch's first ray

  COPSE_HD Ray ray(u64 i) const {
    if (layout == RayLayout::in_parts) return parts.at(first + i);
    if (layout == RayLayout::in_records) return rays[first + i];
    const auto* quads = reinterpret_cast<const Quad*>(rays + first + i);
    const Quad a = quads[0], b = quads[1];
    return {a.point(), float_from_bits(a.words[3]), b.point(), float_from_bits(b.words[3])};
  }
  COPSE_HD float time_of(u64 i) const { return times == nullptr ? time : times[first + i]; }
  COPSE_HD u32 mask_of(u64 i) const { return masks == nullptr ? mask : masks[first + i] & mask; }

  bool sees_all() const { return masks == nullptr && mask == ~u32{0} && cull == Cull::none; }
};

/// Rays through a MotionAccel.
struct MotionBatch : TimedRays {
  MotionView accel;

  COPSE_HD KeyTime key_time_of(u64 i) const { return KeyTime::of(time_of(i), accel.key_count); }
};

/// The order in which a traversal visits the children of a node (trace/walk/unordered_walk.h).
enum class MotionOrder { nearest_first, latest_exit_first };

/// `Out`: Hit for the closest hit, u8 for any. `sees_all`: all rays see all triangles. Closest hits are searched
/// nearest child first.
template <class Out, bool sees_all,
          MotionOrder order =
              std::is_same_v<Out, Hit> ? MotionOrder::nearest_first : MotionOrder::latest_exit_first>
struct MotionQuery {
  static constexpr bool finds_closest = std::is_same_v<Out, Hit>;
  static constexpr u32 stack_size = 64;

  using Triangles = std::conditional_t<sees_all, MovingTriangles, SeenMovingTriangles>;
  template <Robustness robustness>
  using Test = std::conditional_t<finds_closest, ClosestTriangle<Triangles, robustness>,
                                  AnyTriangle<Triangles, robustness>>;
  using FastWalk = std::conditional_t<order == MotionOrder::nearest_first, MovingWalk<stack_size>,
                                      UnorderedWalk<MovingNode, stack_size, FirstChild::of_latest_exit>>;

  MotionBatch batch;
  Out* results;

  COPSE_HD Triangles triangles(const Ray& ray, const KeyTime& time, u64 i) const {
    if constexpr (sees_all) {
      return batch.accel.triangles_at(time);
    } else {
      return batch.accel.seen_by(ray, time, batch.mask_of(i), batch.cull);
    }
  }

  template <class LeafTest>
  COPSE_HD static Out result(const LeafTest& test, float limit) {
    if constexpr (finds_closest) {
      return test.hit(limit);
    } else {
      return test.found ? 1 : 0;
    }
  }

  COPSE_HD static Out miss(const Ray& ray) {
    if constexpr (finds_closest) {
      return {ray.t_max, invalid_id, invalid_id, 0, 0};
    } else {
      return 0;
    }
  }

  /// Traces ray i by robust traversal.
  COPSE_HD Out trace_robust(u64 i) const {
    const Ray ray = batch.ray(i);
    const KeyTime time = batch.key_time_of(i);
    Test<Robustness::robust> test(triangles(ray, time, i), ray);
    NoCounter counter;
    const float limit = traverse_robust<default_stack_size>(batch.accel.tree_at(time), ray, test, counter);
    return result(test, limit);
  }
};

}  // namespace copse::detail
