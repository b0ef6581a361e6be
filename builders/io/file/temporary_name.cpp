#include "builders/io/file/temporary_name.h"

#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <random>

#include "builders/io/whole_file.h"

namespace copse::detail {

/// A place in a list that a signal handler can read: entries are reused, never freed, and linked by atomics.
struct TemporaryName::Entry {
  std::atomic<bool> is_taken = true;
  std::atomic<bool> has_file = false;  // the folder and the text may be read
  int folder = -1;
  char text[40] = {};
  Entry* next = nullptr;

  static std::atomic<Entry*> first;
};

std::atomic<TemporaryName::Entry*> TemporaryName::Entry::first = nullptr;

TemporaryName::Entry* TemporaryName::take_entry() {
  for (Entry* entry = Entry::first; entry != nullptr; entry = entry->next) {
    if (!entry->is_taken.exchange(true)) return entry;
  }
  auto* entry = new Entry;
  entry->next = Entry::first;
  while (!Entry::first.compare_exchange_weak(entry->next, entry)) {
  }
  return entry;
}

TemporaryName::TemporaryName(int folder) : entry_(take_entry()) {
  // By chance, not by process id: other machines may write to the same folder.
  std::random_device random;
  std::snprintf(entry_->text, sizeof entry_->text, ".copse-%08x%08x.tmp", random(), random());
  entry_->folder = folder;
  entry_->has_file = true;
}

TemporaryName::~TemporaryName() {
  entry_->has_file = false;
  entry_->is_taken = false;
}

const char* TemporaryName::text() const {
  return entry_->text;
}

void remove_temporary_files() noexcept {
  for (TemporaryName::Entry* entry = TemporaryName::Entry::first; entry != nullptr; entry = entry->next) {
    if (entry->has_file) ::unlinkat(entry->folder, entry->text, 0);
  }
}

}  // namespace copse::detail
