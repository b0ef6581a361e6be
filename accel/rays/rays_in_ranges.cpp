// Batches of rays in any layout on the CPU. Each thread gathers the rays of its range into records, some at a time, and
// traces them before it goes on. So there is no pass over the whole batch, and the records stay in the cache of a core.

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "accel/accel_view.h"
#include "accel/rays/gathered_rays.h"
#include "trace/batch/cpu/trace_rays.h"

namespace copse::detail {

namespace {

/// Rays that a thread gathers at once: 16 KiB on its stack, which fit in the L1 cache beside nodes and hits.
constexpr u64 gathered_at_once = 512;

/// Origins or directions, each of which is copied as four numbers.
struct FourAtAStride {
  float shared[4] = {};  // the only one, if the stride is 0
  const u8* first;
  u64 stride_bytes;

  explicit FourAtAStride(const PositionSpan& parts)
      : first(reinterpret_cast<const u8*>(parts.data)), stride_bytes(parts.stride_bytes) {
    if (stride_bytes > 0) return;
    std::memcpy(shared, parts.data, sizeof(vec3));
    first = reinterpret_cast<const u8*>(shared);
  }

  /// Copies part i and the four bytes behind it.
  void copy(u64 i, u8* to) const { std::memcpy(to, first + i * stride_bytes, 4 * sizeof(float)); }
};

}  // namespace

/// Each part is copied as 16 bytes, which include the limit behind it, and the limit is then overwritten. Three stores
/// of four bytes each would delay the next load, by 16 ns per ray.
void gather_in_range(const RaySpan& rays, u64 first, u64 count, Ray* out) {
  static_assert(offsetof(Ray, t_min) == 12 && offsetof(Ray, direction) == 16 && offsetof(Ray, t_max) == 28);
  const FourAtAStride origins(rays.origins), directions(rays.directions);
  const FloatSpan t_min = rays.t_min, t_max = rays.t_max;
  const bool has_last = first + count == rays.size();  // nothing readable is behind its parts
  const u64 in_pieces = has_last ? count - 1 : count;
  for (u64 i = 0; i < in_pieces; ++i) {
    u8* const ray = reinterpret_cast<u8*>(out + i);
    origins.copy(first + i, ray);
    directions.copy(first + i, ray + offsetof(Ray, direction));
    out[i].t_min = t_min.at(first + i, 0.0f);
    out[i].t_max = t_max.at(first + i, infinity);
  }
  if (has_last) out[in_pieces] = rays.at(first + in_pieces);
}

namespace {

/// The triangles for a part of a batch that begins with ray `first`.
BufferSpan<const PackedTriangle> source_of_part(const BufferSpan<const PackedTriangle>& triangles, u64,
                                                const Ray*) {
  return triangles;
}
WithMasks<BufferSpan<const PackedTriangle>> source_of_part(
    const WithMasks<BufferSpan<const PackedTriangle>>& source, u64 first, const Ray* gathered) {
  auto part = source;
  if (part.masks.rays != nullptr) part.masks.rays += first;
  part.masks.culling = part.masks.cull == Cull::none ? nullptr : gathered;
  return part;
}

template <class Source, class Result>
void trace_ranges(const cpu::Executor& ex, const CompressedBvh4View& tree, const Source& source,
                  const RaySpan& rays, Result* results, const TraceOptions& options) {
  using Query = QueryFor<TreeOf<CompressedBvh4View>, Source, Result>;
  const auto ray_at = [&](u64 i) { return rays.at(i); };
  const char* const label = Query::finds_closest ? "trace: closest hits" : "trace: any hits";
  cpu::trace_ranges(ex, label, options.kernel, ray_at, rays.size(), tree_of(tree).bounds(), options.chosen.data(),
                    [&](u64 begin, u64 end, bool packets) {
                      Ray gathered[gathered_at_once];
                      for (u64 first = begin; first < end; first += gathered_at_once) {
                        const u64 count = std::min(gathered_at_once, end - first);
                        gather_in_range(rays, first, count, gathered);
                        const Query part{{tree_of(tree), source_of_part(source, first, gathered), gathered,
                                          results + first, tree.primitive_ids.size()}};
                        cpu::trace_simd(cpu::detail::batch_of(part, packets), 0, count);
                      }
                    });
}

}  // namespace

/// Stores a result per ray: Hit or ShortHit for the closest hit, u8 for any.
template <class Result>
void trace_in_ranges(const cpu::Executor& ex, const AccelView& accel, const RaySpan& rays, Result* results,
                     const TraceOptions& options) {
  const bool is_masked =
      !options.masks.empty() || options.mask != ~u32{0} || options.cull != Cull::none || accel.masks != nullptr;
  if (!is_masked) return trace_ranges(ex, accel.tree, accel.triangles, rays, results, options);
  const BatchMasks masks{options.masks.empty() ? nullptr : options.masks.data(), accel.masks, options.mask,
                         options.cull};
  trace_ranges(ex, accel.tree, WithMasks{accel.triangles, masks}, rays, results, options);
}

template void trace_in_ranges(const cpu::Executor&, const AccelView&, const RaySpan&, Hit*, const TraceOptions&);
template void trace_in_ranges(const cpu::Executor&, const AccelView&, const RaySpan&, ShortHit*,
                              const TraceOptions&);
template void trace_in_ranges(const cpu::Executor&, const AccelView&, const RaySpan&, u8*, const TraceOptions&);

}  // namespace copse::detail
