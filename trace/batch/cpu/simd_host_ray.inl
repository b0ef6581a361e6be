// A single ray, prepared for the nodes and the triangles of one tree. Four lanes hold the axes of the ray, or the
// children of a node, or the triangles of a leaf. It is prepare_ray of trace/hit/prepared_ray.h, with the fused
// operations of kernels, and make_shear of trace/hit/intersect.h.

#if defined(COPSE_TRACE_CPU_SIMD_HOST_RAY) == defined(HWY_TARGET_TOGGLE)
#ifdef COPSE_TRACE_CPU_SIMD_HOST_RAY
#undef COPSE_TRACE_CPU_SIMD_HOST_RAY
#else
#define COPSE_TRACE_CPU_SIMD_HOST_RAY
#endif

#include "builders/bvh/wide_node.h"
#include "trace/batch/cpu/simd_triangles.inl"

HWY_BEFORE_NAMESPACE();
namespace copse::cpu::HWY_NAMESPACE {

using Four = VecOf<FourLanes>;
using FourWords = hn::Repartition<u32, FourLanes>;

/// The components of a vector in lanes, for loads.
struct alignas(16) FourFloats {
  float of[4];

  HWY_INLINE explicit FourFloats(Four v) { hn::Store(v, FourLanes(), of); }
};

/// The sizes of a grid's steps along x, y and z, as floats. `quad`: the first of a node.
HWY_INLINE Four steps_of_quad(Four quad) {
  const hn::Repartition<u8, FourLanes> bytes;
  constexpr u8 none = 128;
  // Each exponent moves to the highest byte of its lane, and from there to its place.
  alignas(16) static constexpr u8 places[16] = {none, none, none, 12, none, none, none, 13,
                                                none, none, none, 14, none, none, none, none};
  const auto exponents = hn::TableLookupBytesOr0(hn::BitCast(bytes, quad), hn::Load(bytes, places));
  return hn::BitCast(FourLanes(), hn::ShiftRight<1>(hn::BitCast(FourWords(), exponents)));
}

/// A ray as the walk needs it.
struct HostRay {
  Four scale, near_offset, far_offset;  // by axis
  u32 near_at[3], far_at[3];  // where a node keeps the planes that the ray meets first and last, in bytes
  float start, time_scale;
  float limit;              // in units of t: that of the closest hit, or t_max
  float box_limit;          // in the units of boxes
  bool is_backward_mainly;  // along the axis of its largest component

  u32 axis;
  Shears<FourLanes> shears;  // without the limit

  /// Prepares `ray` for a tree with this root. Returns false if the ray or the tree is outside the common range.
  HWY_INLINE bool prepare(const Ray& ray, const CompressedBvh4Node& root) {
    const FourLanes d;
    const Four origin = hn::LoadU(d, &ray.origin.x);
    const float largest = largest_magnitude(ray.direction);
    const float units = direction_units(largest);
    const Four direction = hn::Mul(hn::LoadU(d, &ray.direction.x), hn::Set(d, units));
    const Four inverse = hn::Div(hn::Set(d, 1.0f), direction);
    const float reach = 2.0f * farthest_coordinate(root) + largest_magnitude(ray.origin);
    time_scale = float_from_bits(copse::detail::one_twice - bits_of(units));
    start = ray.t_min * time_scale;
    make_slabs(origin, inverse, reach);
    make_shears(ray, origin, direction, inverse, units);
    box_limit = limit_of_boxes(ray.t_max);
    return is_in_common_range(ray, reach, largest);
  }

  /// common_range_box_limit of trace/hit/prepared_ray.h, with as much room again for one more rounding.
  HWY_INLINE float limit_of_boxes(float t) const {
    const float time = t * time_scale;
    return (time - start) + (magnitude(time) + magnitude(start)) * (1.0f / (1u << 18));
  }

 private:
  HWY_INLINE static float largest_magnitude(const vec3& p) {
    return max_number(max_number(magnitude(p.x), magnitude(p.y)), magnitude(p.z));
  }

  /// The largest magnitude of a coordinate on the root's grid, in which the whole tree lies.
  HWY_INLINE static float farthest_coordinate(const CompressedBvh4Node& root) {
    const FourLanes d;
    const Four quad = hn::Load(d, &root.origin.x);
    const Four end = hn::MulAdd(steps_of_quad(quad), hn::Set(d, 255.0f), quad);
    const FourFloats farthest(hn::Max(hn::Abs(quad), hn::Abs(end)));
    return max_number(max_number(farthest.of[0], farthest.of[1]), farthest.of[2]);
  }

  /// make_common_range_axis for all axes.
  HWY_INLINE void make_slabs(Four origin, Four inverse, float reach) {
    const FourLanes d;
    constexpr float max_scale = 274877906944.0f;  // 2^38
    constexpr float grain = 1.001f / (1u << 22), part = 1.00001f / (1u << 19);
    scale = hn::Min(hn::Max(inverse, hn::Set(d, -max_scale)), hn::Set(d, max_scale));
    const Four common = hn::Set(d, (magnitude(start) + reach) * part);
    const Four padding = hn::MulAdd(hn::Abs(scale), hn::Set(d, reach * grain), common);
    const Four middle = hn::NegMulSub(origin, scale, hn::Set(d, start));
    near_offset = hn::Sub(middle, padding), far_offset = hn::Add(middle, padding);
    const u32 backward = bits_of_mask(d, hn::Lt(scale, hn::Zero(d)));
    for (u32 k = 0; k < 3; ++k) {
      const u32 lo = u32(offsetof(CompressedBvh4Node, lo_x)) + 4 * k, hi = lo + 12;
      const bool swaps = backward >> k & 1;
      near_at[k] = swaps ? hi : lo, far_at[k] = swaps ? lo : hi;
    }
  }

  HWY_INLINE void make_shears(const Ray& ray, Four origin, Four direction, Four inverse, float units) {
    const FourLanes d;
    const float x = magnitude(ray.direction.x), y = magnitude(ray.direction.y), z = magnitude(ray.direction.z);
    axis = x > y ? (x > z ? 0u : 2u) : (y > z ? 1u : 2u);
    const Axes axes(axis);
    const FourFloats origins(origin);
    for (u32 k = 0; k < 3; ++k) shears.origin[k] = hn::Set(d, origins.of[axes.k[k]]);
    const float along = FourFloats(inverse).of[axis];
    const FourFloats tilt(hn::Mul(direction, hn::Set(d, along)));
    is_backward_mainly = along < 0;
    shears.x = hn::Set(d, tilt.of[axes.k[0]]), shears.y = hn::Set(d, tilt.of[axes.k[1]]);
    shears.inverse = hn::Set(d, along), shears.units = hn::Set(d, units), shears.t_min = hn::Set(d, ray.t_min);
  }

  /// As in make_common_range_slabs. t_max may be anything that is not before t_min.
  HWY_INLINE bool is_in_common_range(const Ray& ray, float reach, float largest) const {
    constexpr u32 min_bits = (127u - 40) << 23, max_reach_bits = (127u + 58) << 23;
    constexpr u32 max_direction_bits = (127u + 40) << 23;
    const vec3 &o = ray.origin, &d = ray.direction;
    const float all = (o.x + o.y + o.z) + (d.x + d.y + d.z);
    return bool(u32(all == all) & u32(bits_of(reach) - min_bits <= max_reach_bits - min_bits) &
                u32(bits_of(largest) - min_bits <= max_direction_bits - min_bits) &
                u32(magnitude(start) <= copse::detail::two_to_60) & u32(ray.t_min <= ray.t_max));
  }
};

/// A plane of the four children of a node, in steps of its grid.
HWY_INLINE Four load_steps_of_four(const char* bytes) {
  const hn::Rebind<u8, FourLanes> d8;
  const hn::Rebind<i32, FourLanes> di;
  return hn::ConvertTo(FourLanes(), hn::PromoteTo(di, hn::LoadU(d8, reinterpret_cast<const u8*>(bytes))));
}

/// Finds where the ray enters the children of a node. Returns a bit for each child that it enters within its limit. The
/// bit of an empty slot means nothing.
HWY_INLINE u32 enter_children(const CompressedBvh4Node& node, const HostRay& ray, Four& entry) {
  const FourLanes d;
  const char* bytes = reinterpret_cast<const char*>(&node);
  const Four quad = hn::Load(d, &node.origin.x);
  const Four step = hn::Mul(steps_of_quad(quad), ray.scale);
  const Four near_base = hn::MulAdd(quad, ray.scale, ray.near_offset);
  const Four far_base = hn::MulAdd(quad, ray.scale, ray.far_offset);
  const auto near = [&](u32 k, Four of_step, Four base)
                        HWY_ATTR { return hn::MulAdd(load_steps_of_four(bytes + ray.near_at[k]), of_step, base); };
  const auto far = [&](u32 k, Four of_step, Four base)
                       HWY_ATTR { return hn::MulAdd(load_steps_of_four(bytes + ray.far_at[k]), of_step, base); };
  const Four x = hn::Broadcast<0>(step), y = hn::Broadcast<1>(step), z = hn::Broadcast<2>(step);
  entry = hn::Max(largest_of(d, near(0, x, hn::Broadcast<0>(near_base)), near(1, y, hn::Broadcast<1>(near_base)),
                             near(2, z, hn::Broadcast<2>(near_base))),
                  hn::Zero(d));
  const Four exit =
      hn::Min(smallest_of(d, far(0, x, hn::Broadcast<0>(far_base)), far(1, y, hn::Broadcast<1>(far_base)),
                          far(2, z, hn::Broadcast<2>(far_base))),
              hn::Set(d, ray.box_limit));
  return bits_of_mask(d, hn::Le(entry, exit));
}

}  // namespace copse::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
