#pragma once

#include <string_view>

#include "primitives/core/types.h"

namespace copse::detail {

/// The lines of a text, one after the other. A line ends in a line feed, a carriage return, or both.
class TextLines {
 public:
  explicit TextLines(std::string_view text) : next_(text.data()), end_(text.data() + text.size()) {}

  /// Moves to the next line. Returns false at the end of the text.
  bool next() {
    if (next_ == end_) return false;
    const char* const begin = next_;
    while (next_ != end_ && *next_ != '\n' && *next_ != '\r') ++next_;
    line_ = {begin, size_t(next_ - begin)};
    ++number_;
    if (next_ != end_) next_ += next_[0] == '\r' && next_ + 1 != end_ && next_[1] == '\n' ? 2 : 1;
    return true;
  }

  std::string_view line() const { return line_; }
  /// Counted from 1.
  u64 number() const { return number_; }
  u64 bytes_left() const { return u64(end_ - next_); }

 private:
  const char* next_;
  const char* end_;
  std::string_view line_;
  u64 number_ = 0;
};

}  // namespace copse::detail
