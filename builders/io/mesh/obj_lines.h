#pragma once

#include <cstring>
#include <string>
#include <string_view>

namespace copse::detail {

/// The lines of an OBJ text, one after the other. A line of a vertex or face that ends in a backslash goes on in the
/// next line. Other lines do not, since a backslash may end a comment or a path.
class ObjLines {
 public:
  /// The text begins where a line begins, and ends where a line ends.
  explicit ObjLines(std::string_view text) : next_(text.data()), end_(text.data() + text.size()) {
    newline_ = find('\n');
    return_ = find('\r');
  }

  /// Moves to the next line. Returns false at the end of the text.
  bool next() {
    if (next_ == end_) return false;
    begin_ = next_;
    take_line();
    take_keyword();
    return true;
  }

  /// Where the line begins and ends in the text, without the line end.
  const char* begin() const { return begin_; }
  const char* end() const { return stop_; }

  bool is_vertex() const { return keyword_ == 'v'; }
  bool is_face() const { return keyword_ == 'f'; }
  /// What follows the keyword of a vertex or face. Joined lines have spaces in place of backslash and line end.
  std::string_view values() const { return values_; }

 private:
  const char* find(char c) const {
    const void* const at = std::memchr(next_, c, size_t(end_ - next_));
    return at ? static_cast<const char*>(at) : end_;
  }

  /// Sets stop_ to the end of the line at next_, and next_ to the line after it.
  void take_line() {
    if (newline_ < next_) newline_ = find('\n');
    if (return_ < next_) return_ = find('\r');
    stop_ = newline_ < return_ ? newline_ : return_;
    next_ = stop_;
    if (next_ == end_) return;
    const bool has_both = next_ == return_ && next_ + 1 == newline_ && newline_ != end_;
    next_ += has_both ? 2 : 1;
  }

  void take_keyword() {
    const char* at = begin_;
    while (at != stop_ && (*at == ' ' || *at == '\t')) ++at;
    keyword_ = at == stop_ ? '\0' : *at++;
    const bool has_values = at == stop_ || *at == ' ' || *at == '\t' || (*at == '\\' && at + 1 == stop_);
    if ((keyword_ != 'v' && keyword_ != 'f') || !has_values) {
      keyword_ = '\0';
    } else {
      values_ = {at, size_t(stop_ - at)};
      if (goes_on(values_)) join();
    }
  }

  static bool goes_on(std::string_view line) { return line.ends_with('\\') && line.find('#') == line.npos; }

  void join() {
    joined_ = values_;
    // Every part is looked at once, so that a text of such lines alone takes no longer than others.
    for (bool more = true; more;) {
      joined_.back() = ' ';
      joined_.append(size_t(next_ - stop_), ' ');
      if (next_ == end_) break;
      const char* const begin = next_;
      take_line();
      const std::string_view part(begin, size_t(stop_ - begin));
      joined_ += part;
      more = goes_on(part);
    }
    values_ = joined_;
  }

  const char* next_;
  const char* end_;
  const char* newline_;  // the first one from next_ on, or end_
  const char* return_;
  const char* begin_ = nullptr;
  const char* stop_ = nullptr;
  char keyword_ = '\0';
  std::string_view values_;
  std::string joined_;
};

}  // namespace copse::detail
