// Rays against triangles, with a lane per ray or a lane per triangle. It is intersect_in_float of
// trace/hit/intersect.h with the same roundings, so that t, u and v have the same bits.

#if defined(COPSE_TRACE_CPU_SIMD_TRIANGLES) == defined(HWY_TARGET_TOGGLE)
#ifdef COPSE_TRACE_CPU_SIMD_TRIANGLES
#undef COPSE_TRACE_CPU_SIMD_TRIANGLES
#else
#define COPSE_TRACE_CPU_SIMD_TRIANGLES
#endif

#include "trace/batch/cpu/simd_batch.h"
#include "trace/batch/cpu/simd_rays.inl"
#include "trace/hit/triangle_tests.h"

HWY_BEFORE_NAMESPACE();
namespace copse::cpu::HWY_NAMESPACE {

/// RayShear and the interval of t, in lanes.
template <class D>
struct Shears {
  VecOf<D> origin[3], x, y, inverse, units, t_min, limit;
};

/// Vertices with their axes exchanged.
template <class D>
struct Corners {
  VecOf<D> a[3], b[3], c[3];
};

/// The results of a test. If `hits` and `unknown` are empty, the rest is not set.
template <class D>
struct TriangleAnswer {
  u32 hits, unknown;  // bits of lanes; unknown as intersect_in_float has it
  VecOf<D> t, v, w, inverse;
};

template <class D>
HWY_INLINE void shear_corner(const Shears<D>& ray, VecOf<D> (&p)[3]) {
  p[2] = hn::Sub(p[2], ray.origin[2]);
  p[0] = hn::Sub(hn::Sub(p[0], ray.origin[0]), hn::Mul(ray.x, p[2]));
  p[1] = hn::Sub(hn::Sub(p[1], ray.origin[1]), hn::Mul(ray.y, p[2]));
}

/// edge_function of trace/hit/intersect.h. Without fused operations, only its sign is right, and whether it is zero.
template <class D>
HWY_INLINE VecOf<D> edge_of(D, const VecOf<D> (&p)[3], const VecOf<D> (&q)[3]) {
  const auto rounded = hn::Mul(q[1], p[0]);
  if constexpr (fuses) {
    const auto rounded_by = hn::NegMulAdd(q[1], p[0], rounded);
    return hn::Add(hn::MulSub(q[0], p[1], rounded), rounded_by);
  } else {
    return hn::Sub(hn::Mul(q[0], p[1]), rounded);
  }
}

/// Tests the lanes with bits in `lanes`. If an edge is NaN the ray may count as inside, and is then unknown. Without
/// fused operations, all rays that may be inside are unknown.
template <class D>
HWY_INLINE TriangleAnswer<D> intersect(D d, const Shears<D>& ray, Corners<D>& triangle, u32 lanes) {
  shear_corner(ray, triangle.a);
  shear_corner(ray, triangle.b);
  shear_corner(ray, triangle.c);
  const auto u = edge_of(d, triangle.b, triangle.c);
  const auto v = edge_of(d, triangle.c, triangle.a);
  const auto w = edge_of(d, triangle.a, triangle.b);
  const auto least = hn::Set(d, copse::detail::min_edge);
  const auto outside =
      hn::And(hn::Lt(smallest_of(d, u, v, w), hn::Neg(least)), hn::Gt(largest_of(d, u, v, w), least));
  TriangleAnswer<D> answer{};
  const u32 inside = lanes & ~bits_of_mask(d, outside);
  if (!fuses) answer.unknown = inside;
  if (!fuses || inside == 0) return answer;

  const auto det = hn::Add(hn::Add(u, v), w);
  const auto depth =
      hn::Add(hn::Add(hn::Mul(u, triangle.a[2]), hn::Mul(v, triangle.b[2])), hn::Mul(w, triangle.c[2]));
  const auto inverse = hn::Div(hn::Set(d, 1.0f), det);
  const auto t = hn::Mul(hn::Mul(hn::Mul(depth, inverse), ray.inverse), ray.units);
  auto decided = hn::And(hn::Ge(hn::Abs(det), hn::Set(d, copse::detail::min_det)),
                         hn::Le(hn::Abs(det), hn::Set(d, copse::detail::max_det)));
  decided = hn::And(decided, hn::Gt(smallest_of(d, hn::Abs(u), hn::Abs(v), hn::Abs(w)), least));
  decided = hn::And(decided, hn::Lt(hn::Abs(t), hn::Set(d, infinity)));
  const u32 known = bits_of_mask(d, decided);
  answer.unknown = inside & ~known;
  answer.hits = inside & known & bits_of_mask(d, hn::And(hn::Ge(t, ray.t_min), hn::Le(t, ray.limit)));
  answer.t = t, answer.v = v, answer.w = w, answer.inverse = inverse;
  return answer;
}

/// The places of the exchanged axes in a vertex.
struct Axes {
  u32 k[3];
  Axes() = default;
  HWY_INLINE explicit Axes(u32 last) : k{last == 0 ? 2u : 0u, last == 1 ? 2u : 1u, last} {}
};

/// The shear of one lane, for the scalar tests.
inline RayShear shear_of(const RayGroup& group, u32 lane) {
  return {vec3(group.shear_origin[0][lane], group.shear_origin[1][lane], group.shear_origin[2][lane]),
          group.shear_x[lane],
          group.shear_y[lane],
          group.shear_inverse[lane],
          group.shear_units[lane],
          axis_of(group.kind[lane])};
}

/// Keeps a hit if it is the smallest (t, primitive id) so far.
HWY_INLINE void keep_closest(RayGroup& group, u32 lane, const UndividedHit& hit, u32 at, u32 primitive) {
  if (!(hit.t < group.limit[lane] || primitive < group.closest_primitive[lane])) return;
  group.limit[lane] = hit.t;
  group.v[lane] = hit.v, group.w[lane] = hit.w, group.inverse[lane] = hit.inverse;
  group.closest[lane] = at;
  group.closest_primitive[lane] = primitive;
}

/// Tests a triangle that the float test could not decide.
template <Goal goal, class Triangles>
HWY_NOINLINE void test_in_double(const Triangles& triangles, u32 at, RayGroup& group, u32 lane) {
  UndividedHit hit;
  if (!intersect_triangle(shear_of(group, lane), triangles.triangle(at), group.t_min[lane], group.limit[lane],
                          hit))
    return;
  if constexpr (goal == Goal::several) {
    const TriangleHit found = hit.divided();
    group.collector->take(group.ids[lane], {found.t, at, 0, found.u, found.v}, group.limit[lane]);
  } else {
    keep_closest(group, lane, hit, at, triangles.primitive(at));
  }
}

// ---- Many rays, one triangle ----------------------------------------------------------------------------------

/// Returns those of the rays of these bits that see a triangle.
template <class Triangles>
HWY_NOINLINE u32 seeing_rays(const Triangles& triangles, u32 at, const RayGroup& group, u32 lanes) {
  const hn::Repartition<u32, RayLanes> du;
  const auto mask = hn::Set(du, group.masks->of(triangles)(at));
  const auto shared = hn::And(hn::Load(du, group.ray_masks.values), mask);
  lanes &= bits_of_mask(du, hn::Ne(shared, hn::Zero(du)));
  if (group.masks->cull == Cull::none) return lanes;
  const Triangle triangle = triangles.triangle(at);
  u32 seeing = 0;
  for (u32 bits = lanes; bits != 0; bits &= bits - 1) {
    const u32 lane = lowest_bit(bits);
    seeing |= u32(!group.masks->culls(group.ids[lane], triangle)) << lane;
  }
  return seeing;
}

/// Gives the hits of rays on one triangle to the collector.
HWY_INLINE void collect_hits_of(u32 at, const TriangleAnswer<RayLanes>& answer, RayGroup& group) {
  PerRay t, u, v;
  t.store(answer.t), u.store(hn::Mul(answer.v, answer.inverse)), v.store(hn::Mul(answer.w, answer.inverse));
  for (u32 hits = answer.hits; hits != 0; hits &= hits - 1) {
    const u32 lane = lowest_bit(hits);
    group.collector->take(group.ids[lane], {t[lane], at, 0, u[lane], v[lane]}, group.limit[lane]);
  }
}

/// Tests a triangle for the rays of these bits, which all have the same main axis.
template <Goal goal, class Triangles>
HWY_INLINE void test_triangle(const Triangles& triangles, u32 at, const Axes& axes, RayGroup& group, u32 lanes) {
  const RayLanes d;
  const hn::Repartition<u32, RayLanes> du;
  if (group.masks != nullptr) lanes = seeing_rays(triangles, at, group, lanes);
  const Triangle triangle = triangles.triangle(at);
  const float p[9] = {triangle.a.x, triangle.a.y, triangle.a.z, triangle.b.x, triangle.b.y,
                      triangle.b.z, triangle.c.x, triangle.c.y, triangle.c.z};
  Corners<RayLanes> corners;
  Shears<RayLanes> rays;
  for (u32 k = 0; k < 3; ++k) {
    corners.a[k] = hn::Set(d, p[axes.k[k]]);
    corners.b[k] = hn::Set(d, p[3 + axes.k[k]]);
    corners.c[k] = hn::Set(d, p[6 + axes.k[k]]);
    rays.origin[k] = group.shear_origin[k].load();
  }
  rays.x = group.shear_x.load(), rays.y = group.shear_y.load();
  rays.inverse = group.shear_inverse.load(), rays.units = group.shear_units.load();
  rays.t_min = group.t_min.load(), rays.limit = group.limit.load();
  const TriangleAnswer<RayLanes> answer = intersect(d, rays, corners, lanes);
  if constexpr (goal == Goal::several) {
    if (answer.hits != 0) collect_hits_of(at, answer, group);
  } else if (answer.hits != 0) {
    const u32 primitive = triangles.primitive(at);
    const auto earlier = hn::Load(du, group.closest_primitive.values);
    const auto first =
        hn::Or(hn::Lt(answer.t, rays.limit), hn::RebindMask(d, hn::Lt(hn::Set(du, primitive), earlier)));
    const u32 kept = answer.hits & bits_of_mask(d, first);
    const auto mask = mask_of_bits(d, kept);
    const auto id_mask = hn::RebindMask(du, mask);
    group.limit.store(hn::IfThenElse(mask, answer.t, rays.limit));
    group.v.store(hn::IfThenElse(mask, answer.v, group.v.load()));
    group.w.store(hn::IfThenElse(mask, answer.w, group.w.load()));
    group.inverse.store(hn::IfThenElse(mask, answer.inverse, group.inverse.load()));
    hn::Store(hn::IfThenElse(id_mask, hn::Set(du, primitive), earlier), du, group.closest_primitive.values);
    hn::Store(hn::IfThenElse(id_mask, hn::Set(du, at), hn::Load(du, group.closest.values)), du,
              group.closest.values);
  }
  for (u32 unknown = answer.unknown; unknown != 0; unknown &= unknown - 1) {
    test_in_double<goal>(triangles, at, group, lowest_bit(unknown));
  }
}

}  // namespace copse::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
