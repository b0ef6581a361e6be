#pragma once

// What tests of hash tables by threads need: objects of any width that are made from a number, and functors that
// insert, find, erase and count them.

#include <cstring>
#include <type_traits>

#include "primitives/core/atomic.h"
#include "primitives/hash_view.h"

namespace copse::test {

template <u32 size>
struct Bytes {
  u8 byte[size];
  bool operator==(const Bytes&) const = default;
  bool operator<(const Bytes& other) const { return std::memcmp(byte, other.byte, size) < 0; }
};

/// Returns an object with the number in all its bytes. So a test notices a mixture of two objects.
template <class T>
COPSE_HD T object_from(u32 number) {
  T object{};
  if constexpr (!std::is_empty_v<T>) {
    u8 bytes[sizeof(T)];
    for (u32 k = 0; k < sizeof(T); ++k) bytes[k] = u8(number >> 8 * (k % 4));
    std::memcpy(&object, bytes, sizeof(T));
  }
  return object;
}

template <class T>
COPSE_HD bool is_object_of(const T& object, u32 number) {
  const T expected = object_from<T>(number);
  const auto a = detail::words_of(object), b = detail::words_of(expected);
  return a == b;
}

/// Returns the number that an object was made from: up to 4 bytes of it.
template <class T>
COPSE_HD u32 number_in(const T& object) {
  u32 number = 0;
  if constexpr (!std::is_empty_v<T>) std::memcpy(&number, &object, sizeof(T) < 4 ? sizeof(T) : 4);
  return number;
}

/// Thread i inserts key i % distinct with value i.
template <class View>
struct InsertKeys {
  View view;
  u32 distinct, first;
  bool assigns;
  u8* results;
  COPSE_HD void operator()(u64 i) const {
    const auto key = object_from<typename View::Key>(u32(i) % distinct + first);
    const auto value = object_from<typename View::Value>(u32(i) + 1);
    results[i] = u8(assigns ? view.insert_or_assign(key, value) : view.insert(key, value));
  }
};

template <class View>
struct EraseKeys {
  View view;
  u32 distinct, first, stride;
  u8* results;
  COPSE_HD void operator()(u64 i) const {
    results[i] = view.erase(object_from<typename View::Key>(u32(i) * stride % distinct + first));
  }
};

template <class Value>
struct Seen {
  Value value;
  u8 found;
};

template <class View>
struct FindKeys {
  View view;
  u32 first;
  Seen<typename View::Value>* out;
  COPSE_HD void operator()(u64 i) const {
    const auto key = object_from<typename View::Key>(u32(i) + first);
    const auto result = view.find(key);
    out[i] = {result.value, u8(result.found && view.contains(key) && view.count(key) == 1)};
  }
};

/// Counts the elements of each key below `distinct`, and all other elements.
template <class View>
struct VisitElements {
  View view;
  u32 distinct, first;
  u32* visits;

  struct Visit {
    u32 distinct, first;
    u32* visits;
    COPSE_HD void operator()(const typename View::Key& key, const typename View::Value&) const {
      const u32 number = number_in(key) - first;
      const bool is_known = number < distinct && is_object_of(key, number + first);
      fetch_add_relaxed(visits + (is_known ? number : distinct), 1u);
    }
  };
  COPSE_HD void operator()(u64 slot) const { view.for_slot(slot, Visit{distinct, first, visits}); }
};

/// Each thread inserts, assigns, finds and erases the same keys as all other threads. For each key, it counts how
/// often the table reported that it inserted or erased the key.
template <class View>
struct Churn {
  View view;
  u32 distinct, rounds;
  u32 *inserted, *erased, *wrong;

  COPSE_HD void operator()(u64 i) const {
    u32 state = u32(i) * 2654435761u + 12345u;
    for (u32 round = 0; round < rounds; ++round) {
      state = detail::mixed(state);
      const u32 number = (state >> 8) % distinct;
      const auto key = object_from<typename View::Key>(number);
      const auto value = object_from<typename View::Value>(state);
      const u32 what = state % 4;
      if (what == 0 && view.erase(key)) fetch_add_relaxed(erased + number, 1u);
      if (what == 1 || what == 2) {
        const InsertResult result = what == 1 ? view.insert(key, value) : view.insert_or_assign(key, value);
        if (result == InsertResult::inserted) fetch_add_relaxed(inserted + number, 1u);
        if (result == InsertResult::full) fetch_add_relaxed(wrong, 1u);
      }
      if (what == 3) check(view.find(key));
    }
  }

  /// Checks that all bytes of a value come from one number.
  COPSE_HD void check(const FindResult<typename View::Value>& result) const {
    if (!result.found || sizeof(result.value) < 4) return;
    if (!is_object_of(result.value, number_in(result.value))) fetch_add_relaxed(wrong, 1u);
  }
};

/// Half of the threads insert one key each. The other half search for these keys, and check what they find.
template <class View>
struct InsertAndFind {
  View view;
  u32* wrong;
  COPSE_HD void operator()(u64 i) const {
    const u32 number = u32(i / 2);
    const auto key = object_from<typename View::Key>(number);
    if (i % 2 == 0) {
      if (view.insert(key, object_from<typename View::Value>(number)) != InsertResult::inserted) add_wrong();
      if (!view.contains(key)) add_wrong();
    } else {
      const auto result = view.find(key);
      if (result.found && !is_object_of(result.value, number)) add_wrong();
    }
  }
  COPSE_HD void add_wrong() const { fetch_add_relaxed(wrong, 1u); }
};

/// The inputs and outputs of the templates.
template <class T>
struct ObjectAt {
  COPSE_HD T operator()(u64 i) const { return object_from<T>(u32(i) + 1); }
};

template <class Value>
struct StoreSeen {
  Seen<Value>* out;
  COPSE_HD void operator()(u64 i, const FindResult<Value>& result) const {
    out[i] = {result.value, u8(result.found)};
  }
};

template <class Key, class Value>
struct CountElement {
  u32 first, distinct;
  u32* visits;
  COPSE_HD void operator()(const Key& key, const Value& value) const {
    const u32 number = number_in(key) - first;
    const bool is_right = number < distinct && is_object_of(value, number + first);
    fetch_add_relaxed(visits + (is_right ? number : distinct), 1u);
  }
};

}  // namespace copse::test
