// Prepares neighbouring rays together, one per lane: for boxes as trace/hit/slabs.h does, for triangles as
// make_shear of trace/hit/intersect.h does.

#if defined(COPSE_TRACE_CPU_SIMD_RAYS) == defined(HWY_TARGET_TOGGLE)
#ifdef COPSE_TRACE_CPU_SIMD_RAYS
#undef COPSE_TRACE_CPU_SIMD_RAYS
#else
#define COPSE_TRACE_CPU_SIMD_RAYS
#endif

#include "trace/batch/cpu/hit_collector.h"
#include "trace/batch/cpu/simd_vectors.inl"
#include "trace/hit/intersect.h"
#include "trace/hit/slabs.h"
#include "trace/masked_triangles.h"

HWY_BEFORE_NAMESPACE();
namespace copse::cpu::HWY_NAMESPACE {

using Rays = VecOf<RayLanes>;
using RayMask = MaskOf<RayLanes>;

/// A number per ray of a group.
struct alignas(64) PerRay {
  float values[ray_lanes];

  HWY_INLINE Rays load() const { return hn::Load(RayLanes(), values); }
  HWY_INLINE void store(Rays v) { hn::Store(v, RayLanes(), values); }
  float& operator[](u32 lane) { return values[lane]; }
  float operator[](u32 lane) const { return values[lane]; }
};

struct alignas(64) IdPerRay {
  u32 values[ray_lanes];
  u32& operator[](u32 lane) { return values[lane]; }
  u32 operator[](u32 lane) const { return values[lane]; }
};

/// Rays prepared for a tree, and their hits so far. Times of boxes are those of RaySlabs, with the offsets that
/// kernels use: a ray meets a plane at plane * scale + offset.
struct RayGroup {
  PerRay scale[3], near_offset[3], far_offset[3];
  PerRay start, time_scale;

  PerRay shear_origin[3];  // axes exchanged
  PerRay shear_x, shear_y, shear_inverse, shear_units;
  IdPerRay kind;  // 8 times the shear's axis, and the signs of the scale: bit 0 for x below 0, 1 for y, 2 for z

  PerRay t_min, limit, boxes_limit;
  PerRay v, w, inverse;                 // of the closest hit, as in UndividedHit
  IdPerRay closest, closest_primitive;  // the number that fetches the triangle, and its id; invalid_id for none

  const copse::detail::BatchMasks* masks;  // or null; then ray_masks are not set
  IdPerRay ray_masks;
  HitCollector* collector;  // for Goal::several

  u64 ids[ray_lanes];  // of rays in their batch

  u32 walking;   // bits of the rays that enter the tree's bounds
  u32 given_up;  // bits of the rays that SIMD code cannot trace

  /// Copies ray `from` of another group to ray `to`, without its bits in `walking` and `given_up`.
  HWY_INLINE void copy(u32 to, const RayGroup& other, u32 from) {
    for (u32 k = 0; k < 3; ++k) {
      scale[k][to] = other.scale[k][from];
      near_offset[k][to] = other.near_offset[k][from], far_offset[k][to] = other.far_offset[k][from];
      shear_origin[k][to] = other.shear_origin[k][from];
    }
    start[to] = other.start[from], time_scale[to] = other.time_scale[from];
    shear_x[to] = other.shear_x[from], shear_y[to] = other.shear_y[from];
    shear_inverse[to] = other.shear_inverse[from], shear_units[to] = other.shear_units[from];
    kind[to] = other.kind[from];
    t_min[to] = other.t_min[from], limit[to] = other.limit[from], boxes_limit[to] = other.boxes_limit[from];
    v[to] = other.v[from], w[to] = other.w[from], inverse[to] = other.inverse[from];
    closest[to] = other.closest[from], closest_primitive[to] = other.closest_primitive[from];
    ray_masks[to] = other.ray_masks[from];
    ids[to] = other.ids[from];
  }
};

HWY_INLINE u32 axis_of(u32 kind) {
  return kind >> 3;
}
HWY_INLINE u32 octant_of(u32 kind) {
  return kind & 7;
}

/// As box_limit of trace/hit/slabs.h.
HWY_INLINE Rays boxes_limit(Rays limit, Rays start, Rays time_scale) {
  const RayLanes d;
  constexpr float min_padding = 1.0f / (1u << 30) / (1u << 30) / (1u << 30) / (1u << 20);
  const Rays time = hn::Mul(hn::Add(limit, hn::Set(d, copse::detail::min_denormals)), time_scale);
  const Rays error = hn::Mul(hn::Add(hn::Abs(time), hn::Abs(start)), hn::Set(d, 1.0f / (1u << 19)));
  const RayMask finite = hn::Lt(error, hn::Set(d, infinity));
  const Rays padding = hn::IfThenElseZero(finite, hn::Max(error, hn::Set(d, min_padding)));
  return hn::Add(hn::Sub(time, start), padding);
}

/// The rays as vectors.
struct LoadedRays {
  Rays origin[3], t_min, direction[3], t_max;

  /// A ray is two groups of four floats.
  HWY_INLINE explicit LoadedRays(const Ray* rays) {
    const RayLanes d;
    const float* floats = &rays->origin.x;
    Rays low[4], high[4];
    hn::LoadInterleaved4(d, floats, low[0], low[1], low[2], low[3]);
    hn::LoadInterleaved4(d, floats + 4 * ray_lanes, high[0], high[1], high[2], high[3]);
    for (u32 k = 0; k < 3; ++k) {
      origin[k] = hn::ConcatEven(d, high[k], low[k]);
      direction[k] = hn::ConcatOdd(d, high[k], low[k]);
    }
    t_min = hn::ConcatEven(d, high[3], low[3]);
    t_max = hn::ConcatOdd(d, high[3], low[3]);
  }

  HWY_INLINE RayMask traceable(Rays largest) const {
    const RayLanes d;
    const Rays most = hn::Set(d, infinity);
    RayMask good = hn::And(hn::Gt(largest, hn::Zero(d)), hn::Le(t_min, t_max));
    for (u32 k = 0; k < 3; ++k) {
      good = hn::And(good, hn::And(hn::Lt(hn::Abs(origin[k]), most), hn::Lt(hn::Abs(direction[k]), most)));
    }
    return good;
  }
};

/// The largest components of the rays' directions, and the units that follow from them.
struct Directions {
  Rays largest;        // magnitude of a component
  RayMask is_x, is_y;  // the axis of that component; z if neither
  Rays units;          // direction_units(largest)
  Rays inverse;        // one over that component in units

  HWY_INLINE explicit Directions(const Rays (&direction)[3]) {
    constexpr u32 min_exponent = 0x00800000u, max_exponent = 0x7e800000u;
    const RayLanes d;
    const hn::Repartition<u32, RayLanes> du;
    const Rays x = hn::Abs(direction[0]), y = hn::Abs(direction[1]), z = hn::Abs(direction[2]);
    largest = largest_of(d, x, y, z);
    const RayMask x_above_y = hn::Gt(x, y);
    is_x = hn::And(x_above_y, hn::Gt(x, z)), is_y = hn::AndNot(x_above_y, hn::Gt(y, z));
    const auto exponent = hn::And(hn::BitCast(du, largest), hn::Set(du, 0x7f800000u));
    const auto normal = hn::Min(hn::Max(exponent, hn::Set(du, min_exponent)), hn::Set(du, max_exponent));
    units = hn::BitCast(d, hn::Sub(hn::Set(du, copse::detail::one_twice), normal));
    inverse = hn::Div(hn::Set(d, 1.0f), hn::Mul(of_axis(direction), units));
  }

  /// The components of `p` along the axes of the largest components.
  HWY_INLINE Rays of_axis(const Rays (&p)[3]) const {
    return hn::IfThenElse(is_x, p[0], hn::IfThenElse(is_y, p[1], p[2]));
  }
};

/// Makes the slabs of rays that move along all axes within a tree of ordinary size. Returns a mask of these rays. The
/// arithmetic is that of make_slabs, which explains it.
HWY_INLINE RayMask make_ordinary_slabs(const LoadedRays& rays, const Aabb& bounds, const Directions& directions,
                                       RayGroup& group) {
  using copse::detail::two_to_60;
  const RayLanes d;
  const hn::Repartition<u32, RayLanes> du;
  Rays extent[3];
  for (u32 k = 0; k < 3; ++k) {
    const int axis = int(k);
    const float farthest = max_number(magnitude(bounds.lo[axis]), magnitude(bounds.hi[axis]));
    extent[k] = hn::Add(hn::Set(d, farthest), hn::Abs(rays.origin[k]));
  }
  const Rays &largest = directions.largest, &units = directions.units;
  const Rays time_scale = hn::BitCast(d, hn::Sub(hn::Set(du, 0x7f000000u), hn::BitCast(du, units)));
  const Rays far_extent = directions.of_axis(extent);
  const Rays farthest = hn::Mul(far_extent, hn::Set(d, 1.01f));
  constexpr float min_largest = 0x1p-125f, max_largest = 0x1p126f;
  RayMask ordinary =
      hn::And(hn::Le(farthest, hn::Set(d, two_to_60)),
              hn::And(hn::Ge(largest, hn::Set(d, min_largest)), hn::Lt(largest, hn::Set(d, max_largest))));

  const Rays start = hn::Max(hn::Mul(rays.t_min, time_scale), hn::Mul(farthest, hn::Set(d, -2.0f)));
  const Rays max_product =
      hn::Min(hn::Set(d, two_to_60 * 1125899906842624.0f), hn::Mul(farthest, hn::Set(d, 4 * two_to_60)));
  const Rays least_depth = hn::Min(hn::Set(d, copse::detail::min_depth),
                                   hn::Mul(largest_of(d, extent[0], extent[1], extent[2]), hn::Set(d, 0.25f)));
  const Rays far_time = hn::Mul(hn::Max(far_extent, least_depth), hn::Abs(directions.inverse));
  const Rays time_padding = hn::Mul(far_time, hn::Set(d, 1.0f / (1u << 19)));
  const Rays start_padding = hn::MulAdd(hn::Abs(start), hn::Set(d, 1.0f / (1u << 19)),
                                        hn::Set(d, 1.0f / two_to_60 / two_to_60 / (1u << 6)));
  const Rays denormals = hn::Mul(time_scale, hn::Set(d, copse::detail::min_denormals));
  const Rays common = hn::Add(start_padding, hn::Add(time_padding, denormals));
  const Rays grain = hn::Set(d, copse::detail::min_denormals), underflow = hn::MulAdd(far_extent, grain, grain);
  group.start.store(start);
  group.time_scale.store(time_scale);
  for (u32 k = 0; k < 3; ++k) {
    const Rays scale = hn::Div(hn::Set(d, 1.0f), hn::Mul(rays.direction[k], units));
    ordinary = hn::And(ordinary, hn::Le(hn::Mul(hn::Abs(scale), extent[k]), max_product));
    const Rays at_origin = hn::Mul(rays.origin[k], scale);
    const Rays axis_padding = hn::MulAdd(hn::Abs(scale), underflow, common);
    const Rays padding = hn::MulAdd(hn::Abs(at_origin), hn::Set(d, 1.0f / (1u << 22)), axis_padding);
    group.scale[k].store(scale);
    group.near_offset[k].store(hn::Sub(hn::Sub(hn::Neg(start), padding), at_origin));
    group.far_offset[k].store(hn::Sub(hn::Sub(padding, start), at_origin));
  }
  return ordinary;
}

/// Makes the slabs of any other traceable ray. Returns false if the ray misses. It gives up on rays with a scale of
/// 0, which occur in trees near the limits of float.
[[gnu::noinline]] inline bool make_other_slabs(const Ray& ray, const Aabb& bounds, RayGroup& group, u32 lane) {
  const RaySlabs slabs = make_slabs(ray, bounds);
  if (!slabs.is_bounded) return false;
  for (u32 k = 0; k < 3; ++k) {
    const int axis = int(k);
    if (slabs.scale[axis] == 0) group.given_up |= 1u << lane;
    const float at_origin = mul_rn(ray.origin[axis], slabs.scale[axis]);
    group.scale[k][lane] = slabs.scale[axis];
    group.near_offset[k][lane] = sub_rn(slabs.near_offset[axis], at_origin);
    group.far_offset[k][lane] = sub_rn(slabs.far_offset[axis], at_origin);
  }
  group.start[lane] = slabs.start;
  group.time_scale[lane] = slabs.time_scale;
  return true;
}

/// The rays that come near the bounds of the tree.
HWY_INLINE RayMask enter_bounds(const RayGroup& group, const Aabb& bounds, Rays limit) {
  const RayLanes d;
  Rays entry = hn::Zero(d), exit = hn::Set(d, infinity);
  for (u32 k = 0; k < 3; ++k) {
    const Rays lo = hn::Set(d, bounds.lo[int(k)]), hi = hn::Set(d, bounds.hi[int(k)]),
               scale = group.scale[k].load();
    const RayMask backwards = hn::Lt(scale, hn::Zero(d));
    const Rays near = hn::IfThenElse(backwards, hi, lo), far = hn::IfThenElse(backwards, lo, hi);
    entry = hn::Max(entry, hn::MulAdd(near, scale, group.near_offset[k].load()));
    exit = hn::Min(exit, hn::MulAdd(far, scale, group.far_offset[k].load()));
  }
  return hn::Le(entry, hn::Min(exit, limit));
}

/// make_shear for all rays.
HWY_INLINE void make_shears(const LoadedRays& rays, const Directions& directions, RayGroup& group) {
  const RayMask is_x = directions.is_x, is_y = directions.is_y;
  const Rays &units = directions.units, &inverse = directions.inverse;
  const auto without_axis = [&](const Rays(&p)[3], u32 k) {
    return hn::IfThenElse(k == 0 ? is_x : is_y, p[2], p[k]);
  };
  for (u32 k = 0; k < 2; ++k) group.shear_origin[k].store(without_axis(rays.origin, k));
  group.shear_origin[2].store(directions.of_axis(rays.origin));
  group.shear_x.store(hn::Mul(hn::Mul(without_axis(rays.direction, 0), units), inverse));
  group.shear_y.store(hn::Mul(hn::Mul(without_axis(rays.direction, 1), units), inverse));
  group.shear_inverse.store(inverse);
  group.shear_units.store(units);
}

/// Computes the kinds of the rays from their axes and signs.
HWY_INLINE void tell_kinds(const Directions& directions, RayGroup& group) {
  const RayLanes d;
  const hn::Repartition<u32, RayLanes> du;
  const auto bit = [&](RayMask mask, u32 value) {
    return hn::IfThenElseZero(hn::RebindMask(du, mask), hn::Set(du, value));
  };
  auto kind = hn::IfThenElse(hn::RebindMask(du, directions.is_x), hn::Zero(du),
                             hn::IfThenElse(hn::RebindMask(du, directions.is_y), hn::Set(du, 8), hn::Set(du, 16)));
  for (u32 k = 0; k < 3; ++k) kind = hn::Or(kind, bit(hn::Lt(group.scale[k].load(), hn::Zero(d)), 1u << k));
  hn::Store(kind, du, group.kind.values);
}

/// Prepares ray_lanes rays.
HWY_INLINE void prepare_ray(const Ray* all, const Aabb& bounds, RayGroup& group) {
  const RayLanes d;
  const hn::Repartition<u32, RayLanes> du;
  const LoadedRays rays(all);
  const Directions directions(rays.direction);
  group.given_up = 0;
  const u32 traceable = is_empty(bounds) ? 0 : bits_of_mask(d, rays.traceable(directions.largest));
  u32 bounded = bits_of_mask(d, hn::Lt(rays.t_min, hn::Set(d, infinity)));
  const u32 ordinary = bits_of_mask(d, make_ordinary_slabs(rays, bounds, directions, group));
  for (u32 others = traceable & ~ordinary; others != 0; others &= others - 1) {
    const u32 lane = lowest_bit(others);
    if (!make_other_slabs(all[lane], bounds, group, lane)) bounded &= ~(1u << lane);
  }
  const Rays limit = boxes_limit(rays.t_max, group.start.load(), group.time_scale.load());
  group.walking = traceable & bounded & (group.given_up | bits_of_mask(d, enter_bounds(group, bounds, limit)));
  group.given_up &= group.walking;
  group.t_min.store(rays.t_min);
  group.limit.store(rays.t_max);
  group.boxes_limit.store(limit);
  hn::Store(hn::Set(du, invalid_id), du, group.closest.values);
  hn::Store(hn::Set(du, invalid_id), du, group.closest_primitive.values);
  if (group.walking == 0) return;
  make_shears(rays, directions, group);
  tell_kinds(directions, group);
}

}  // namespace copse::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
