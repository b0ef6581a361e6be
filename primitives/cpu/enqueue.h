#pragma once

// As a block on CUDA, a chunk of elements takes one ticket: its selected elements are gathered first.

#include <vector>

#include "primitives/cpu/workers.h"
#include "primitives/double_queue.h"
#include "primitives/enqueue.h"
#include "primitives/select/selection.h"

namespace copse::cpu {

namespace detail {

inline constexpr u64 enqueue_chunk = 8192;

}  // namespace detail

/// Contract: primitives/enqueue.h.
template <class T, class Predicate, class Input>
void enqueue_if(const Executor& ex, const char* label, u64 n, Predicate predicate, Input input,
                QueueView<T> queue) {
  const copse::detail::SelectByIndex<T, Predicate, Input> selects{predicate, input};
  parallel_ranges(ex, label, n, detail::enqueue_chunk, [&](u64 begin, u64 end) {
    std::vector<T> selected;
    selected.reserve(detail::enqueue_chunk);
    for (u64 i = begin; i < end; ++i) {
      if (selects(i)) selected.push_back(input(i));
    }
    u64 place = queue.reserve(u32(selected.size()));
    for (const T& value : selected) queue.store(place++, value);
  });
}

/// Contract: primitives/double_queue.h.
template <class T, class Predicate, class Input>
void enqueue_both(const Executor& ex, const char* label, u64 n, Predicate predicate, Input input,
                  DoubleQueueView<T> queues) {
  const copse::detail::SelectByIndex<T, Predicate, Input> selects{predicate, input};
  parallel_ranges(ex, label, n, detail::enqueue_chunk, [&](u64 begin, u64 end) {
    std::vector<T> front, back;
    for (u64 i = begin; i < end; ++i) (selects(i) ? front : back).push_back(input(i));
    const DoubleTicket ticket = queues.reserve(u32(front.size()), u32(back.size()));
    for (u32 k = 0; k < front.size(); ++k) queues.store_front(ticket, k, front[k]);
    for (u32 k = 0; k < back.size(); ++k) queues.store_back(ticket, k, back[k]);
  });
}

}  // namespace copse::cpu
