#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "builders/io/file/words.h"
#include "builders/io/mesh/formats.h"

namespace copse::detail {

namespace {

/// tinyobjloader counts in int.
constexpr u64 max_vertices = std::numeric_limits<int>::max();

/// The lines or corners between two looks at the cancel token.
constexpr u64 lines_per_poll = 4096;

bool is_line_end(char c) {
  return c == '\n' || c == '\r';
}

class Checker {
 public:
  Checker(const std::filesystem::path& path, FileBytes& bytes, const CancelToken& cancel)
      : path_(path), cancel_(cancel), next_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  void check() {
    if (std::string_view(next_, size_t(end_ - next_)).starts_with("\xEF\xBB\xBF"))
      next_ = std::fill_n(next_, 3, ' ');
    for (u64 i = 0; next_ != end_; ++i) {
      if (i % lines_per_poll == 0) throw_if_cancelled(path_, cancel_);
      std::string_view line = take_line();
      const std::string_view keyword = take_word(line);
      if (keyword == "v") check_vertex(line);
      if (keyword == "f") check_face(line);
    }
    if (face_count_ == 0) throw_bad_file(path_, "has 0 faces; at least 1 is needed");
    if (largest_index_ > vertex_count_) {
      line_ = largest_index_line_;
      fail("index " + std::to_string(largest_index_) + " is past the last of " + std::to_string(vertex_count_) +
           " vertices");
    }
  }

 private:
  /// Returns the next line, together with the lines that a backslash joins to it.
  std::string_view take_line() {
    line_ += lines_taken_;
    lines_taken_ = 0;
    char* const begin = next_;
    for (;;) {
      char* const stop = std::find_if(next_, end_, is_line_end);
      next_ = stop;
      if (next_ != end_) next_ += *next_ == '\r' && next_ + 1 != end_ && next_[1] == '\n' ? 2 : 1;
      ++lines_taken_;
      const std::string_view line(begin, size_t(stop - begin));
      if (!line.ends_with('\\') || !may_go_on(line)) return checked_for_zero_bytes(line);
      std::fill(stop - 1, next_, ' ');
    }
  }

  /// Only lines of values go on after a backslash: at the end of a comment or name it may be part of a path.
  static bool may_go_on(std::string_view line) {
    if (line.find('#') != std::string_view::npos) return false;
    line.remove_suffix(1);
    const std::string_view keyword = take_word(line);
    return keyword == "v" || keyword == "f";
  }

  std::string_view checked_for_zero_bytes(std::string_view line) const {
    const size_t zero = line.find('\0');
    if (zero != std::string_view::npos) {
      fail("character " + std::to_string(zero + 1) + " is a zero byte: the file is not text");
    }
    return line;
  }

  void check_vertex(std::string_view line) {
    static constexpr const char* axes[] = {"x", "y", "z"};
    line = without_comment(line);
    for (const char* axis : axes) {
      const std::string_view word = take_word(line);
      if (word.empty()) fail(std::string("the vertex has no ") + axis + "; it needs x, y and z");
      check_coordinate(axis, word);
    }
    if (++vertex_count_ > max_vertices)
      fail("vertex " + std::to_string(vertex_count_) + "; at most " + std::to_string(max_vertices) +
           " can be read");
  }

  void check_coordinate(const char* axis, std::string_view word) const {
    float value = 0;
    const std::errc error = parse_number(word, value);
    if (error == std::errc::invalid_argument)
      fail(std::string(axis) + " is " + in_quotes(word) + ", not a number");
    if (error != std::errc{} || !std::isfinite(value)) {
      fail(std::string(axis) + " is " + in_quotes(word) + ", not a finite number of at most 3.4028235e38");
    }
  }

  void check_face(std::string_view line) {
    line = without_comment(line);
    u64 corner_count = 0;
    for (std::string_view word = take_word(line); !word.empty(); word = take_word(line)) {
      check_corner(word);
      if (++corner_count % lines_per_poll == 0) throw_if_cancelled(path_, cancel_);
    }
    if (corner_count < 3) fail("the face has " + std::to_string(corner_count) + " corners; it needs at least 3");
    ++face_count_;
  }

  void check_corner(std::string_view word) {
    if (std::count(word.begin(), word.end(), '/') > 2)
      fail("corner " + in_quotes(word) + " has more than 3 indices");
    i64 index = 0;
    const std::errc error = parse_number(word.substr(0, word.find('/')), index);
    if (error == std::errc::invalid_argument) fail("corner " + in_quotes(word) + " does not begin with an index");
    if (error != std::errc{} || index > i64(max_vertices)) {
      fail("corner " + in_quotes(word) + ": the index is above the limit of " + std::to_string(max_vertices));
    }
    if (index == 0) fail("corner " + in_quotes(word) + ": index 0 is not allowed; the first vertex is 1");
    if (index < 0 && index < -i64(vertex_count_)) {
      fail("index " + std::to_string(index) + " reaches before the first of " + std::to_string(vertex_count_) +
           " vertices so far");
    }
    // A face may come before its vertices, so the largest index is checked at the end.
    if (index > i64(largest_index_)) {
      largest_index_ = u64(index);
      largest_index_line_ = line_;
    }
  }

  /// Returns the line up to a '#', and blanks out the rest for tinyobjloader.
  std::string_view without_comment(std::string_view line) {
    const size_t comment = line.find('#');
    if (comment == std::string_view::npos) return line;
    char* const end = const_cast<char*>(line.data()) + line.size();
    std::fill(end - (line.size() - comment), end, ' ');
    return line.substr(0, comment);
  }

  [[noreturn]] void fail(const std::string& message) const {
    throw_bad_file(path_, "line " + std::to_string(line_) + ": " + message);
  }

  const std::filesystem::path& path_;
  const CancelToken& cancel_;
  char* next_;
  char* end_;
  u64 line_ = 1;         // where the current line begins
  u64 lines_taken_ = 0;  // lines of the file that it covers
  u64 vertex_count_ = 0;
  u64 face_count_ = 0;
  u64 largest_index_ = 0;
  u64 largest_index_line_ = 0;
};

}  // namespace

void check_obj(const std::filesystem::path& path, FileBytes& bytes, const CancelToken& cancel) {
  Checker(path, bytes, cancel).check();
}

}  // namespace copse::detail
