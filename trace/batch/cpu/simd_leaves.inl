// Tests the leaves of several rays at once: the block of each ray holds four triangles of its leaf.

#if defined(COPSE_TRACE_CPU_SIMD_LEAVES) == defined(HWY_TARGET_TOGGLE)
#ifdef COPSE_TRACE_CPU_SIMD_LEAVES
#undef COPSE_TRACE_CPU_SIMD_LEAVES
#else
#define COPSE_TRACE_CPU_SIMD_LEAVES
#endif

#include "trace/batch/cpu/simd_blocks.inl"
#include "trace/batch/cpu/simd_triangles.inl"

HWY_BEFORE_NAMESPACE();
namespace copse::cpu::HWY_NAMESPACE {

/// Four contiguous triangles. Those with a bit in `there` are tested.
struct FourTriangles {
  const PackedTriangle* packed;
  u32 there;
};

/// Packed triangles with their number, at least four.
struct CountedTriangles : copse::detail::PlacedTriangles {
  u32 count;
};

/// The first four triangles of leaves, and the numbers by which they are fetched.
template <class Triangles>
class LeafTriangles;

template <>
class LeafTriangles<CountedTriangles> {
 public:
  HWY_INLINE LeafTriangles(const CountedTriangles& triangles, const u32*)
      : packed_(triangles.packed), last_(triangles.count - 4) {}

  /// At the end of the array it also reads the triangles before the leaf.
  HWY_INLINE FourTriangles four(u32, WideChild leaf) const {
    const u32 begin = smaller(leaf.first, last_);
    return {packed_ + begin, block_bits >> (4 - smaller(leaf.count, 4u)) << (leaf.first - begin)};
  }
  HWY_INLINE u32 at(WideChild leaf, u32 i) const { return smaller(leaf.first, last_) + i; }

 private:
  const PackedTriangle* packed_;
  u32 last_;
};

template <>
class LeafTriangles<copse::detail::IndexedTriangles> {
 public:
  HWY_INLINE LeafTriangles(const copse::detail::IndexedTriangles& triangles, const u32* primitive_ids)
      : triangles_(triangles), ids_(primitive_ids) {}

  /// Copies the triangles to the room of ray r.
  HWY_INLINE FourTriangles four(u32 r, WideChild leaf) {
    const u32 count = smaller(leaf.count, 4u);
    for (u32 i = 0; i < 4; ++i) {
      const u32 id = ids_[leaf.first + smaller(i, count - 1)];
      const Triangle t = triangles_.triangle(id);
      room_[r][i] = {t.a, id, t.b, 0, t.c, 0};
    }
    return {room_[r], (1u << count) - 1};
  }
  HWY_INLINE u32 at(WideChild leaf, u32 i) const { return ids_[leaf.first + i]; }

 private:
  const copse::detail::IndexedTriangles& triangles_;
  const u32* ids_;
  PackedTriangle room_[block_rays][4];
};

/// Loads one corner of all triangles. Returns the words behind it.
HWY_INLINE Rays load_corner(const float* const (&first)[block_rays], u32 corner, RayMask is_x, RayMask is_y,
                            Rays (&out)[3]) {
  Rays rows[4];
  for (u32 i = 0; i < 4; ++i) rows[i] = load_blocks(RayLanes(), first, 12 * i + 4 * corner);
  transpose_blocks(RayLanes(), rows);
  const auto [x, y, z, behind] = rows;
  out[0] = hn::IfThenElse(is_x, z, x);
  out[1] = hn::IfThenElse(is_y, z, y);
  out[2] = hn::IfThenElse(is_x, x, hn::IfThenElse(is_y, y, z));
  return behind;
}

HWY_INLINE Shears<RayLanes> shears_of(const RayGroup& group, const RayBlocks& rays) {
  Shears<RayLanes> shears;
  for (u32 k = 0; k < 3; ++k) shears.origin[k] = rays.of(group.shear_origin[k]);
  shears.x = rays.of(group.shear_x), shears.y = rays.of(group.shear_y);
  shears.inverse = rays.of(group.shear_inverse), shears.units = rays.of(group.shear_units);
  shears.t_min = rays.of(group.t_min), shears.limit = rays.of(group.limit);
  return shears;
}

/// Finds the smallest (t, primitive id) of the hits in each block. Returns bits of the lanes where it is smaller than
/// the ray's closest hit so far.
HWY_INLINE u32 first_hits(const RayGroup& group, const RayBlocks& rays, const Shears<RayLanes>& shears, Rays t,
                          VecOf<RayIds> primitives, u32 hits) {
  const RayLanes d;
  const RayIds du;
  const Rays times = hn::IfThenElse(mask_of_bits(d, hits), t, hn::Set(d, infinity));
  const RayMask nearest = hn::And(mask_of_bits(d, hits), hn::Eq(times, smallest_of_blocks(d, times)));
  const auto ids = hn::IfThenElse(hn::RebindMask(du, nearest), primitives, hn::Set(du, invalid_id));
  const auto least = hn::RebindMask(d, hn::Eq(ids, smallest_of_blocks(du, ids)));
  const auto before = hn::RebindMask(d, hn::Lt(ids, rays.of(group.closest_primitive)));
  return bits_of_mask(d, hn::And(hn::And(nearest, least), hn::Or(hn::Lt(t, shears.limit), before)));
}

/// Returns bits of those of four triangles per ray that rays with masks see.
template <class Triangles>
HWY_NOINLINE u32 seen_triangles(const Triangles& triangles, const LeafTriangles<Triangles>& leaves, u32 there,
                                const RayGroup& group, const u32* lanes, const WideChild* at) {
  const auto masks = group.masks->of(triangles);
  u32 seen = 0;
  for (u32 bits = there; bits != 0; bits &= bits - 1) {
    const u32 i = lowest_bit(bits), lane = lanes[i / 4];
    const u32 number = leaves.at(at[lane], i % 4);
    const bool sees = (masks(number) & group.ray_masks[lane]) != 0 &&
                      !group.masks->culls(group.ids[lane], triangles.triangle(number));
    seen |= u32(sees) << i;
  }
  return seen;
}

/// Gives all hits to the collector, which may lower the limits of their rays.
template <class Triangles>
HWY_INLINE void collect_hits(const LeafTriangles<Triangles>& leaves, const u32* lanes, const WideChild* at,
                             const TriangleAnswer<RayLanes>& answer, RayGroup& group) {
  PerRay t, u, v;
  t.store(answer.t), u.store(hn::Mul(answer.v, answer.inverse)), v.store(hn::Mul(answer.w, answer.inverse));
  for (u32 hits = answer.hits; hits != 0; hits &= hits - 1) {
    const u32 i = lowest_bit(hits), lane = lanes[i / 4];
    group.collector->take(group.ids[lane], {t[i], leaves.at(at[lane], i % 4), 0, u[i], v[i]}, group.limit[lane]);
  }
}

/// For each of `count` rays, tests the first four triangles of the leaf at which it is. `lanes`: as for RayBlocks.
template <Goal goal, class Triangles>
HWY_INLINE void test_leaves_of(const Triangles& triangles, LeafTriangles<Triangles>& leaves, const u32* lanes,
                               u32 count, const WideChild* at, RayGroup& group) {
  const RayLanes d;
  const RayIds du;
  const float* first[block_rays];
  u32 there = 0;
  for (u32 r = 0; r < block_rays; ++r) {
    const FourTriangles four = leaves.four(r, at[lanes[r]]);
    first[r] = &four.packed->a.x;
    there |= four.there << (4 * r);
  }
  there &= (1u << (4 * count)) - 1;
  if (group.masks != nullptr) there = seen_triangles(triangles, leaves, there, group, lanes, at);
  const RayBlocks rays(lanes);
  const RayKeys di;
  const auto kind = hn::BitCast(di, rays.of(group.kind));
  const RayMask is_x = hn::RebindMask(d, hn::Lt(kind, hn::Set(di, 8)));
  const RayMask is_y = hn::RebindMask(d, hn::Eq(hn::And(kind, hn::Set(di, 8)), hn::Set(di, 8)));
  Corners<RayLanes> corners;
  const auto primitives = hn::BitCast(du, load_corner(first, 0, is_x, is_y, corners.a));
  load_corner(first, 1, is_x, is_y, corners.b);
  load_corner(first, 2, is_x, is_y, corners.c);
  const Shears<RayLanes> shears = shears_of(group, rays);
  const TriangleAnswer<RayLanes> answer = intersect(d, shears, corners, there);
  if constexpr (goal == Goal::several) {
    if (answer.hits != 0) collect_hits(leaves, lanes, at, answer, group);
  } else if (answer.hits != 0) {
    u32 kept = first_hits(group, rays, shears, answer.t, primitives, answer.hits);
    PerRay t, v, w, inverse;
    IdPerRay ids;
    t.store(answer.t), v.store(answer.v), w.store(answer.w), inverse.store(answer.inverse);
    hn::Store(primitives, du, ids.values);
    for (; kept != 0; kept &= kept - 1) {
      const u32 i = lowest_bit(kept), lane = lanes[i / 4];
      group.limit[lane] = t[i];
      group.v[lane] = v[i], group.w[lane] = w[i], group.inverse[lane] = inverse[i];
      group.closest[lane] = leaves.at(at[lane], i % 4);
      group.closest_primitive[lane] = ids[i];
    }
  }
  for (u32 unknown = answer.unknown; unknown != 0; unknown &= unknown - 1) {
    const u32 i = lowest_bit(unknown), lane = lanes[i / 4];
    test_in_double<goal>(triangles, leaves.at(at[lane], i % 4), group, lane);
  }
}

}  // namespace copse::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
