#pragma once

// Which of a fixed number of nodes are free: kernels allocate and free them one by one, at the same time and in
// any mixture.
//
// The free nodes wait in a ring. Tickets, one sequence for those who take and one for those who give back, say at
// which place of the ring; as no ticket ever comes twice, there is no top of a stack to be exchanged for one that
// merely looks the same (the ABA problem), and nobody has to try again because others were there. Before
// anybody draws a ticket to take, he claims one of the nodes that are there or on their way back.
//
//   claims     0 1 2 ...           one for each node held, and for those who are about to hear that none is left
//   returned   n, n + 1, ...       n nodes from the start; every one that came back has the next ticket
//   claim < returned               there is a node for the claim
//
// Source: Kerbl, Kenzel, Mueller, Schmalstieg, Steinberger, "The Broker Queue: A Fast, Linearizable FIFO Queue for
// Fine-Granular Work Distribution on the GPU", ICS 2018, section 4; Winter, Mlakar, Parger, Steinberger,
// "Ouroboros: Virtualized Queues for Dynamic Memory Management on GPUs", ICS 2020. Where we differ: places hold a
// node's number or nothing, in place of a state word beside it, and a bit for each node tells a second free from
// the first.

#include "primitives/core/atomic.h"
#include "primitives/core/buffer.h"

namespace copse {

/// Zero at the start, but for `returned`, which is the number of nodes. Apart, as all three are busy.
struct FreeListCounters {
  alignas(128) u64 claims;
  alignas(128) u64 taken;     // tickets to take
  alignas(128) u64 returned;  // tickets to give back
  alignas(128) u64 refused_count;
  u64 bad_free_count;
};

/// What kernels and element functors take by value. Copies stand for the same list.
class FreeListView {
 public:
  FreeListView() = default;
  COPSE_HD FreeListView(u32* ring, u64 ring_size, u32* held, u32 capacity, FreeListCounters* counters)
      : ring_(ring), ring_mask_(ring_size - 1), held_(held), capacity_(capacity), counters_(counters) {}

  /// Takes a node and returns its number, below capacity(). What was written before the node was freed is seen.
  /// invalid_id, which is counted, where none is free; also where one becomes free only while others are being
  /// refused. Those who never hold more than capacity() together are never refused.
  COPSE_HD u32 allocate() const {
    if (!claim()) {
      fetch_add_relaxed(&counters_->refused_count, u64{1});
      return invalid_id;
    }
    u32* const place = ring_ + (fetch_increment_by_warp(&counters_->taken) & ring_mask_);
    u32 node = invalid_id;
    // A node for this ticket is there or on its way: the thread that brings it has drawn its ticket and runs.
    for (SpinWait wait;; wait()) {
      if (node == invalid_id) node = take_from(place);
      if (all_lanes_done(node != invalid_id)) break;
    }
    fetch_or_relaxed(held_ + node / 32, 1u << node % 32);
    return node;
  }

  /// Gives back a node that allocate returned. Other numbers, and nodes that are free already, are left alone, and
  /// counted.
  COPSE_HD void free(u32 node) const {
    const u32 bit = 1u << node % 32;
    if (node >= capacity_ || (fetch_and_release(held_ + node / 32, ~bit) & bit) == 0) {
      fetch_add_relaxed(&counters_->bad_free_count, u64{1});
      return;
    }
    u32* const place = ring_ + (fetch_increment_by_warp(&counters_->returned) & ring_mask_);
    bool done = false;
    // The thread that takes what stands here has drawn its ticket and runs.
    for (SpinWait wait;; wait()) {
      if (!done) done = compare_exchange_acq_rel(place, invalid_id, node) == invalid_id;
      if (all_lanes_done(done)) break;
    }
  }

  COPSE_HD u32 capacity() const { return capacity_; }

 private:
  /// Looks before it claims, so that of many threads that try again and again the first one that sees a free node gets
  /// it: if all of them claimed at once, the claims that they still had to take back could refuse all of them for ever.
  /// `claims` is read first, and `returned` again after the increment: a value of `returned` that is older than the
  /// claim could refuse a thread although a node came back in between.
  COPSE_HD bool claim() const {
    const u64 claims = load_acquire(&counters_->claims);
    if (claims >= load_acquire(&counters_->returned)) return false;
    if (fetch_increment_by_warp(&counters_->claims) < load_acquire(&counters_->returned)) return true;
    fetch_add_relaxed(&counters_->claims, ~u64{0});
    return false;
  }

  /// Returns the node at the place and leaves the place empty, in one step: the tickets t and t + size use the same
  /// place, and their threads may both be waiting at it.
  COPSE_HD static u32 take_from(u32* place) {
    if (load_relaxed(place) == invalid_id) return invalid_id;
    return exchange_acq_rel(place, invalid_id);
  }

  u32* ring_ = nullptr;  // invalid_id where nothing stands
  u64 ring_mask_ = 0;
  u32* held_ = nullptr;  // a bit for each node
  u32 capacity_ = 0;
  FreeListCounters* counters_ = nullptr;
};

// Why no thread waits for ever. Tickets t, t + size, t + 2 size, ... use the same place, in both sequences. Let g and k
// be the tickets to give back and to take that have been drawn for one place.
//
//   k <= g       a thread draws a ticket to take only after its claim, and successful claims never exceed `returned`
//   g <= k + 1   a thread gives back only a node that it took, so at most `size` nodes are free at a time, and the
//                tickets of a sequence go round the ring
//
// Any thread that waits at a full place may take its node, and any that waits at an empty place may fill it: which of
// them does so changes no count. If the place is full, one more node was given than taken; so a thread that still waits
// to give implies g >= k + 1 + 1 unless a thread waits to take, and that thread can go on. If it is empty, a thread that
// waits to take implies k > g unless a thread waits to give, and that thread can go on. Both are excluded, so some thread
// at each place can always go on, whatever the number of threads.
//
// Lanes of a warp wait in a loop that contains all that others may wait for: a lane that is done has nothing left to do
// behind it, where a compiler could make it wait for the lanes that are not. Lanes in different calls, one of which waits
// for the other, go on by independent thread scheduling, which all GPUs that CUDA 13 supports have.

/// How a list has been used.
struct FreeListReport {
  u64 held_count;      // nodes allocated and not freed
  u64 refused_count;   // allocations that found none free
  u64 bad_free_count;  // frees of what was not allocated
};

/// Owns a list of free nodes; the nodes themselves are the user's, a Buffer of as many say.
class FreeList {
 public:
  /// All nodes free.
  /// Throws: Error capacity past 2^31 nodes, Error invalid_argument for none, Error out_of_memory.
  /// Memory: 4 to 8 bytes a node, 1/8 more for bits, and 512.
  FreeList(Context& context, u64 capacity);

  FreeListView view();
  u64 capacity() const { return capacity_; }

  /// What has come of the work put on the stream so far. Waits.
  FreeListReport report() const;

  /// Waits.
  /// Throws: Error capacity where allocations since the last clear were refused, with how many, and the limit;
  /// Error invalid_argument where nodes were freed that were not allocated.
  void check() const;

  /// Makes all nodes free and forgets what check would tell, in order on the stream.
  void clear();

 private:
  Context* context_;
  u64 capacity_;
  Buffer<u32> ring_, held_;
  Buffer<FreeListCounters> counters_;
};

}  // namespace copse
