#pragma once

// The bulk operations of hash tables as element functors. Keys and values come as words.

#include "primitives/loops/for_each_interleaved.h"
#include "primitives/tables/hash_calls.h"
#include "primitives/tables/hash_group.h"

namespace copse::detail {

/// Keys or values from a function of the index, as words.
template <class Input>
struct WordsOfInput {
  Input input;
  COPSE_HD auto operator()(u64 i) const { return words_of(input(i)); }
};

/// Words in an array.
template <u32 bytes>
struct WordsAt {
  const Words<bytes>* words;
  COPSE_HD Words<bytes> operator()(u64 i) const {
    if constexpr (bytes == 0) {
      return {};
    } else {
      return words[i];
    }
  }
};

/// The outcomes of a search, as places in HashCounts.
inline constexpr u32 found_outcome = 1, absent_outcome = 3;

// Each functor has two forms: for_each_prefetched calls start(i) and finish; for_each_interleaved, for slots whose
// searches are made of looks, calls fetch, start and step.

template <class Slots>
concept HasLooks = requires(const Slots& slots, typename Slots::Start& search, typename Slots::Value& value) {
  slots.template look_for<true>(search, value);
};

template <class Slots_, class Keys, class Values>
struct InsertEach {
  using Slots = Slots_;
  Slots slots;
  Keys keys;
  Values values;
  HashMode mode;
  InsertResult* results;  // may be null

  COPSE_HD auto start(u64 i) const { return slots.start(keys(i)); }
  COPSE_HD u32 finish(u64 i, const typename Slots::Start& start) const {
    const InsertResult result = insert(start, values(i));
    if (results != nullptr) results[i] = result;
    return u32(result);
  }
  COPSE_HD InsertResult insert(const typename Slots::Start& start, const typename Slots::Value& value) const {
    return mode == HashMode::assign ? slots.insert_or_assign(start, value) : slots.insert(start, value);
  }

  struct Input {
    typename Slots::Key key;
    typename Slots::Value value;
  };
  struct State {
    typename Slots::Start search;
    typename Slots::Value value;
  };
  COPSE_HD Input fetch(u64 i) const { return {keys(i), values(i)}; }
  COPSE_HD State start(const Input& input) const { return {slots.start(input.key), input.value}; }
  COPSE_HD u32 step(u64 i, State& state) const {
    const Look look = slots.look_to_put(state.search, state.value, mode == HashMode::assign);
    if (look < Look::going && results != nullptr) results[i] = InsertResult(look);
    return u32(look);
  }
};

template <class Slots_, class Keys, class Emit>
struct FindEach {
  using Slots = Slots_;
  Slots slots;
  Keys keys;
  Emit emit;

  COPSE_HD auto start(u64 i) const { return slots.start(keys(i)); }
  COPSE_HD u32 finish(u64 i, const typename Slots::Start& start) const {
    typename Slots::Value value{};
    const bool found = slots.find(start, value);
    emit(i, found, value);
    return found ? found_outcome : absent_outcome;
  }

  COPSE_HD auto fetch(u64 i) const { return keys(i); }
  COPSE_HD auto start(const typename Slots::Key& key) const { return slots.start(key); }
  COPSE_HD u32 step(u64 i, typename Slots::Start& search) const {
    typename Slots::Value value{};
    const Look look = slots.template look_for<true>(search, value);
    if (look < Look::going) emit(i, look == Look::found, value);
    return u32(look);
  }
};

template <class Slots_, class Keys>
struct EraseEach {
  using Slots = Slots_;
  Slots slots;
  Keys keys;
  u8* erased;  // may be null

  COPSE_HD auto start(u64 i) const { return slots.start(keys(i)); }
  COPSE_HD u32 finish(u64 i, const typename Slots::Start& start) const {
    const bool found = slots.erase(start);
    if (erased != nullptr) erased[i] = found;
    return found ? found_outcome : absent_outcome;
  }

  COPSE_HD auto fetch(u64 i) const { return keys(i); }
  COPSE_HD auto start(const typename Slots::Key& key) const { return slots.start(key); }
  COPSE_HD u32 step(u64 i, typename Slots::Start& search) const {
    const Look look = slots.look_to_erase(search);
    if (look < Look::going && erased != nullptr) erased[i] = look == Look::found;
    return u32(look);
  }
};

/// Slots that take most keys without a lock. Bulk insertions insert the keys that need it after all others.
template <class Slots>
concept MayDeferKeys = requires(const Slots& slots, typename Slots::Start& search, typename Slots::Value& value) {
  slots.look_to_put_first(search, value, true);
};

/// Inserts the elements that need no lock. Sets the bits of the others: their lanes would delay the rest of their
/// warps.
template <class Each>
struct InsertOrDefer {
  Each each;
  u32* deferred_bits;

  COPSE_HD auto fetch(u64 i) const { return each.fetch(i); }
  COPSE_HD auto start(const typename Each::Input& input) const { return each.start(input); }
  COPSE_HD u32 step(u64 i, typename Each::State& state) const {
    if (each.slots.needs_more_than_first(state.search)) {
      fetch_or_relaxed(deferred_bits + i / 32, 1u << i % 32);
      return done_uncounted;
    }
    return u32(each.slots.look_to_put_first(state.search, state.value, each.mode == HashMode::assign));
  }
};

struct IsDeferred {
  const u32* bits;
  COPSE_HD bool operator()(u64 i) const { return (bits[i / 32] >> i % 32 & 1) != 0; }
};

struct ListDeferred {
  u32* ids;
  COPSE_HD void operator()(u64 k, u64 i) const { ids[k] = u32(i); }
};

/// Inserts the elements that were deferred, each by its own thread. Neighbours in the list share buckets and would wait
/// for each other's locks, so neighbouring threads take elements that are far apart.
template <class Each>
struct InsertDeferred {
  Each each;
  const u32* ids;
  const u64* count;

  struct Input {
    typename Each::Input of_element;
    bool is_there;
  };
  struct State {
    typename Each::State of_element;
    bool is_there;
  };
  static constexpr u64 rows = 1024;

  /// Returns how many elements to work on if at most n are deferred.
  static constexpr u64 padded(u64 n) { return divide_rounding_up(n, rows) * rows; }

  COPSE_HD Input fetch(u64 i) const {
    const u64 row_size = divide_rounding_up(*count, rows), place = i % rows * row_size + i / rows;
    const bool is_there = i / rows < row_size && place < *count;
    return {each.fetch(is_there ? ids[place] : 0), is_there};
  }
  COPSE_HD State start(const Input& input) const {
    State state{each.start(input.of_element), input.is_there};
    state.of_element.search.group = Each::Slots::bucket_groups;  // the first bucket was full
    return state;
  }
  COPSE_HD u32 step(u64 i, State& state) const {
    return state.is_there ? each.step(i, state.of_element) : done_uncounted;
  }
};

/// Inserts the elements of one table into another.
template <class Slots>
struct CopySlot {
  Slots from, to;
  COPSE_HD void operator()(u64 slot) const {
    typename Slots::Key key{};
    typename Slots::Value value{};
    if (from.element(slot, key, value)) to.insert(to.start(key), value);
  }
};

/// True if a slot holds an element. With `with_erased`, true also if an erased element takes it.
template <class Slots>
struct HoldsElement {
  Slots slots;
  bool with_erased;
  COPSE_HD bool operator()(u64 slot) const {
    if (with_erased) return slots.is_used(slot);
    typename Slots::Key key{};
    typename Slots::Value value{};
    return slots.element(slot, key, value);
  }
};

/// Stores the result of a find in arrays, each of which may be null.
template <u32 value_bytes>
struct StoreFound {
  Words<value_bytes>* values;
  u8* found;
  COPSE_HD void operator()(u64 i, bool is_found, const Words<value_bytes>& value) const {
    if (values != nullptr) values[i] = value;
    if (found != nullptr) found[i] = is_found;
  }
};

template <class View, class Emit>
struct EmitFound {
  Emit emit;
  COPSE_HD void operator()(u64 i, bool found, const typename View::Table::Value& value) const {
    emit(i, FindResult<typename View::Value>{found, object_of<typename View::Value>(value)});
  }
};

/// Stores the element of `slot` at `place` of the output, unless that is past the end.
template <class Slots>
struct StoreElement {
  Slots slots;
  typename Slots::Key* keys;
  typename Slots::Value* values;
  u64 capacity;
  COPSE_HD void operator()(u64 place, u64 slot) const {
    if (place >= capacity) return;
    typename Slots::Key key{};
    typename Slots::Value value{};
    slots.element(slot, key, value);
    keys[place] = key;
    if constexpr (Slots::value_bytes > 0) values[place] = value;
  }
};

}  // namespace copse::detail
