// The format OFF of Geomview, as text: https://people.sc.fsu.edu/~jburkardt/data/off/off.html

#include <algorithm>
#include <limits>
#include <string>

#include "builders/io/file/words.h"
#include "builders/io/mesh/formats.h"
#include "builders/io/mesh/polygon.h"
#include "builders/io/mesh/text_lines.h"
#include "builders/io/mesh/vertex_filter.h"
#include "builders/io/whole_file.h"
#include "primitives/core/counted.h"

namespace copse::detail {

namespace {

/// The lines, or the corners of one face, between two polls of the cancel token.
constexpr u64 steps_per_poll = 16384;

class OffReader {
 public:
  OffReader(const std::filesystem::path& path, std::string_view text, const CancelToken& cancel,
            MeshReport& report)
      : path_(path), cancel_(cancel), report_(report), lines_(text) {}

  Mesh read() {
    read_header();
    read_vertices();
    const VertexFilter filter(mesh_.positions);
    for (u64 i = 0; i < face_count_; ++i) read_face(i, filter);
    if (find_line()) fail(in_quotes(values_) + " stands after the last face that the header promises");
    return std::move(mesh_);
  }

 private:
  /// Moves to the next line that has more than a comment. Returns false at the end of the file.
  bool find_line() {
    while (lines_.next()) {
      if (++line_count_ % steps_per_poll == 1) throw_if_cancelled(path_, cancel_);
      values_ = lines_.line();
      values_ = values_.substr(0, values_.find('#'));
      if (values_.find_first_not_of(" \t") != values_.npos) return true;
    }
    return false;
  }

  void read_header() {
    if (!find_line()) fail("the file has no line 'OFF'");
    std::string_view word = take_word(values_);
    const size_t name_at = word.find("OFF");
    if (name_at == word.npos) fail("begins with " + in_quotes(word) + "; an OFF file begins with a line 'OFF'");
    check_prefix(word.substr(0, name_at), word);
    // Files of ModelNet have the counts on the same line, without a space between.
    const std::string_view behind = word.substr(name_at + 3);
    if (!behind.empty()) values_ = {behind.data(), size_t(values_.data() + values_.size() - behind.data())};
    if (values_.find_first_not_of(" \t") == values_.npos && !find_line()) fail("the file has no counts");
    const u64 vertex_count = take_count("vertices");
    face_count_ = take_count("faces");
    if (vertex_count == 0) throw_bad_file(path_, "has 0 vertices; at least 1 is needed");
    if (face_count_ == 0) throw_no_faces(path_, {});
    // The shortest lines are "0 0 0" and "0". The line end after the last one may be missing.
    check_room(vertex_count, "vertices", 6);
    check_room(face_count_, "faces", 2);
    mesh_.positions.resize(vertex_count);
  }

  void check_prefix(std::string_view prefix, std::string_view word) const {
    for (; !prefix.empty(); prefix.remove_prefix(prefix.starts_with("ST") ? 2 : 1)) {
      if (prefix.starts_with("ST") || prefix[0] == 'C' || prefix[0] == 'N') continue;
      fail("the format is " + in_quotes(word) + "; it can be OFF, with ST, C and N before it");
    }
  }

  u64 take_count(const char* what) {
    const std::string_view word = take_word(values_);
    u64 count = 0;
    if (word == "BINARY") fail("the file is a binary OFF file; Copse reads text");
    if (parse_number(word, count) != std::errc{}) {
      fail(std::string("the number of ") + what + " is " + in_quotes(word) + ", not a number from 0 to 2^64 - 1");
    }
    return count;
  }

  void check_room(u64 count, const char* what, u64 min_bytes) const {
    const u64 room = (lines_.bytes_left() + 1) / min_bytes;
    if (count <= room) return;
    fail("the header promises " + std::to_string(count) + " " + what + ", the " +
         std::to_string(lines_.bytes_left()) + " bytes that are left hold at most " + std::to_string(room));
  }

  void read_vertices() {
    for (u64 i = 0; i < mesh_.positions.size(); ++i) {
      if (!find_line()) fail_short("vertices", mesh_.positions.size(), i);
      vec3& position = mesh_.positions[i];
      for (int axis = 0; axis < 3; ++axis) position[axis] = take_coordinate("xyz"[axis]);
      if (!is_finite(position)) leave_out(report_.vertices);
    }
    vertex_count_ = mesh_.positions.size();
  }

  float take_coordinate(char axis) {
    const std::string_view word = take_word(values_);
    float value = 0;
    const std::errc error = parse_number(word, value);
    if (error == std::errc::result_out_of_range) return std::numeric_limits<float>::infinity();
    if (error == std::errc{}) return value;
    fail(std::string(1, axis) + (word.empty() ? " is missing" : " is " + in_quotes(word) + ", not a number"));
  }

  void read_face(u64 number, const VertexFilter& filter) {
    if (!find_line()) fail_short("faces", face_count_, number);
    u64 corner_count = 0;
    if (const std::string_view word = take_word(values_); parse_number(word, corner_count) != std::errc{}) {
      fail("the number of corners is " + in_quotes(word) + ", not a number from 0 to 2^64 - 1");
    }
    corners_.clear();
    for (u64 k = 0; k < corner_count; ++k) {
      if (k % steps_per_poll == steps_per_poll - 1) throw_if_cancelled(path_, cancel_);
      corners_.push_back(take_index(k, corner_count));
    }
    if (corner_count < 3) return leave_out(report_.short_faces);
    if (!filter.renumber(corners_)) return leave_out(report_.faces);
    const size_t before = mesh_.triangles.size();
    mesh_.triangles.resize(before + corners_.size() - 2);
    cutter_.cut(mesh_.positions, corners_, mesh_.triangles.data() + before);
  }

  u32 take_index(u64 k, u64 corner_count) {
    const std::string_view word = take_word(values_);
    if (word.empty()) {
      fail("the face has " + counted(k, "indices") + "; it promises " + std::to_string(corner_count));
    }
    u64 index = 0;
    const std::errc error = parse_number(word, index);
    if (error != std::errc{} || index >= vertex_count_) {
      fail("index " + in_quotes(word) + " is not among the " + counted(vertex_count_, "vertices") + ", 0 to " +
           std::to_string(vertex_count_ - 1));
    }
    return u32(index);
  }

  void leave_out(MeshReport::LeftOut& kind) const {
    if (kind.count++ == 0) kind.first = "line " + std::to_string(lines_.number());
  }

  [[noreturn]] void fail_short(const char* what, u64 promised, u64 found) const {
    fail("the file ends after " + counted(found, what) + "; the header promises " + std::to_string(promised));
  }

  [[noreturn]] void fail(const std::string& message) const {
    throw_bad_file(path_, "line " + std::to_string(lines_.number()) + ": " + message);
  }

  const std::filesystem::path& path_;
  const CancelToken& cancel_;
  MeshReport& report_;
  TextLines lines_;
  std::string_view values_;  // of the line, from the next word on
  u64 line_count_ = 0;
  u64 face_count_ = 0;
  u64 vertex_count_ = 0;  // in the file
  Mesh mesh_;
  PolygonCutter cutter_;
  std::vector<u32> corners_;
};

}  // namespace

Mesh read_off(const std::filesystem::path& path, std::string_view bytes, const LoadMeshOptions& options,
              MeshReport& report) {
  return OffReader(path, bytes, options.cancel, report).read();
}

}  // namespace copse::detail
