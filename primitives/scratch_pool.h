#pragma once

// Scratch memory for those who are at work, not for all who will be: pieces of equal size that a warp, a block or
// a task of a kernel leases while it needs one.
//
// Source: Meister, Yoshimura, Kao, "GPU Programming Primitives for Computer Graphics", SIGGRAPH Asia 2023 course,
// "Parallel pool allocator": a lock for each buffer, tried one after the other from a place that a hash of the
// warp's number chooses. Where we differ: 32 leases share a word, and whoever finds his own bit taken sees at once
// which of the others are free; and the first place tried belongs to the part of the hardware that the caller runs
// on, which no two callers share at a time, so that in a pool sized by residency the first try succeeds.

#include "primitives/core/atomic.h"
#include "primitives/core/bits.h"
#include "primitives/core/buffer.h"

namespace copse {

/// What kernels and element functors take by value. Copies stand for the same pool.
///
/// Right in any number, never deadlocked: whoever holds a lease runs, and gives it back without waiting for
/// anybody, as long as two rules are kept. Hold one lease of a pool at a time; and wait for nobody who may still
/// have to take one (a barrier across warps that lease separately, say). Then a caller that finds all taken waits
/// for holders that go on running: other warps, which are resident and get their turn, or other threads. In a pool
/// of as many leases as there can be holders at once, one is always free.
class LeasePoolView {
 public:
  /// A word for each 32 leases, a cache line apart.
  static constexpr u32 leases_per_word = 32;
  static constexpr u32 word_stride = 32;

  LeasePoolView() = default;
  COPSE_HD LeasePoolView(unsigned char* memory, u32* words, u64 stride_bytes, u32 lease_count, u32 group_count)
      : memory_(memory),
        words_(words),
        stride_bytes_(stride_bytes),
        lease_count_(lease_count),
        group_count_(group_count),
        group_size_(lease_count / group_count) {}

  /// Takes a lease and returns its number; waits where all are taken. What its last holder wrote is seen, and is
  /// of no meaning. For one thread of a warp: a lane that waits may hold up the lane that it waits for.
  ///   place: the lease to try first, below lease_count(); callers at one time best have places of their own
  COPSE_HD u32 take(u32 place) const {
    u32 lease = try_take(place);
    if (lease != invalid_id) return lease;
    fetch_add_relaxed(wait_count(), 1u);
    for (SpinWait wait; lease == invalid_id; wait()) lease = try_take(place);
    return lease;
  }

  /// The same, but returns invalid_id where it finds all taken.
  COPSE_HD u32 try_take(u32 place) const {
    u32 word = place / leases_per_word;
    const u32 bit = place % leases_per_word;
    u32 taken = fetch_or_acquire(word_at(word), 1u << bit);
    if ((taken >> bit & 1) == 0) return place;
    for (u32 tried = 0; tried < word_count(); ++tried) {
      while (~taken != 0) {
        const u32 free = free_bit_from(taken, bit);
        taken = fetch_or_acquire(word_at(word), 1u << free);
        if ((taken >> free & 1) == 0) return word * leases_per_word + free;
      }
      word = word + 1 < word_count() ? word + 1 : 0;
      taken = load_relaxed(word_at(word));
    }
    return invalid_id;
  }

  /// Gives a lease back. What the caller wrote before cannot come after the writes of the next holder.
  COPSE_HD void give_back(u32 lease) const {
    fetch_and_release(word_at(lease / leases_per_word), ~(1u << lease % leases_per_word));
  }

  /// The place for a member of a group of callers, where groups are multiprocessors, say, and members the warps of
  /// one.
  COPSE_HD u32 place_of(u32 group, u32 member) const {
    if (group >= group_count_) group %= group_count_;
    if (member >= group_size_) member %= group_size_;
    return group * group_size_ + member;
  }

  /// The memory of a lease, lease_bytes() bytes from a multiple of 128 on.
  COPSE_HD unsigned char* memory(u32 lease) const { return memory_ + lease * stride_bytes_; }
  COPSE_HD u64 lease_bytes() const { return stride_bytes_; }
  COPSE_HD u32 lease_count() const { return lease_count_; }

  COPSE_HD u32 word_count() const { return (lease_count_ + leases_per_word - 1) / leases_per_word; }
  /// How often somebody had to wait.
  COPSE_HD u32* wait_count() const { return word_at(word_count()); }

 private:
  COPSE_HD u32* word_at(u32 word) const { return words_ + word * word_stride; }

  /// The free bit at `bit` or next below it, going round, so that callers who start apart stay apart.
  COPSE_HD static u32 free_bit_from(u32 taken, u32 bit) {
    //   free          ..1.....1...   bit b = 6
    //   turned right by b + 1: bit b comes to stand highest
    const u32 free = ~taken;
    const u32 turn = (bit + 1) % leases_per_word;
    const u32 turned = turn == 0 ? free : free >> turn | free << (leases_per_word - turn);
    return (31 - leading_zeros(turned) + turn) % leases_per_word;
  }

  unsigned char* memory_ = nullptr;
  u32* words_ = nullptr;
  u64 stride_bytes_ = 0;
  u32 lease_count_ = 0;
  u32 group_count_ = 1;
  u32 group_size_ = 0;
};

/// Calls use(memory), void operator()(unsigned char*) const, with a lease that the calling thread holds as long,
/// on the host and in device code: for element functors. The lanes of a warp may call together on a pool however
/// small: each holds its lease inside the loop in which the others wait, and not behind it, where a compiler could
/// let it wait for them. A warp or a block of a kernel leases as one: WarpLease, BlockLease in cuda/scratch_pool.cuh.
///   place: any number; callers at one time best have numbers of their own, such as the element's index
template <class Use>
COPSE_HD void with_lease(const LeasePoolView& pool, u64 place, const Use& use) {
  const u32 first = u32(place) % pool.lease_count();
  bool done = false, has_waited = false;
  for (SpinWait wait;; wait()) {
    const u32 lease = done ? invalid_id : pool.try_take(first);
    if (lease != invalid_id) {
      use(pool.memory(lease));
      pool.give_back(lease);
      done = true;
    }
    if (all_lanes_done(done)) break;
    if (!done && !has_waited) fetch_add_relaxed(pool.wait_count(), 1u);
    has_waited = true;
  }
}

/// How a pool has been used.
struct LeasePoolReport {
  u32 taken_count;  // leases that nobody has given back
  u32 wait_count;   // takes that found none free at first, modulo 2^32
};

/// Owns the memory of a pool. How many leases: as many as can be held at once, for which cuda/scratch_pool.cuh asks the
/// occupancy of the kernel (lease_pool_for_warps, lease_pool_for_blocks), or lease_pool_for_any_warps; fewer make
/// callers wait, more lie idle.
class LeasePool {
 public:
  /// All leases free, their memory not initialised.
  ///   lease_count: 1 to 2^31 - 32
  ///   lease_bytes: at least 1; rounded up to a multiple of 128
  ///   group_count: of groups of callers that start in parts of the pool of their own, at most lease_count; see
  ///                LeasePoolView::place_of
  /// Throws: Error invalid_argument, Error out_of_memory.
  /// Memory: the leases, 128 bytes for each 32 of them, and 128.
  LeasePool(Context& context, u64 lease_count, u64 lease_bytes, u64 group_count = 1);

  LeasePoolView view();
  u64 lease_count() const { return lease_count_; }
  u64 lease_bytes() const { return stride_bytes_; }

  /// What has come of the work put on the stream so far. Waits.
  LeasePoolReport report() const;

  /// Makes all leases free, in order on the stream: for work that was cancelled, or ended without giving back.
  void clear();

 private:
  Context* context_;
  u64 lease_count_, stride_bytes_, group_count_;
  Buffer<unsigned char> memory_;
  Buffer<u32> words_;
};

/// A lease for every warp that the GPU can hold at once, whatever the kernel (at most 64 a multiprocessor); on the
/// CPU, one for every worker.
LeasePool lease_pool_for_any_warps(Context& context, u64 lease_bytes);

}  // namespace copse
