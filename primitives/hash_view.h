#pragma once

// Operations of single threads on a hash table, in kernels and in host code. All of them may run on one table at
// the same time: any number of threads may insert, assign, find and erase any keys. Each operation takes effect at
// one moment between its call and its return, and a call that comes after a change sees it. A table passes keys
// and values between threads; it does not order other writes of theirs. On a machine with weak memory order,
// threads that only search may see the changes of other threads in different orders.

#include "primitives/tables/hash_words.h"
#include "primitives/tables/linear_slots.h"

namespace copse {

// InsertResult (inserted, found, full) and FindResult<Value> stand in hash_result.h.

/// The view of a hash table, which kernels take by value: see HashMap::View. `Table` is the layout of its slots.
/// With linear probing, a call looks at slots from the key's home on until it finds the key or an empty slot. It
/// ends after at most `max_probes` slots (by default, all of them), whatever the table holds.
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

  /// Inserts a key that the table does not hold, and returns
  ///   inserted: if the table did not hold the key, and now does
  ///   found:    if the table holds the key; its value stays
  ///   full:     if the table does not hold the key and has no room; it stays as it was, and counts the refusal
  /// If several threads insert equal keys at the same time, exactly one of them gets `inserted`.
  COPSE_HD InsertResult insert(const Key& key, const Value& value = {}) const {
    return table_.insert(table_.start(detail::words_of(key)), detail::words_of(value));
  }

  /// Inserts the key or replaces its value. Returns as insert; `found` means that the value was replaced.
  COPSE_HD InsertResult insert_or_assign(const Key& key, const Value& value = {}) const {
    return table_.insert_or_assign(table_.start(detail::words_of(key)), detail::words_of(value));
  }

  /// Returns whether the table holds the key, and its value; if it does not, a value of zeros.
  COPSE_HD FindResult<Value> find(const Key& key) const {
    detail::Words<detail::word_bytes<Value>> words{};
    const bool found = table_.find(table_.start(detail::words_of(key)), words);
    return {found, detail::object_of<Value>(words)};
  }

  COPSE_HD bool contains(const Key& key) const { return find(key).found; }

  /// Returns 1 or 0: how many elements have the key.
  COPSE_HD u64 count(const Key& key) const { return contains(key) ? 1 : 0; }

  /// Erases the key. Returns true if the table held it. If several threads erase one key at the same time, one of
  /// them gets true.
  COPSE_HD bool erase(const Key& key) const { return table_.erase(table_.start(detail::words_of(key))); }

  /// Returns the limit of the slot numbers for for_slot.
  COPSE_HD u64 slot_count() const { return table_.visited_slots(); }

  /// Calls f(key, value) if slot `slot` holds an element. Over all slots below slot_count(), it visits each
  /// element once. It may or may not visit elements that other threads insert or erase at the same time.
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
