#pragma once

#include "primitives/core/types.h"

namespace copse::detail {

/// A name for a temporary file in a folder. As long as the object lives, remove_temporary_files() removes the file.
class TemporaryName {
 public:
  ///   folder: an open descriptor that outlives the object
  explicit TemporaryName(int folder);
  ~TemporaryName();
  TemporaryName(const TemporaryName&) = delete;
  TemporaryName& operator=(const TemporaryName&) = delete;

  const char* text() const;

 private:
  struct Entry;
  friend void remove_temporary_files() noexcept;

  static Entry* take_entry();

  Entry* entry_;
};

}  // namespace copse::detail
