#pragma once

// Remembers which kernel was the fastest for batches like this one. A program that traces the same kinds of rays in
// every frame keeps each kind in the same memory. So a batch is recognised by its tree, the address of its rays, the
// type of its query and the magnitude of its number of rays.

#include <bit>
#include <chrono>
#include <memory>
#include <vector>

#include "primitives/core/device.h"
#include "trace/batch/choice_by_time.h"

namespace copse::detail {

class LearnedKernels {
 public:
  /// Identifies batches of one kind.
  struct Key {
    const void* tree;
    const void* rays;
    const void* query;  // an address per type of query
    u32 size;           // the bits of the number of rays

    bool operator==(const Key&) const = default;
  };

  /// Calls launch(way) for a batch of n rays, on `device`, and times it now and then. `way` is below way_count, or
  /// ChoiceByTime::undecided.
  template <class Launch>
  void trace(Device& device, const Key& key, u64 n, u32 way_count, const Launch& launch) {
    take_reports();
    Entry& entry = find(key);
    const ChoiceByTime::Call call = entry.choice.next(way_count);
    if (!call.is_timed) return launch(call.way);
    const auto start = std::chrono::steady_clock::now();
    std::unique_ptr<Mark> begin = device.mark();
    launch(call.way);
    std::unique_ptr<Mark> end = device.mark();
    if (std::chrono::steady_clock::now() - start > longest_launch) return entry.choice.lose(call.way);
    timed_.push_back({key, call.way, n, std::move(begin), std::move(end)});
  }

 private:
  static constexpr size_t max_entries = 64;

  /// The marks and the launches take some 10 us. If the host took much longer, because it loaded a kernel or other
  /// programs had the processor, the device may have waited between the marks, and the time is useless.
  static constexpr std::chrono::microseconds longest_launch{60};

  struct Entry {
    Key key;
    u64 last_use;
    ChoiceByTime choice;
  };
  struct Timed {
    Key key;
    u32 way;
    u64 n;
    std::unique_ptr<Mark> begin, end;
  };

  /// Reports the times of launches that have ended to their choices. It does not wait.
  void take_reports() {
    std::erase_if(timed_, [this](const Timed& timed) {
      if (!timed.end->has_passed()) return false;
      const double milliseconds = timed.end->milliseconds_since(*timed.begin);
      for (Entry& entry : entries_) {
        if (entry.key == timed.key) entry.choice.report(timed.way, milliseconds, double(timed.n));
      }
      return true;
    });
  }

  /// The entry of a key. If there are many, a new key replaces the one that was not used for longest.
  Entry& find(const Key& key) {
    ++use_;
    Entry* oldest = nullptr;
    for (Entry& entry : entries_) {
      if (entry.key == key) {
        entry.last_use = use_;
        return entry;
      }
      if (oldest == nullptr || entry.last_use < oldest->last_use) oldest = &entry;
    }
    if (entries_.size() < max_entries) return entries_.emplace_back(Entry{key, use_, {}});
    return *oldest = Entry{key, use_, {}};
  }

  std::vector<Entry> entries_;
  std::vector<Timed> timed_;
  u64 use_ = 0;
};

}  // namespace copse::detail
