#pragma once

// A pool of scratch memory: slots of equal size that a warp, a block or a task of a kernel holds while it needs
// one. There are as many slots as can be held at once, not one for each warp of the launch.
//
// Source: Meister, Yoshimura, Kao, "GPU Programming Primitives for Computer Graphics", SIGGRAPH Asia 2023 course,
// "Parallel pool allocator": a lock for each slot; a hash of the warp's number chooses the first lock to try.
// Where we differ: one word holds the locks of 32 slots, so that a failed attempt shows which of the others are
// free. And the first slot to try belongs to the part of the hardware that the caller runs on. No two callers run
// there at the same time, so in a pool that is sized by residency the first attempt succeeds.

#include "primitives/core/atomic.h"
#include "primitives/core/bits.h"
#include "primitives/core/buffer.h"
#include "primitives/core/warp_atomic.h"

namespace copse {

/// A view of a pool. Kernels and element functors take it by value; copies stand for the same pool.
///
/// A pool of any size works and never deadlocks if callers keep two rules: hold one slot of a pool at a time, and
/// while holding it, never wait for a thread that may still have to acquire one (as at a barrier across warps that
/// acquire separately). Then a caller that finds all slots taken waits only for holders that go on running:
/// resident warps, or other threads. If there are as many slots as callers can hold at once, one is always free.
class ScratchPoolView {
 public:
  /// One word for 32 slots; the words are a cache line apart.
  static constexpr u32 slots_per_word = 32;
  static constexpr u32 word_stride = 32;

  ScratchPoolView() = default;
  COPSE_HD ScratchPoolView(unsigned char* memory, u32* words, u64 stride_bytes, u32 slot_count, u32 group_count)
      : memory_(memory),
        words_(words),
        stride_bytes_(stride_bytes),
        slot_count_(slot_count),
        group_count_(group_count),
        group_size_(slot_count / group_count) {}

  /// Acquires a slot and returns its number; waits while all are taken. The memory holds what its last holder
  /// wrote. Only one thread of a warp may call this: a lane that waits may block the lane that it waits for.
  ///   place: the slot to try first, below slot_count(); best if no two callers have the same at the same time
  COPSE_HD u32 acquire(u32 place) const {
    u32 slot = try_acquire(place);
    if (slot != invalid_id) return slot;
    fetch_add_relaxed(wait_count(), 1u);
    for (SpinWait wait; slot == invalid_id; wait()) slot = try_acquire(place);
    return slot;
  }

  /// As acquire, but returns invalid_id if it finds all slots taken. Other threads may have taken and released
  /// other slots of the word since the slot was released. All of these are read-modify-writes, so they pass its
  /// release on.
  COPSE_HD u32 try_acquire(u32 place) const {
    u32 word = place / slots_per_word;
    const u32 bit = place % slots_per_word;
    u32 taken = fetch_or_acquire(word_at(word), 1u << bit);
    if ((taken >> bit & 1) == 0) return place;
    for (u32 tried = 0; tried < word_count(); ++tried) {
      while (~taken != 0) {
        const u32 free = free_bit_from(taken, bit);
        taken = fetch_or_acquire(word_at(word), 1u << free);
        if ((taken >> free & 1) == 0) return word * slots_per_word + free;
      }
      word = word + 1 < word_count() ? word + 1 : 0;
      taken = load_relaxed(word_at(word));
    }
    return invalid_id;
  }

  /// Releases a slot. All writes of the caller come before those of the next holder.
  COPSE_HD void release(u32 slot) const {
    fetch_and_release(word_at(slot / slots_per_word), ~(1u << slot % slots_per_word));
  }

  /// The slot that member `member` of group `group` tries first. A group may be a multiprocessor, for example, and
  /// its members the warps that it holds.
  COPSE_HD u32 place_of(u32 group, u32 member) const {
    if (group >= group_count_) group %= group_count_;
    if (member >= group_size_) member %= group_size_;
    return group * group_size_ + member;
  }

  /// The memory of a slot: slot_bytes() bytes, aligned to 128.
  COPSE_HD unsigned char* memory(u32 slot) const { return memory_ + slot * stride_bytes_; }
  COPSE_HD u64 slot_bytes() const { return stride_bytes_; }
  COPSE_HD u32 slot_count() const { return slot_count_; }

  COPSE_HD u32 word_count() const { return (slot_count_ + slots_per_word - 1) / slots_per_word; }
  /// How many callers had to wait.
  COPSE_HD u32* wait_count() const { return word_at(word_count()); }

 private:
  COPSE_HD u32* word_at(u32 word) const { return words_ + word * word_stride; }

  /// The free bit at `bit` or the next one below it, cyclically. So callers that start at different bits end at
  /// different bits.
  COPSE_HD static u32 free_bit_from(u32 taken, u32 bit) {
    //   free          ..1.....1...   bit b = 6
    //   rotated right by b + 1: bit b becomes the highest
    const u32 free = ~taken;
    const u32 turn = (bit + 1) % slots_per_word;
    const u32 turned = turn == 0 ? free : free >> turn | free << (slots_per_word - turn);
    return (31 - leading_zeros(turned) + turn) % slots_per_word;
  }

  unsigned char* memory_ = nullptr;
  u32* words_ = nullptr;
  u64 stride_bytes_ = 0;
  u32 slot_count_ = 0;
  u32 group_count_ = 1;
  u32 group_size_ = 0;
};

/// Calls use(memory), void operator()(unsigned char*) const, while the calling thread holds a slot. For element
/// functors, on the host and in device code. All lanes of a warp may call it together on a pool of any size: each
/// lane uses its slot inside the loop in which the others wait, since behind the loop a compiler could make it
/// wait for them. For one slot per warp or block see WarpScratch and BlockScratch in cuda/scratch_pool.cuh.
///   place: any number, such as the index of the element; best if no two callers have the same at the same time
template <class Use>
COPSE_HD void with_scratch(const ScratchPoolView& pool, u64 place, const Use& use) {
  const u32 first = u32(place) % pool.slot_count();
  bool done = false, has_waited = false;
  for (SpinWait wait;; wait()) {
    const u32 slot = done ? invalid_id : pool.try_acquire(first);
    if (slot != invalid_id) {
      use(pool.memory(slot));
      pool.release(slot);
      done = true;
    }
    if (all_lanes_done(done)) break;
    if (!done && !has_waited) fetch_add_relaxed(pool.wait_count(), 1u);
    has_waited = true;
  }
}

/// How a pool has been used.
struct ScratchPoolReport {
  u32 held_count;  // slots that were acquired and not released
  u32 wait_count;  // calls that had to wait for a slot, modulo 2^32
};

/// Owns the memory of a pool. It should have as many slots as can be held at once: scratch_pool_for_warps and
/// scratch_pool_for_blocks in cuda/scratch_pool.cuh ask for the occupancy of the kernel,
/// scratch_pool_for_any_warps covers all kernels. With fewer slots callers wait; more slots are never used.
class COPSE_API ScratchPool {
 public:
  /// Makes a pool with all slots free and their memory not initialised.
  ///   slot_count:  1 to 2^31 - 32
  ///   slot_bytes:  at least 1; rounded up to a multiple of 128
  ///   group_count: groups of callers, each of which starts in its own part of the pool; 1 to slot_count; see
  ///                ScratchPoolView::place_of
  /// Throws: Error invalid_argument, Error out_of_memory.
  /// Memory: the slots, 128 bytes for each 32 of them, and 128.
  ScratchPool(Context& context, u64 slot_count, u64 slot_bytes, u64 group_count = 1);

  ScratchPoolView view();
  u64 slot_count() const { return slot_count_; }
  u64 slot_bytes() const { return stride_bytes_; }

  /// How the work put on the stream so far has used the pool. Waits.
  ScratchPoolReport report() const;

  /// Makes all slots free, in order on the stream. For work that was cancelled or ended without a release.
  void clear();

 private:
  Context* context_;
  u64 slot_count_, stride_bytes_, group_count_;
  Buffer<unsigned char> memory_;
  Buffer<u32> words_;
};

/// Makes a pool with one slot for each warp that the GPU can hold at once, whatever the kernel (64 per
/// multiprocessor); on the CPU, one for each worker.
COPSE_API ScratchPool scratch_pool_for_any_warps(Context& context, u64 slot_bytes);

// Deprecated names, until 0.2.
using LeasePoolView [[deprecated("use ScratchPoolView")]] = ScratchPoolView;
using LeasePoolReport [[deprecated("use ScratchPoolReport")]] = ScratchPoolReport;
using LeasePool [[deprecated("use ScratchPool")]] = ScratchPool;
[[deprecated("use scratch_pool_for_any_warps")]] inline ScratchPool lease_pool_for_any_warps(Context& context,
                                                                                             u64 slot_bytes) {
  return scratch_pool_for_any_warps(context, slot_bytes);
}
template <class Use>
[[deprecated("use with_scratch")]] COPSE_HD void with_lease(const ScratchPoolView& pool, u64 place,
                                                            const Use& use) {
  with_scratch(pool, place, use);
}

}  // namespace copse
