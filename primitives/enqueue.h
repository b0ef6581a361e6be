#pragma once

// Queues to which any number of threads push at once, one by one or in bulk (Meister, Yoshimura, Kao, "GPU
// Programming Primitives for Computer Graphics", SIGGRAPH Asia 2023 Courses, "Parallel Enqueueing"). Elements
// stand in the order of the tickets, which differs from run to run: only the set is the same.
//
// A ticket is an atomic addition to one counter, and a GPU does about one per clock at one address. So fewer
// tickets are faster: one per thread with push, one per warp with push_by_warp and reserve_by_warp, one per block
// with reserve_by_block (cuda/enqueue.cuh), one for thousands of elements with enqueue_if.

#include <string>

#include "primitives/core/atomic.h"
#include "primitives/core/buffer.h"
#include "primitives/core/counted.h"
#include "primitives/core/device.h"
#include "primitives/core/warp_atomic.h"
#include "primitives/for_each.h"

namespace copse {

/// A view of a queue, to which kernels and element functors push. Copies stand for the same queue.
///
/// A push past the capacity is refused: it writes nothing, and Queue::check reports it.
template <class T>
class QueueView {
 public:
  QueueView() = default;
  /// `pushed`: counts all pushes, also the refused ones.
  COPSE_HD QueueView(T* elements, u64 capacity, u64* pushed)
      : elements_(elements), capacity_(capacity), pushed_(pushed) {}

  /// Pushes one element, with a ticket of its own. Returns false if it is refused.
  COPSE_HD bool push(const T& value) const { return store(reserve(1), value); }

  /// As push, but the lanes of a warp that call together share a ticket.
  COPSE_HD bool push_by_warp(const T& value) const { return store(fetch_increment_by_warp(pushed_), value); }

  /// Takes `count` places at the end and returns the first. The caller must then call store(place + k, ...) for
  /// all k < count. Some places may be past the capacity.
  COPSE_HD u64 reserve(u32 count) const { return fetch_add_relaxed(pushed_, u64{count}); }

  /// As reserve, but the lanes of a warp that call together share a ticket. `count` may be 0 and may differ
  /// between lanes.
  COPSE_HD u64 reserve_by_warp(u32 count) const { return fetch_add_by_warp(pushed_, count); }

  /// Stores an element at a place that the caller took. Returns false if it is refused.
  COPSE_HD bool store(u64 place, const T& value) const {
    if (place >= capacity_) return false;
    elements_[place] = value;
    return true;
  }

  /// How many elements the queue holds. While pushes still run, it counts a place as soon as it is taken, even if
  /// nothing is stored there yet.
  COPSE_HD u64 size() const {
    const u64 pushed = load_relaxed(pushed_);
    return pushed < capacity_ ? pushed : capacity_;
  }

  COPSE_HD u64 capacity() const { return capacity_; }
  COPSE_HD const T* data() const { return elements_; }
  COPSE_HD T* data() { return elements_; }
  COPSE_HD u64* pushed() const { return pushed_; }

 private:
  T* elements_ = nullptr;
  u64 capacity_ = 0;
  u64* pushed_ = nullptr;
};

/// Owns a queue's memory: `capacity` elements and a counter.
template <class T>
class Queue {
 public:
  /// An empty queue.
  /// Throws: Error out_of_memory.
  Queue(Context& context, u64 capacity) : context_(&context), elements_(context, capacity), pushed_(context, 1) {
    clear();
  }

  QueueView<T> view() { return {elements_.data(), elements_.size(), pushed_.data()}; }
  u64 capacity() const { return elements_.size(); }

  /// Empties the queue, in order on the stream.
  void clear() { context_->device().clear(pushed_.data(), pushed_.size_bytes()); }

  /// How many elements it holds. Waits.
  u64 size() const {
    const u64 pushed = pushed_.download()[0];
    return pushed < capacity() ? pushed : capacity();
  }

  /// Checks that no element was refused since the last clear. Waits.
  /// Throws: Error capacity if one was, with the number of pushes and the limit.
  void check() const {
    const u64 pushed = pushed_.download()[0];
    if (pushed <= capacity()) return;
    throw Error(ErrorCode::capacity, "a queue was given " + detail::counted(pushed, "elements") +
                                         ", its capacity is " + std::to_string(capacity()));
  }

  /// The elements, in the order of their places. Waits.
  std::vector<T> download() const { return copse::download(*context_, elements_.span().first(size())); }

 private:
  Context* context_;
  Buffer<T> elements_;
  Buffer<u64> pushed_;
};

// The bulk call, on either executor (cpu/enqueue.h, cuda/enqueue.cuh):
//
//   enqueue_if(ex, label, n, predicate, input, queue)
//     Pushes input(i) for each i below n that `predicate` accepts, in no order: the set that compact stores.
//     `predicate` and `input` as in compact (compact.h); neither may read the memory of the queue. T: trivially
//     copyable. Takes no scratch and does not wait; may be captured. Elements past the capacity are counted only.

}  // namespace copse
