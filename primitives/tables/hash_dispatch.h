#pragma once

// The checks of the bulk calls, and the step from a checked call to the body of the context's backend, for any kind
// of slots. Each kind of table has a source file that instantiates them. So a program links only the kinds that it
// uses.

#include <string>

#include "primitives/core/check.h"
#include "primitives/core/dispatch.h"
#include "primitives/tables/hash_calls.h"

namespace copse::detail {

[[noreturn]] inline void refuse_call(const std::string& what) {
  refuse("hash table", what);
}

/// Keys and values are read as words.
template <class T>
void check_words(const char* what, BufferSpan<T> span) {
  const u64 address = reinterpret_cast<u64>(span.data());
  if (address % sizeof(u32) == 0) return;
  refuse_call(std::string(what) + " begin at address " + std::to_string(address) + "; it must be a multiple of 4");
}

template <class T>
void check_size(const char* what, BufferSpan<T> span, u64 key_count) {
  if (span.size() == key_count) return;
  refuse_call(std::to_string(span.size()) + " " + what + " for " + counted(key_count, "keys") +
              "; there must be as many as keys");
}
template <class T>
void check_size_or_empty(const char* what, BufferSpan<T> span, u64 key_count) {
  if (!span.empty()) check_size(what, span, key_count);
}

template <class T>
void check_counts(BufferSpan<T> counts, u64 min) {
  if (counts.size() >= min && counts.size() <= 1) return;
  refuse_call("counts has " + counted(counts.size(), "elements") + "; it must have 1");
}

template <class T, class... Others>
void check_apart(BufferSpan<T> output, BufferSpan<Others>... others) {
  if ((overlap(output, others) || ...)) refuse_call("an output buffer overlaps another buffer");
}

template <class Slots>
void HashCalls<Slots>::insert(Context& context, const Insert& call) {
  check_words("keys", call.keys);
  check_words("values", call.values);
  if (Slots::value_bytes > 0) check_size("values", call.values, call.keys.size());
  check_size_or_empty("results", call.results, call.keys.size());
  check_counts(call.counts, 0);
  check_apart(call.results, call.keys, call.values, call.counts);
  check_apart(call.counts, call.keys, call.values);
  dispatch(context, [&]<class Executor>(const Executor& ex) { Bodies<Executor>::insert(ex, call); });
}

template <class Slots>
void HashCalls<Slots>::find(Context& context, const Find& call) {
  check_words("keys", call.keys);
  check_words("values", call.values);
  if (call.wants_values) check_size("values", call.values, call.keys.size());
  check_size_or_empty("flags", call.found, call.keys.size());
  check_counts(call.counts, 0);
  check_apart(call.values, call.keys, call.found, call.counts);
  check_apart(call.found, call.keys, call.counts);
  check_apart(call.counts, call.keys);
  dispatch(context, [&]<class Executor>(const Executor& ex) { Bodies<Executor>::find(ex, call); });
}

template <class Slots>
void HashCalls<Slots>::erase(Context& context, const Erase& call) {
  check_words("keys", call.keys);
  check_size_or_empty("flags", call.erased, call.keys.size());
  check_counts(call.counts, 0);
  check_apart(call.erased, call.keys, call.counts);
  check_apart(call.counts, call.keys);
  dispatch(context, [&]<class Executor>(const Executor& ex) { Bodies<Executor>::erase(ex, call); });
}

template <class Slots>
void HashCalls<Slots>::count(Context& context, const Count& call) {
  check_counts(call.count, 1);
  dispatch(context, [&]<class Executor>(const Executor& ex) { Bodies<Executor>::count(ex, call); });
}

template <class Slots>
void HashCalls<Slots>::retrieve(Context& context, const Retrieve& call) {
  check_words("keys", call.keys);
  check_words("values", call.values);
  if (Slots::value_bytes > 0) check_size("values", call.values, call.keys.size());
  check_counts(call.count, 1);
  check_apart(call.keys, call.values, call.count);
  check_apart(call.values, call.count);
  dispatch(context, [&]<class Executor>(const Executor& ex) { Bodies<Executor>::retrieve(ex, call); });
}

template <class Slots>
void HashCalls<Slots>::copy(Context& context, const Copy& call) {
  dispatch(context, [&]<class Executor>(const Executor& ex) { Bodies<Executor>::copy(ex, call); });
}

}  // namespace copse::detail
