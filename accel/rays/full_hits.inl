// Full hits from short hits.

#include "trace/short_hit.h"

namespace copse::detail {

namespace {

struct StoreFullHit {
  BufferSpan<const PackedTriangle> triangles;
  const Ray* rays;
  const ShortHit* hits;
  Hit* full;

  COPSE_HD void operator()(u64 i) const { full[i] = full_hit(triangles, rays[i], hits[i]); }
};

}  // namespace

template <class Executor>
void store_full_hits(const Executor& ex, BufferSpan<const PackedTriangle> triangles, u64 count, const Ray* rays,
                     const ShortHit* hits, Hit* full) {
  for_each(ex, "trace: full hits", count, StoreFullHit{triangles, rays, hits, full});
}

template void store_full_hits(const BodyExecutor&, BufferSpan<const PackedTriangle>, u64, const Ray*,
                              const ShortHit*, Hit*);

}  // namespace copse::detail
