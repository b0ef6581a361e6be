#pragma once

// Takes several hits of each ray of a batch, in the order in which SIMD code finds them. The first hits of a ray go to
// its list at once. All hits go to one array, and from there to lists when the rays have been traced.
//
// A hit may be taken more than once: in a tree where triangles have several places, or if a ray is traced again. The
// second one has the same bits, so it is next to the first one in order, and is dropped.

#include <algorithm>

#include "trace/hit_list.h"

namespace copse::cpu {

struct HitCollector {
  using Order = copse::detail::TriangleOrder<copse::detail::PlacedTriangles>;

  Order order;

  // The first hits: lists of `k` hits, one for each ray, and their lengths so far.
  u32 k = 0;  // 0: all hits
  Hit* lists = nullptr;
  u32* lengths = nullptr;

  // All hits: one array of them, where `geometry` is the number of the ray.
  Hit* drafts = nullptr;
  u64 capacity = 0;
  u64 count = 0;  // more than the capacity if hits were lost

  /// Takes a draft of a ray (trace/hit_list.h). May lower the limit of the ray.
  void take(u64 ray, const Hit& draft, float& limit) {
    if (k > 0) {
      copse::detail::FirstHits<Order> first{order, lists + ray * k, k, nullptr, nullptr, lengths[ray]};
      first.take(draft, limit);
      lengths[ray] = first.count;
      return;
    }
    if (count < capacity) drafts[count] = {draft.t, draft.primitive, u32(ray), draft.u, draft.v};
    ++count;
  }

  bool has_lost() const { return count > capacity; }

  /// The sink of one ray.
  struct OfRay {
    HitCollector& collector;
    u64 ray;

    bool take(const Hit& draft, float& limit) {
      collector.take(ray, draft, limit);
      return false;
    }
  };

  /// Finishes the lists of the first hits of n rays.
  void finish_first(u64 n) const {
    for (u64 ray = 0; ray < n; ++ray) {
      Hit* const list = lists + ray * k;
      for (u32 i = 0; i < lengths[ray]; ++i) list[i] = order.finished(list[i]);
    }
  }

  /// Stores the lists of all hits of n rays one after another. Returns the number of hits.
  ///   out: room for `count` hits
  ///   ends: for each ray, the place in `out` behind its last hit
  u64 store_all(u64 n, Hit* out, u32* ends) const {
    move_to_rays(n, out, ends);
    u32 begin = 0, stored = 0;
    for (u64 ray = 0; ray < n; ++ray) {
      const u32 end = ends[ray];
      sort(out + begin, out + end);
      const u32 first = stored;
      for (u32 i = begin; i < end; ++i) {
        const Hit draft = out[i];
        if (i == begin || order.before(out[i - 1], draft)) out[stored++] = draft;
      }
      for (u32 i = first; i < stored; ++i) out[i] = order.finished(out[i]);
      begin = end, ends[ray] = stored;
    }
    return stored;
  }

 private:
  /// Moves the drafts of each ray to one place, by a counting sort.
  void move_to_rays(u64 n, Hit* out, u32* ends) const {
    std::fill_n(ends, n, 0u);
    for (u64 i = 0; i < count; ++i) ++ends[drafts[i].geometry];
    u32 sum = 0;
    for (u64 ray = 0; ray < n; ++ray) {
      const u32 length = ends[ray];
      ends[ray] = sum, sum += length;
    }
    for (u64 i = 0; i < count; ++i) out[ends[drafts[i].geometry]++] = drafts[i];
  }

  /// Drafts come roughly in order, and most lists are short.
  void sort(Hit* begin, Hit* end) const {
    constexpr i64 max_short = 16;
    if (end - begin > max_short) {
      std::sort(begin, end, [&](const Hit& a, const Hit& b) { return order.before(a, b); });
      return;
    }
    for (Hit* last = begin; last < end; ++last) {
      const Hit moved = *last;
      Hit* to = last;
      for (; to > begin && order.before(moved, to[-1]); --to) *to = to[-1];
      *to = moved;
    }
  }
};

}  // namespace copse::cpu
