#pragma once

// Two queues in one array, one from the front and one from the back. Every element goes to one of the two: the
// complement trick (Meister, Yoshimura, Kao, "GPU Programming Primitives for Computer Graphics", SIGGRAPH Asia
// 2023 Courses, "Parallel Enqueueing - Complement"). n elements need n places, whichever side they go to.
//
// Where we differ: the two counts share a word. So a ticket for both costs one atomic operation and tells how full
// the array is at that moment, and an element is refused only if no place is left.
//
//   63 .. 32           | 31 .. 0
//   pushed to the back | pushed to the front
//
// Why neither count grows into the other. A thread looks whether there is room, then adds. Threads that looked at
// the same time may all add, so the counts may pass the capacity. A thread that adds so asks for 4096 elements at
// most, and fewer than 2^19 threads do it at a time, so they pass the capacity by less than 2^31. The capacity is
// at most 2^31, and each count stays below 2^32. A larger ticket is taken by a compare-and-swap, which counts no
// more elements than have places.

#include <string>

#include "primitives/core/atomic.h"
#include "primitives/core/bits.h"
#include "primitives/core/buffer.h"
#include "primitives/core/counted.h"
#include "primitives/core/device.h"
#include "primitives/for_each.h"

namespace copse {

/// The counters of a double queue.
struct DoubleQueueCounters {
  u64 pushed;                       // places asked for, on each side
  u32 refused_front, refused_back;  // those of them for which there was no place
  u64 turned_away;                  // other elements without a place: `pushed` does not count them
};

/// The places of the elements of one ticket. In the order of pushes, its front elements come first.
struct DoubleTicket {
  u32 front_before, back_before;
  u32 front_count;
  bool counts_all;  // `pushed` counts also those elements of the ticket for which there is no place

  /// The place in that order of the k-th front or back element of the ticket.
  COPSE_HD u64 order_of_front(u32 k) const { return u64{front_before} + back_before + k; }
  COPSE_HD u64 order_of_back(u32 k) const { return order_of_front(front_count) + k; }
};

/// A view of two queues, to which kernels and element functors push. Copies stand for the same queues.
template <class T>
class DoubleQueueView {
 public:
  DoubleQueueView() = default;
  COPSE_HD DoubleQueueView(T* elements, u32 capacity, DoubleQueueCounters* counters)
      : elements_(elements), capacity_(capacity), counters_(counters) {}

  /// Pushes one element to either side. Returns false if the array is full and refuses it.
  COPSE_HD bool push(const T& value, bool to_front) const {
    const DoubleTicket ticket = reserve(to_front ? 1 : 0, to_front ? 0 : 1);
    return to_front ? store_front(ticket, 0, value) : store_back(ticket, 0, value);
  }

  /// Takes places for `front` and `back` elements, any numbers. The caller must then store all of them, by
  /// store_front and store_back.
  ///   thread_count: how many threads share the ticket, such as those of a block
  /// All calls that run at the same time must stand for fewer than 2^19 threads. No GPU holds so many.
  COPSE_HD DoubleTicket reserve(u32 front, u32 back, u32 thread_count = 1) const {
    // A full array gives no more tickets.
    const u64 seen = load_relaxed(&counters_->pushed);
    if (count_of(seen) >= capacity_) return {capacity_, 0, front, false};
    if (u64{front} + back > u64{quick_elements} * thread_count) return reserve_exactly(front, back, seen);
    const u64 before = fetch_add_relaxed(&counters_->pushed, u64{back} << 32 | front);
    return {u32(before), u32(before >> 32), front, true};
  }

  /// Stores the k-th front element of the ticket. Returns false if it is refused.
  COPSE_HD bool store_front(const DoubleTicket& ticket, u32 k, const T& value) const {
    return store(front_place(ticket, k), value);
  }
  /// The same for the back.
  COPSE_HD bool store_back(const DoubleTicket& ticket, u32 k, const T& value) const {
    return store(back_place(ticket, k), value);
  }

  /// The place at which store_front and store_back put an element, counted from the front; no_place if it is
  /// refused. Refusals are counted, so ask once per element.
  static constexpr u64 no_place = ~u64{0};
  COPSE_HD u64 front_place(const DoubleTicket& ticket, u32 k) const {
    return has_place(ticket, ticket.order_of_front(k), counters_->refused_front) ? u64{ticket.front_before} + k
                                                                                 : no_place;
  }
  COPSE_HD u64 back_place(const DoubleTicket& ticket, u32 k) const {
    return has_place(ticket, ticket.order_of_back(k), counters_->refused_back)
               ? capacity_ - 1 - (u64{ticket.back_before} + k)
               : no_place;
  }

  COPSE_HD u32 capacity() const { return capacity_; }
  COPSE_HD const T* data() const { return elements_; }
  COPSE_HD T* data() { return elements_; }

 private:
  /// How many elements per thread a ticket may have that is taken by an addition.
  static constexpr u32 quick_elements = 4096;

  COPSE_HD static u64 count_of(u64 pushed) { return u64{u32(pushed)} + (pushed >> 32); }

  /// As reserve, but counts only elements that have places: those on the front come first. Tries again if another
  /// thread was faster, which then has its ticket.
  COPSE_HD DoubleTicket reserve_exactly(u32 front, u32 back, u64 seen) const {
    while (count_of(seen) < capacity_) {
      const u32 room = capacity_ - u32(count_of(seen));
      const u32 front_places = smaller(front, room);
      const u32 back_places = smaller(back, room - front_places);
      const u64 before =
          compare_exchange_relaxed(&counters_->pushed, seen, seen + (u64{back_places} << 32 | front_places));
      if (before == seen) return {u32(before), u32(before >> 32), front, false};
      seen = before;
    }
    return {capacity_, 0, front, false};
  }

  COPSE_HD bool store(u64 place, const T& value) const {
    if (place == no_place) return false;
    elements_[place] = value;
    return true;
  }

  COPSE_HD bool has_place(const DoubleTicket& ticket, u64 order, u32& refused) const {
    if (order < capacity_) return true;
    if (ticket.counts_all) {
      fetch_add_relaxed(&refused, 1u);
    } else {
      fetch_add_relaxed(&counters_->turned_away, u64{1});
    }
    return false;
  }

  T* elements_ = nullptr;
  u32 capacity_ = 0;
  DoubleQueueCounters* counters_ = nullptr;
};

/// Owns the memory of two queues: `capacity` elements for both, and counters.
template <class T>
class DoubleQueue {
 public:
  static constexpr u64 max_elements = u64{1} << 31;

  /// Two empty queues.
  /// Throws: Error capacity past max_elements; Error out_of_memory.
  DoubleQueue(Context& context, u64 capacity)
      : context_(&context), elements_(context, checked(capacity)), counters_(context, 1) {
    clear();
  }

  DoubleQueueView<T> view() { return {elements_.data(), u32(elements_.size()), counters_.data()}; }
  u64 capacity() const { return elements_.size(); }

  /// Empties both queues, in order on the stream.
  void clear() { context_->device().clear(counters_.data(), counters_.size_bytes()); }

  /// How many elements each side holds. Waits.
  struct Sizes {
    u64 front, back;
  };
  Sizes sizes() const {
    const DoubleQueueCounters c = counters_.download()[0];
    return {u64{u32(c.pushed)} - c.refused_front, (c.pushed >> 32) - c.refused_back};
  }

  /// Checks that no element was refused since the last clear. Waits.
  /// Throws: Error capacity if one was, with the number of pushes and the limit.
  void check() const {
    const DoubleQueueCounters c = counters_.download()[0];
    const u64 pushed = u64{u32(c.pushed)} + (c.pushed >> 32) + c.turned_away;
    if (pushed <= capacity()) return;
    throw Error(ErrorCode::capacity, "a double queue was given " + detail::counted(pushed, "elements") +
                                         ", its capacity is " + std::to_string(capacity()));
  }

  /// The elements of one side, ordered from its end of the array inwards. Waits.
  std::vector<T> download_front() const {
    return copse::download(*context_, elements_.span().first(sizes().front));
  }
  std::vector<T> download_back() const {
    const u64 count = sizes().back;
    auto elements = copse::download(*context_, elements_.span().subspan(capacity() - count, count));
    return {elements.rbegin(), elements.rend()};
  }

 private:
  static u64 checked(u64 capacity) {
    if (capacity <= max_elements) return capacity;
    throw Error(ErrorCode::capacity, "a double queue of " + std::to_string(capacity) + " elements, at most " +
                                         std::to_string(max_elements));
  }

  Context* context_;
  Buffer<T> elements_;
  Buffer<DoubleQueueCounters> counters_;
};

// The bulk call, on either executor (cpu/enqueue.h, cuda/enqueue.cuh):
//
//   enqueue_both(ex, label, n, predicate, input, queues)
//     Pushes input(i) for each i below n: to the front if `predicate` accepts it, else to the back. Otherwise as
//     enqueue_if.

}  // namespace copse
