#pragma once

// The bodies of bulk calls, for any kind of slots. A table's .inl file instantiates them for the compiled sizes.

#include "primitives/hash_templates.h"

namespace copse::detail {

template <class T>
T* data_or_null(BufferSpan<T> span) {
  return span.empty() ? nullptr : span.data();
}

template <class Slots>
template <class Executor>
void HashCalls<Slots>::Bodies<Executor>::insert(const Executor& ex, const Insert& call) {
  using Each = InsertEach<Slots, WordsAt<Slots::key_bytes>, WordsAt<Slots::value_bytes>>;
  const Each each{call.slots, {call.keys.data()}, {call.values.data()}, call.mode, data_or_null(call.results)};
  HashCounts* const counts = data_or_null(call.counts);
  if constexpr (requires { typename Slots::Layout; }) {
    insert_ordered(ex, call.replaces_all ? "hash: build" : "hash: insert", call.keys.size(), each, counts,
                   call.replaces_all);
  } else {
    insert_all(ex, "hash: insert", call.keys.size(), each, counts);
  }
}

template <class Slots>
template <class Executor>
void HashCalls<Slots>::Bodies<Executor>::find(const Executor& ex, const Find& call) {
  using Store = StoreFound<Slots::value_bytes>;
  const FindEach<Slots, WordsAt<Slots::key_bytes>, Store> each{
      call.slots, {call.keys.data()}, {data_or_null(call.values), data_or_null(call.found)}};
  for_each_key(ex, "hash: find", call.keys.size(), each, data_or_null(call.counts));
}

template <class Slots>
template <class Executor>
void HashCalls<Slots>::Bodies<Executor>::erase(const Executor& ex, const Erase& call) {
  const EraseEach<Slots, WordsAt<Slots::key_bytes>> each{
      call.slots, {call.keys.data()}, data_or_null(call.erased)};
  for_each_key(ex, "hash: erase", call.keys.size(), each, data_or_null(call.counts));
}

template <class Slots>
template <class Executor>
void HashCalls<Slots>::Bodies<Executor>::count(const Executor& ex, const Count& call) {
  count_if(ex, call.with_erased ? "hash: used slots" : "hash: count", call.slots.visited_slots(),
           HoldsElement<Slots>{call.slots, call.with_erased}, call.count.data());
}

template <class Slots>
template <class Executor>
void HashCalls<Slots>::Bodies<Executor>::retrieve(const Executor& ex, const Retrieve& call) {
  compact_each(ex, "hash: retrieve", call.slots.visited_slots(), HoldsElement<Slots>{call.slots, false},
               StoreElement<Slots>{call.slots, call.keys.data(), call.values.data(), call.keys.size()},
               call.count.data());
}

template <class Slots>
template <class Executor>
void HashCalls<Slots>::Bodies<Executor>::copy(const Executor& ex, const Copy& call) {
  for_each(ex, "hash: copy", call.from.visited_slots(), CopySlot<Slots>{call.from, call.to});
}

}  // namespace copse::detail
