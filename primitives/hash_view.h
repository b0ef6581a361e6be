#pragma once

// What threads do with a hash table, in kernels and in host code alike. All of it may run at once on one table:
// any number of threads may insert, assign, find and erase any keys. Each operation takes effect at one moment
// between its call and its return. A table hands over keys and values; it orders no other writes of the threads.

#include "primitives/tables/hash_words.h"
#include "primitives/tables/linear_slots.h"

namespace copse {

// InsertResult (inserted, found, full) and FindResult<Value> stand in hash_result.h.

/// The view of a table with linear probing, copied into kernels. `Table` is the layout of its slots: see
/// HashMap::View. Looks at slots from the key's home on until it finds the key or an empty slot, so that a call
/// ends after at most `max_probes` slots (all of them by default), whatever the table holds.
template <HashKey Key_, HashValue Value_,
          class Table_ = detail::LinearSlots<detail::word_bytes<Key_>, detail::word_bytes<Value_>>>
class HashView {
 public:
  using Key = Key_;
  using Value = Value_;
  using Table = Table_;
  static constexpr bool is_set = std::is_empty_v<Value>;

  HashView() = default;
  COPSE_HD explicit HashView(const Table& table) : table_(table) {}

  /// inserted: the key was not there, and now is. found: it was there, and its value stays.
  /// full: it is not there and there is no room; the table stays as it was, and counts the refusal.
  /// Of threads that insert equal keys at the same time, exactly one is told `inserted`.
  COPSE_HD InsertResult insert(const Key& key, const Value& value = {}) const {
    return table_.insert(table_.start(detail::words_of(key)), detail::words_of(value));
  }

  /// The same, but `found` means that the value was replaced.
  COPSE_HD InsertResult insert_or_assign(const Key& key, const Value& value = {}) const {
    return table_.insert_or_assign(table_.start(detail::words_of(key)), detail::words_of(value));
  }

  /// Whether the key is there, and its value; a value of zeros where not.
  COPSE_HD FindResult<Value> find(const Key& key) const {
    detail::Words<detail::word_bytes<Value>> words{};
    const bool found = table_.find(table_.start(detail::words_of(key)), words);
    return {found, detail::object_of<Value>(words)};
  }

  COPSE_HD bool contains(const Key& key) const { return find(key).found; }

  /// 1 or 0.
  COPSE_HD u64 count(const Key& key) const { return contains(key) ? 1 : 0; }

  /// True where the key was there, and now is not. Of threads that erase one key at the same time, one is told so.
  COPSE_HD bool erase(const Key& key) const { return table_.erase(table_.start(detail::words_of(key))); }

  /// Numbers below it are what for_slot takes.
  COPSE_HD u64 slot_count() const { return table_.visited_slots(); }

  /// Calls f(key, value) where slot `slot` holds an element: all elements, for the slots below slot_count(), each
  /// once. Elements that others insert or erase meanwhile are met or not.
  template <class F>
  COPSE_HD void for_slot(u64 slot, F&& f) const {
    detail::Words<detail::word_bytes<Key>> key{};
    detail::Words<detail::word_bytes<Value>> value{};
    if (table_.element(slot, key, value)) f(detail::object_of<Key>(key), detail::object_of<Value>(value));
  }

  COPSE_HD const Table& table() const { return table_; }

 private:
  Table table_;
};

template <HashKey Key>
using HashSetView = HashView<Key, NoValue>;

}  // namespace copse
