#pragma once

// Lists all hits of a batch of rays through an Accel, by SIMD, each ray once.
//
// A list can only be stored when the number of hits before it is known. So rays are traced in waves. In a wave, each
// thread takes blocks of rays, one after another, and appends their lists to room of its own, until there may be too
// little room for another block. Then the lists of all blocks are copied to their places, and the next wave begins.
//
// If the lists of one block do not fit in a thread's room, which takes more than 128 hits per ray, its hits are only
// counted, and the block is traced again when its place is known.

#include <algorithm>
#include <atomic>
#include <cstring>

#include "accel/rays/gathered_rays.h"
#include "accel/rays/store_hits.h"
#include "primitives/cpu/workers.h"
#include "trace/batch/cpu/simd_batch.h"
#include "trace/batch/cpu/trace_rays.h"

namespace copse::cpu {

namespace detail {

using AccelRays = copse::detail::HitBatch<AccelView>;
using HitTarget = copse::detail::HitTarget<Hit>;

/// True if neighbouring rays of the batch should traverse in packets.
inline bool takes_packets(const AccelRays& batch) {
  const auto ray_at = [&](u64 i) { return batch.rays.at(i); };
  return stay_together(ray_at, batch.rays.size(), copse::detail::tree_of(batch.view.tree).bounds());
}

/// Rays that are gathered and traced at once.
inline constexpr u64 rays_of_block = 256;

/// Gives the hits of rays first to first + n - 1, at most rays_of_block, to the collector. It numbers them from 0.
inline void collect_hits(const AccelRays& batch, u64 first, u64 n, bool packets, HitCollector& collector) {
  Ray gathered[rays_of_block];
  const Ray* rays = copse::detail::records_of(batch.rays);
  if (rays == nullptr) {
    copse::detail::gather_in_range(batch.rays, first, n, gathered);
    rays = gathered;
  } else {
    rays += first;
  }
  const copse::detail::BatchMasks masks{batch.masks == nullptr ? nullptr : batch.masks + first, batch.view.masks,
                                        batch.mask, batch.cull, rays};
  const bool sees_all =
      masks.rays == nullptr && masks.packed == nullptr && masks.all_rays == ~u32{0} && masks.cull == Cull::none;
  const auto tree = copse::detail::tree_of(batch.view.tree);
  const SimdBatch<copse::detail::WideTree<CompressedBvh4Node>> simd{.tree = tree,
                                                                    .bounds = tree.bounds(),
                                                                    .packed = batch.view.triangles.data(),
                                                                    .packed_count = batch.view.triangles.size(),
                                                                    .rays = rays,
                                                                    .collector = &collector,
                                                                    .masks = sees_all ? nullptr : &masks,
                                                                    .packets = packets};
  collect_simd(simd, 0, n);
}

/// The memory of one thread.
struct HitRoom {
  static constexpr u64 max_drafts = u64{1} << 15, size = 4 * max_drafts;

  Hit* drafts;
  Hit* lists;
  u64 used = 0;  // of the lists

  /// True if there is room for the lists of any block, unless it has more than max_drafts hits.
  bool has_room() const { return size - used >= max_drafts; }
};

/// The lists of a block of rays: in the room of a thread, or null if the hits are only counted.
struct HitBlock {
  const Hit* lists;
  u64 count;
  u64 begin;  // their place among the hits of the batch
};

class HitLister {
 public:
  HitLister(const Executor& ex, ScratchArena::Frame& frame, const AccelRays& batch)
      : ex_(ex),
        batch_(batch),
        ray_count_(batch.rays.size()),
        block_count_((ray_count_ + rays_of_block - 1) / rays_of_block),
        room_count_(smaller(u64{ex.workers.count()}, block_count_)),
        packets_(takes_packets(batch)),
        rooms_(frame.allocate<HitRoom>(room_count_)) {
    for (u64 i = 0; i < room_count_; ++i) {
      rooms_[i] = {frame.allocate<Hit>(HitRoom::max_drafts), frame.allocate<Hit>(HitRoom::size)};
    }
  }

  /// Stores the number of hits of each ray.
  void count(u32* counts) {
    for_all_blocks("trace: count hits", 0, block_count_, false, [&](HitRoom& room, u64 i) {
      count_block(room, i, false, [&](u64 ray, u32 count) { counts[ray] = count; });
    });
  }

  /// Stores where the list of each ray begins, and the lists.
  void find(ScratchArena::Frame& frame, u64* offsets, HitTarget& hits) {
    HitBlock* const blocks = frame.allocate<HitBlock>(block_count_);
    u64 total = 0;
    for (u64 begin = 0; begin < block_count_;) {
      const bool keeps = hits.grows() || total < hits.span().size();
      const u64 before = total;
      const u64 end = for_all_blocks("trace: list hits", begin, block_count_, keeps, [&](HitRoom& room, u64 i) {
        blocks[i] = count_block(room, i, keeps, [&](u64 ray, u32 count) { offsets[ray] = count; });
      });
      for (u64 i = begin; i < end; ++i) blocks[i].begin = total, total += blocks[i].count;
      if (total > hits.span().size()) hits.resize(expected(total, end), before);
      for_all_blocks("trace: place hits", begin, end, false,
                     [&](HitRoom&, u64 i) { place_block(i, blocks[i], offsets, hits.span()); });
      const bool all_are_listed =
          std::all_of(blocks + begin, blocks + end, [](const HitBlock& block) { return block.lists != nullptr; });
      if (!all_are_listed && keeps) {
        for_all_blocks("trace: list long lists", begin, end, false, [&](HitRoom& room, u64 i) {
          if (blocks[i].lists == nullptr) list_again(room, i, blocks[i], offsets, hits.span());
        });
      }
      begin = end;
    }
    offsets[ray_count_] = total;
    hits.resize(total, total);
  }

 private:
  /// Calls body(room, i) for blocks `begin` to `end` - 1 on all threads, each with its room. If the rooms keep lists,
  /// it stops early when they are full. Returns the block behind the last one.
  template <class Body>
  u64 for_all_blocks(const char* label, u64 begin, u64 end, bool keeps, const Body& body) {
    std::atomic<u64> next{begin};
    parallel_ranges(ex_, label, smaller(room_count_, end - begin), 1, [&](u64 first, u64 last) {
      for (u64 r = first; r < last; ++r) {
        HitRoom& room = rooms_[r];
        room.used = 0;
        while ((!keeps || room.has_room()) && !ex_.cancel.stop_requested()) {
          const u64 i = next.fetch_add(1, std::memory_order_relaxed);
          if (i >= end) break;
          body(room, i);
        }
      }
    });
    return smaller(next.load(), end);
  }

  /// The number of hits to make room for, when the first blocks have `total`: as many as all would have at this rate, but
  /// at most twice the total, since the others may have fewer.
  u64 expected(u64 total, u64 blocks) const {
    if (blocks == block_count_) return total;
    const double at_this_rate = 1.0625 * double(total) / double(blocks) * double(block_count_);
    return at_this_rate < 2.0 * double(total) ? larger(total, u64(at_this_rate)) : 2 * total;
  }

  u64 begin_of(u64 block) const { return block * rays_of_block; }
  u64 size_of(u64 block) const { return smaller(rays_of_block, ray_count_ - begin_of(block)); }

  /// Lists the hits of rays from `first` on behind those in the room. Halves their number `n` until their drafts have
  /// room. Returns false if the drafts of a single ray have none. ends: of their lists in the room
  bool list(HitRoom& room, u64 first, u64& n, u32* ends, u64& count) const {
    for (;; n = (n + 1) / 2) {
      HitCollector collector{
          .order = {{batch_.view.triangles.data()}}, .drafts = room.drafts, .capacity = HitRoom::max_drafts};
      collect_hits(batch_, first, n, packets_, collector);
      if (!collector.has_lost()) {
        count = collector.store_all(n, room.lists + room.used, ends);
        return true;
      }
      if (n == 1) return false;
    }
  }

  /// Counts the hits of a block by note(ray, count). Leaves the lists in the room if they are kept and have room.
  template <class Note>
  HitBlock count_block(HitRoom& room, u64 block, bool keeps, const Note& note) const {
    const u64 before = room.used, end = begin_of(block) + size_of(block);
    u64 total = 0;
    for (u64 first = begin_of(block), n = size_of(block), count = 0; first < end; first += n, total += count) {
      n = smaller(n, end - first);
      u32 ends[rays_of_block];
      if (list(room, first, n, ends, count)) {
        for (u64 i = 0; i < n; ++i) note(first + i, ends[i] - (i == 0 ? 0 : ends[i - 1]));
        room.used += count;
      } else {
        count = copse::detail::count_all<default_stack_size>(batch_.view, batch_.rays.at(first),
                                                             batch_.mask_of(first), batch_.cull);
        note(first, u32(count));
        keeps = false;
      }
      if (first + n < end && !room.has_room()) keeps = false;
      if (!keeps) room.used = before;
    }
    return {keeps ? room.lists + before : nullptr, total, 0};
  }

  /// Turns counts into offsets, and stores the lists of the block if it has them.
  void place_block(u64 block, const HitBlock& found, u64* offsets, BufferSpan<Hit> hits) const {
    u64 at = found.begin;
    for (u64 ray = begin_of(block), end = ray + size_of(block); ray < end; ++ray) {
      const u64 count = offsets[ray];
      offsets[ray] = at, at += count;
    }
    if (found.lists != nullptr) copy(found.lists, found.count, found.begin, hits);
  }

  /// Stores the lists of a block whose hits were only counted.
  void list_again(HitRoom& room, u64 block, const HitBlock& found, const u64* offsets,
                  BufferSpan<Hit> hits) const {
    for (u64 first = begin_of(block), end = first + size_of(block), n = end - first, count = 0; first < end;
         first += n) {
      n = smaller(n, end - first);
      u32 ends[rays_of_block];
      const u64 to = offsets[first];
      if (list(room, first, n, ends, count)) {
        copy(room.lists, count, to, hits);
      } else if (to < hits.size()) {
        const u64 behind = first + 1 < end ? offsets[first + 1] : found.begin + found.count;
        copse::detail::store_hit_list(batch_, first, hits.data() + to, smaller(behind, hits.size()) - to);
      }
    }
  }

  static void copy(const Hit* lists, u64 count, u64 to, BufferSpan<Hit> hits) {
    if (to < hits.size()) std::memcpy(hits.data() + to, lists, smaller(count, hits.size() - to) * sizeof(Hit));
  }

  const Executor& ex_;
  const AccelRays& batch_;
  const u64 ray_count_, block_count_, room_count_;
  const bool packets_;
  HitRoom* const rooms_;
};

}  // namespace detail

}  // namespace copse::cpu
