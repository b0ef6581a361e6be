// The steps of a wave of rays on one rank. ray_waves.cpp calls them.

#include "primitives/split.h"
#include "scale/waves/forwarded_ray.h"
#include "scale/waves/move_messages.h"
#include "trace/short_hit.h"

namespace copse::detail {

namespace {

struct BeginRay {
  const Ray* rays;
  u32 rank;
  ForwardedRay* live;
  COPSE_HD void operator()(u64 i) const { live[i] = {rays[i], 0, rank, u32(i)}; }
};

struct RouteRay {
  const ForwardedRay* live;
  SpineView spine;
  u32* to;
  COPSE_HD void operator()(u64 i) const { to[i] = next_rank(spine, live[i]); }
};

struct LoadRank {
  const u32* to;
  COPSE_HD u32 operator()(u64 i) const { return to[i]; }
};

struct TakeRay {
  const ForwardedRay* live;
  Ray* rays;
  COPSE_HD void operator()(u64 i) const { rays[i] = live[i].ray; }
};

struct BeginHit {
  const Ray* rays;
  Hit* hits;
  u32* primitives;
  COPSE_HD void operator()(u64 i) const {
    hits[i] = {rays[i].t_max, invalid_id, invalid_id, 0, 0};
    primitives[i] = invalid_id;
  }
};

/// Called after a rank has traced a ray: notes the visit. A hit is sent to the source of the ray.
struct NoteClosest {
  const ShortHit* found;
  u32 rank, rank_count;
  ForwardedRay* live;
  u32* reply_to;  // rank_count for a miss

  COPSE_HD void operator()(u64 i) const {
    live[i].visited |= u64{1} << rank;
    if (is_hit(found[i])) live[i].ray.t_max = found[i].t;
    reply_to[i] = is_hit(found[i]) ? live[i].source : rank_count;
  }
};

struct PackFoundHit {
  BufferSpan<const PackedTriangle> triangles;
  const ForwardedRay* live;
  const Ray* rays;
  const ShortHit* found;
  const u32* ids;
  FoundHit* replies;

  COPSE_HD void operator()(u64 i) const {
    const u32 id = ids[i];
    replies[i] = {full_hit(triangles, rays[id], found[id]), triangles.data()[found[id].triangle].primitive,
                  live[id].index};
  }
};

/// A ray is at one rank at a time, so no two replies of a wave are for the same ray.
struct KeepCloserHit {
  const FoundHit* replies;
  Hit* hits;
  u32* primitives;

  COPSE_HD void operator()(u64 i) const {
    const FoundHit& reply = replies[i];
    Hit& best = hits[reply.index];
    u32& primitive = primitives[reply.index];
    const bool is_closer =
        !is_hit(best) || reply.hit.t < best.t || (reply.hit.t == best.t && reply.primitive < primitive);
    if (!is_closer) return;
    best = reply.hit;
    primitive = reply.primitive;
  }
};

/// A ray that hit something is done: all ranks count as visited.
struct NoteAny {
  const u8* found;
  u32 rank, rank_count;
  ForwardedRay* live;
  u32* reply_to;

  COPSE_HD void operator()(u64 i) const {
    live[i].visited |= found[i] != 0 ? ~u64{0} : u64{1} << rank;
    reply_to[i] = found[i] != 0 ? live[i].source : rank_count;
  }
};

struct PackIndex {
  const ForwardedRay* live;
  const u32* ids;
  u32* replies;
  COPSE_HD void operator()(u64 i) const { replies[i] = live[ids[i]].index; }
};

struct ClearOccluded {
  u8* occluded;
  COPSE_HD void operator()(u64 i) const { occluded[i] = 0; }
};

struct StoreOccluded {
  const u32* replies;
  u8* occluded;
  COPSE_HD void operator()(u64 i) const { occluded[replies[i]] = 1; }
};

}  // namespace

template <class Executor>
void begin_wave_rays(const Executor& ex, const Ray* rays, u64 n, u32 rank, ForwardedRay* live) {
  for_each(ex, "waves: begin", n, BeginRay{rays, rank, live});
}

template <class Executor>
void route_wave_rays(const Executor& ex, const ForwardedRay* live, u64 n, const SpineView& spine, u32* to) {
  for_each(ex, "waves: route", n, RouteRay{live, spine, to});
}

template <class Executor>
void split_by_rank(const Executor& ex, const u32* to, u64 n, u32 rank_count, u32* ids, u64* begins) {
  split_index(ex, "waves: split", n, LoadRank{to}, rank_count + 1, ids, begins);
}

template <class Executor>
void take_wave_rays(const Executor& ex, const ForwardedRay* live, u64 n, Ray* rays) {
  for_each(ex, "waves: rays", n, TakeRay{live, rays});
}

template <class Executor>
void begin_closest(const Executor& ex, const Ray* rays, u64 n, Hit* hits, u32* primitives) {
  for_each(ex, "waves: begin hits", n, BeginHit{rays, hits, primitives});
}

template <class Executor>
void note_closest(const Executor& ex, const ShortHit* found, u64 n, u32 rank, u32 rank_count, ForwardedRay* live,
                  u32* reply_to) {
  for_each(ex, "waves: note hits", n, NoteClosest{found, rank, rank_count, live, reply_to});
}

template <class Executor>
void pack_closest(const Executor& ex, BufferSpan<const PackedTriangle> triangles, const ForwardedRay* live,
                  const Ray* rays, const ShortHit* found, const u32* ids, u64 count, FoundHit* replies) {
  for_each(ex, "waves: pack hits", count, PackFoundHit{triangles, live, rays, found, ids, replies});
}

template <class Executor>
void keep_closest(const Executor& ex, const FoundHit* replies, u64 count, Hit* hits, u32* primitives) {
  for_each(ex, "waves: keep hits", count, KeepCloserHit{replies, hits, primitives});
}

template <class Executor>
void begin_any(const Executor& ex, u64 n, u8* occluded) {
  for_each(ex, "waves: begin any", n, ClearOccluded{occluded});
}

template <class Executor>
void note_any(const Executor& ex, const u8* found, u64 n, u32 rank, u32 rank_count, ForwardedRay* live,
              u32* reply_to) {
  for_each(ex, "waves: note any", n, NoteAny{found, rank, rank_count, live, reply_to});
}

template <class Executor>
void pack_any(const Executor& ex, const ForwardedRay* live, const u32* ids, u64 count, u32* replies) {
  for_each(ex, "waves: pack any", count, PackIndex{live, ids, replies});
}

template <class Executor>
void keep_any(const Executor& ex, const u32* replies, u64 count, u8* occluded) {
  for_each(ex, "waves: keep any", count, StoreOccluded{replies, occluded});
}

template void begin_wave_rays(const BodyExecutor&, const Ray*, u64, u32, ForwardedRay*);
template void route_wave_rays(const BodyExecutor&, const ForwardedRay*, u64, const SpineView&, u32*);
template void split_by_rank(const BodyExecutor&, const u32*, u64, u32, u32*, u64*);
template void move_messages(const BodyExecutor&, const ForwardedRay*, const u32*, u64, ForwardedRay*);
template void take_wave_rays(const BodyExecutor&, const ForwardedRay*, u64, Ray*);
template void begin_closest(const BodyExecutor&, const Ray*, u64, Hit*, u32*);
template void note_closest(const BodyExecutor&, const ShortHit*, u64, u32, u32, ForwardedRay*, u32*);
template void pack_closest(const BodyExecutor&, BufferSpan<const PackedTriangle>, const ForwardedRay*, const Ray*,
                           const ShortHit*, const u32*, u64, FoundHit*);
template void keep_closest(const BodyExecutor&, const FoundHit*, u64, Hit*, u32*);
template void begin_any(const BodyExecutor&, u64, u8*);
template void note_any(const BodyExecutor&, const u8*, u64, u32, u32, ForwardedRay*, u32*);
template void pack_any(const BodyExecutor&, const ForwardedRay*, const u32*, u64, u32*);
template void keep_any(const BodyExecutor&, const u32*, u64, u8*);

}  // namespace copse::detail
