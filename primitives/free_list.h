#pragma once

// A list of the free nodes among a fixed number of nodes. Kernels allocate and free nodes one by one, at the same
// time and in any mixture.
//
// The free nodes stand in a ring. A thread that takes or returns a node draws a ticket, from one sequence for
// taking and another for returning; the ticket is a place of the ring. No ticket comes twice. So there is no ABA
// problem, as with the top of a stack, and no thread has to retry because another was faster. Before a thread
// draws a ticket to take, it claims one of the nodes that are free or being returned.
//
//   claims     0 1 2 ...           one for each node held, and one for each thread that is about to be refused
//   returned   n, n + 1, ...       n nodes from the start; each node that is returned gets the next ticket
//   claim < returned               there is a node for the claim
//
// Source: Kerbl, Kenzel, Mueller, Schmalstieg, Steinberger, "The Broker Queue: A Fast, Linearizable FIFO Queue for
// Fine-Granular Work Distribution on the GPU", ICS 2018, section 4; Winter, Mlakar, Parger, Steinberger,
// "Ouroboros: Virtualized Queues for Dynamic Memory Management on GPUs", ICS 2020. Where we differ: a place holds
// the number of a node or nothing, without a state word beside it; and one bit per node detects that it is freed
// twice.

#include "primitives/core/atomic.h"
#include "primitives/core/buffer.h"
#include "primitives/core/warp_atomic.h"

namespace copse {

/// Zero at the start, except `returned`, which is the number of nodes. They stand in cache lines of their own,
/// since all of them are busy.
struct FreeListCounters {
  alignas(128) u64 claims;
  alignas(128) u64 taken;     // tickets to take
  alignas(128) u64 returned;  // tickets to give back
  alignas(128) u64 refused_count;
  u64 bad_free_count;
};

/// A view of a free list. Kernels and element functors take it by value; copies stand for the same list.
class FreeListView {
 public:
  FreeListView() = default;
  COPSE_HD FreeListView(u32* ring, u64 ring_size, u32* held, u32 capacity, FreeListCounters* counters)
      : ring_(ring), ring_mask_(ring_size - 1), held_(held), capacity_(capacity), counters_(counters) {}

  /// Takes a node and returns its number, below capacity(). The caller sees what was written before the node was
  /// freed. Returns invalid_id, and counts it, if no node is free; also if one becomes free only while other calls
  /// are being refused. Callers that never hold more than capacity() nodes together are never refused.
  COPSE_HD u32 allocate() const {
    if (!claim()) {
      fetch_add_relaxed(&counters_->refused_count, u64{1});
      return invalid_id;
    }
    u32* const place = ring_ + (fetch_increment_by_warp(&counters_->taken) & ring_mask_);
    u32 node = invalid_id;
    // A node for this ticket is there or being returned: the thread that returns it has drawn its ticket and runs.
    for (SpinWait wait;; wait()) {
      if (node == invalid_id) node = take_from(place);
      if (all_lanes_done(node != invalid_id)) break;
    }
    fetch_or_relaxed(held_ + node / 32, 1u << node % 32);
    return node;
  }

  /// Returns a node that came from allocate. Ignores other numbers and nodes that are free already, and counts
  /// them.
  COPSE_HD void free(u32 node) const {
    const u32 bit = 1u << node % 32;
    if (node >= capacity_ || (fetch_and_relaxed(held_ + node / 32, ~bit) & bit) == 0) {
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
  /// Checks for a free node before it claims one. Many threads may retry at the same time. If they claimed without
  /// a check, claims that are not yet taken back could refuse all of them for ever. `claims` is read first, and
  /// `returned` again after the increment: a value of `returned` that is older than the claim could refuse a
  /// thread although a node came back in between. For the same reason each claim acquires and releases: a thread
  /// that sees the claims of others also sees which nodes they gave back before.
  COPSE_HD bool claim() const {
    const u64 claims = load_acquire(&counters_->claims);
    if (claims >= load_relaxed(&counters_->returned)) return false;
    if (fetch_increment_by_warp_acq_rel(&counters_->claims) < load_relaxed(&counters_->returned)) return true;
    fetch_add_relaxed(&counters_->claims, ~u64{0});
    return false;
  }

  /// Returns the node at the place and leaves the place empty, in one step: the tickets t and t + size use the
  /// same place, and their threads may both be waiting at it. Acquires what was written before the node was freed.
  COPSE_HD static u32 take_from(u32* place) {
    const u32 node = load_relaxed(place);
    if (node == invalid_id) return invalid_id;
    return compare_exchange_acquire(place, node, invalid_id) == node ? node : invalid_id;
  }

  u32* ring_ = nullptr;  // invalid_id at an empty place
  u64 ring_mask_ = 0;
  u32* held_ = nullptr;  // a bit for each node
  u32 capacity_ = 0;
  FreeListCounters* counters_ = nullptr;
};

// Why no place stays stuck, with any number of threads. Tickets t, t + size, t + 2 size, ... use the same place,
// in both sequences. Let g tickets to give back and k tickets to take have been drawn for one place. (The nodes
// that stand in the ring at the start count as given.)
//
//   k <= g       a thread draws a ticket to take after its claim, and successful claims never exceed `returned`
//   g <= k + 1   a thread gives back only a node that it took. So at most `size` more tickets to give than to take
//                have been drawn, and both sequences go round the ring
//
// Any thread that waits at a full place may take its node, and any that waits at an empty place may fill it: which
// of them does so changes no count. If the place is full, one more node was given than taken. If no thread waits
// to take there, then k is the number of nodes taken, so g <= k + 1 is the number given: no thread waits to give.
// If the place is empty, as many nodes were given as taken. If no thread waits to give there, then g is the number
// given, so k <= g is the number taken: no thread waits to take. So wherever threads wait, one of them can go on.
//
// Lanes of a warp wait in a loop that contains all that others may wait for: a lane that is done has nothing left
// to do behind it, where a compiler could make it wait for the lanes that are not. Lanes in different calls, one
// of which waits for the other, go on by independent thread scheduling, which all GPUs that CUDA 13 supports have.

/// How a list has been used.
struct FreeListReport {
  u64 held_count;      // nodes allocated and not freed
  u64 refused_count;   // allocations that found none free
  u64 bad_free_count;  // frees of what was not allocated
};

/// Owns a list of free nodes. The nodes themselves belong to the user, for example in a Buffer of as many
/// elements.
class COPSE_API FreeList {
 public:
  /// Makes a list with all nodes free.
  /// Throws: Error capacity past 2^31 nodes, Error invalid_argument for none, Error out_of_memory.
  /// Memory: 4 to 8 bytes per node, 1/8 byte per node for its bit, and 512 bytes.
  FreeList(Context& context, u64 capacity);

  FreeListView view();
  u64 capacity() const { return capacity_; }

  /// How the work put on the stream so far has used the list. Waits.
  FreeListReport report() const;

  /// Checks that no allocation and no free was refused since the last clear. Waits.
  /// Throws: Error capacity if allocations were refused, with their number and the limit; Error invalid_argument
  /// if nodes were freed that were not allocated.
  void check() const;

  /// Makes all nodes free and resets what check reports, in order on the stream.
  void clear();

 private:
  Context* context_;
  u64 capacity_;
  Buffer<u32> ring_, held_;
  Buffer<FreeListCounters> counters_;
};

}  // namespace copse
