#include "builders/io/mesh/obj_piece.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "builders/io/file/words.h"
#include "builders/io/mesh/obj_lines.h"
#include "builders/io/whole_file.h"
#include "primitives/core/counted.h"

namespace copse::detail {

namespace {

/// The corners of one face between two polls of the cancel token.
constexpr u64 corners_per_poll = 16384;

/// Reads the values of a piece, line by line.
class PieceReader {
 public:
  PieceReader(ObjPiece& piece, vec3* positions, const CancelToken& cancel)
      : piece_(piece), positions_(positions), cancel_(cancel), lines_(piece.text) {}

  void read() {
    const size_t zero_at = std::min(piece_.text.find('\0'), piece_.text.size());
    const char* const zero = piece_.text.data() + zero_at;
    while (!failed() && lines_.next()) {
      if (zero < lines_.end()) {
        fail("character " + std::to_string(zero - lines_.begin() + 1) + " is a zero byte: the file is not text");
      } else if (lines_.is_vertex()) {
        read_vertex();
      } else if (lines_.is_face()) {
        read_face();
      }
    }
  }

 private:
  /// Moves to the next word of the line. Returns false if there is none.
  bool find_word() {
    while (next_ != end_ && (*next_ == ' ' || *next_ == '\t')) ++next_;
    return next_ != end_ && *next_ != '#';
  }
  bool is_word_end(const char* at) const { return at == end_ || *at == ' ' || *at == '\t' || *at == '#'; }
  std::string_view word() const {
    const char* stop = next_;
    while (!is_word_end(stop)) ++stop;
    return {next_, size_t(stop - next_)};
  }

  void begin_values() {
    next_ = lines_.values().data();
    end_ = next_ + lines_.values().size();
  }

  void read_vertex() {
    begin_values();
    vec3 position;
    for (int axis = 0; axis < 3; ++axis) {
      if (!read_coordinate("xyz"[axis], position[axis])) return;
    }
    if (!is_finite(position)) piece_.bad_vertices.add(lines_.begin());
    positions_[vertex_count_++] = position;
  }

  bool read_coordinate(char axis, float& value) {
    if (!find_word()) {
      return fail(std::string("the vertex has no ") + axis + "; it needs x, y and z");
    }
    const auto [stop, error] = std::from_chars(next_, end_, value);
    if (error == std::errc{} && is_word_end(stop)) {
      next_ = stop;
      return true;
    }
    // A plus sign, or a number that is too small or too large, or no number.
    const std::string_view odd = word();
    const std::errc odd_error = parse_number(odd, value);
    if (odd_error == std::errc::invalid_argument) {
      return fail(std::string(1, axis) + " is " + in_quotes(odd) + ", not a number");
    }
    if (odd_error != std::errc{}) value = std::numeric_limits<float>::infinity();
    next_ += odd.size();
    return true;
  }

  void read_face() {
    begin_values();
    const size_t before = piece_.corners.size();
    while (find_word()) {
      u32 corner;
      if (!read_corner(corner)) return;
      piece_.corners.push_back(corner);
      if (piece_.corners.size() % corners_per_poll == 0 && cancel_.stop_requested()) return;
    }
    const u64 corner_count = piece_.corners.size() - before;
    if (corner_count > max_obj_index) {
      fail("the face has " + std::to_string(corner_count) + " corners; at most " + std::to_string(max_obj_index) +
           " can be read");
    } else if (corner_count < 3) {
      piece_.corners.resize(before);
      piece_.short_faces.add(lines_.begin());
    } else {
      piece_.corner_counts.push_back(u32(corner_count));
    }
  }

  /// Reads the vertex of a corner such as 7, 7/1, 7//3 or 7/1/3.
  bool read_corner(u32& corner) {
    i64 index = 0;
    const auto [stop, error] = std::from_chars(next_, end_, index);
    const char* word_end = stop;
    u32 slash_count = 0;
    while (!is_word_end(word_end)) slash_count += *word_end++ == '/';
    const bool is_plain = error == std::errc{} && (stop == word_end || *stop == '/') && slash_count <= 2;
    const std::string_view word(next_, size_t(word_end - next_));
    if (!is_plain && !read_odd_index(word, index)) return false;
    if (index <= 0 || index > i64(max_obj_index)) return take_relative_index(word, index, corner);
    next_ = word_end;
    // A face may come before its vertices, so the largest index is checked when all pieces have been read.
    if (u64(index) > piece_.largest_index) {
      piece_.largest_index = u64(index);
      piece_.largest_index_line = lines_.begin();
    }
    corner = u32(index - 1);
    return true;
  }

  /// Reads an index with a plus sign, or fails.
  bool read_odd_index(std::string_view word, i64& index) {
    if (std::count(word.begin(), word.end(), '/') > 2) {
      return fail("corner " + in_quotes(word) + " has more than 3 indices");
    }
    const std::errc error = parse_number(word.substr(0, word.find('/')), index);
    if (error == std::errc::invalid_argument) {
      return fail("corner " + in_quotes(word) + " does not begin with an index");
    }
    if (error != std::errc{}) index = std::numeric_limits<i64>::max();
    return true;
  }

  /// Index -1 is the latest vertex.
  bool take_relative_index(std::string_view word, i64 index, u32& corner) {
    if (index > 0) {
      return fail("corner " + in_quotes(word) + ": the index is above the limit of " +
                  std::to_string(max_obj_index));
    }
    if (index == 0) return fail("corner " + in_quotes(word) + ": index 0 is not allowed; the first vertex is 1");
    const i64 vertices_so_far = i64(piece_.first_vertex + vertex_count_);
    if (index < -vertices_so_far) {
      return fail("index " + std::to_string(index) + " reaches before the first of " +
                  counted(vertices_so_far, "vertices") + " so far");
    }
    next_ += word.size();
    corner = u32(vertices_so_far + index);
    return true;
  }

  bool failed() const { return !piece_.error.empty(); }
  bool fail(const std::string& message) {
    piece_.error = message;
    piece_.error_line = lines_.begin();
    return false;
  }

  ObjPiece& piece_;
  vec3* positions_;
  const CancelToken& cancel_;
  ObjLines lines_;
  const char* next_ = nullptr;  // in the values of the line
  const char* end_ = nullptr;
  u64 vertex_count_ = 0;
};

}  // namespace

void count_obj_vertices(ObjPiece& piece) {
  for (ObjLines lines(piece.text); lines.next();) piece.vertex_count += lines.is_vertex();
}

void read_obj_piece(ObjPiece& piece, vec3* positions, const CancelToken& cancel) {
  PieceReader(piece, positions, cancel).read();
}

const char* find_obj_face(const ObjPiece& piece, u64 number) {
  ObjLines lines(piece.text);
  for (u64 seen = 0; lines.next();) {
    if (!lines.is_face()) continue;
    std::string_view values = lines.values().substr(0, lines.values().find('#'));
    u64 corner_count = 0;
    while (!take_word(values).empty()) ++corner_count;
    if (corner_count >= 3 && seen++ == number) break;
  }
  return lines.begin();
}

}  // namespace copse::detail
