// The format of 3D Systems' Stereolithography Interface Specification, 1989, as text and binary.

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <string>

#include "builders/io/file/words.h"
#include "builders/io/mesh/formats.h"
#include "builders/io/mesh/stl_size.h"
#include "builders/io/mesh/text_lines.h"
#include "builders/io/mesh/vertex_merger.h"
#include "builders/io/whole_file.h"
#include "primitives/core/counted.h"

namespace copse::detail {

namespace {

static_assert(std::endian::native == std::endian::little, "Copse runs on little-endian machines");

/// The triangles or lines between two polls of the cancel token.
constexpr u64 stl_steps_per_poll = 16384;

/// Compares a word with one of small letters, without regard to capital ones.
bool is(std::string_view word, std::string_view keyword) {
  const auto same = [](char a, char b) { return (a >= 'A' && a <= 'Z' ? char(a - 'A' + 'a') : a) == b; };
  return std::equal(word.begin(), word.end(), keyword.begin(), keyword.end(), same);
}

/// Collects triangles, and reports the parts that are left out.
class StlMesh {
 public:
  StlMesh(const std::filesystem::path& path, MeshReport& report) : path_(path), report_(report) {}

  /// Adds a triangle.
  ///   place(k): where corner k stands in the file
  template <class Place>
  void add(const vec3 (&corners)[3], const Place& place) {
    int bad_count = 0;
    for (int k = 0; k < 3; ++k) {
      if (is_finite(corners[k])) continue;
      leave_out(report_.vertices, place, k);
      ++bad_count;
    }
    if (bad_count > 0) return leave_out(report_.faces, place, 0);
    if (vertices_.size() > VertexMerger::max_vertices - 3) {
      throw_bad_file(path_, "has more different vertices than " + std::to_string(VertexMerger::max_vertices - 3));
    }
    uvec3 triangle;
    for (int k = 0; k < 3; ++k) triangle[k] = vertices_.add(corners[k]);
    triangles_.push_back(triangle);
  }

  void reserve(u64 triangle_count) { triangles_.reserve(triangle_count); }

  Mesh take() { return {vertices_.take(), std::move(triangles_)}; }

 private:
  template <class Place>
  static void leave_out(MeshReport::LeftOut& kind, const Place& place, int corner) {
    if (kind.count++ == 0) kind.first = place(corner);
  }

  const std::filesystem::path& path_;
  MeshReport& report_;
  VertexMerger vertices_;
  std::vector<uvec3> triangles_;
};

Mesh read_binary(const std::filesystem::path& path, std::string_view bytes, const CancelToken& cancel,
                 MeshReport& report) {
  if (bytes.size() < stl_triangles_at) {
    throw_bad_file(path, "has " + counted(bytes.size(), "bytes") + "; a binary STL file has at least " +
                             std::to_string(stl_triangles_at) + ", and a text begins with 'solid'");
  }
  const u64 count = stl_triangle_count(bytes);
  if (!has_binary_stl_size(bytes)) {
    throw_bad_file(path, "promises " + counted(count, "triangles") + ", in all " +
                             std::to_string(stl_triangles_at + stl_triangle_bytes * count) + " bytes; it has " +
                             std::to_string(bytes.size()));
  }
  StlMesh mesh(path, report);
  mesh.reserve(count);
  for (u64 i = 0; i < count; ++i) {
    if (i % stl_steps_per_poll == 0) throw_if_cancelled(path, cancel);
    vec3 corners[3];
    const u64 corners_at = stl_triangles_at + stl_triangle_bytes * i + sizeof(vec3);
    std::memcpy(corners, bytes.data() + corners_at, sizeof corners);
    mesh.add(corners, [&](int) { return "face " + std::to_string(i); });
  }
  return mesh.take();
}

/// Reads a text of solids, line by line.
class StlText {
 public:
  StlText(const std::filesystem::path& path, std::string_view text, const CancelToken& cancel, MeshReport& report)
      : path_(path), cancel_(cancel), lines_(text), mesh_(path, report) {}

  Mesh read() {
    bool is_in_solid = false;
    while (lines_.next()) {
      if (lines_.number() % stl_steps_per_poll == 1) throw_if_cancelled(path_, cancel_);
      std::string_view line = lines_.line();
      const std::string_view keyword = take_word(line);
      if (keyword.empty()) continue;
      if (is(keyword, "solid")) {
        if (is_in_solid) fail("'solid' before the 'endsolid' of the solid before it");
        is_in_solid = true;
      } else if (!is_in_solid) {
        fail(in_quotes(keyword) + " stands where a solid should begin");
      } else if (is(keyword, "endsolid")) {
        if (is_in_facet_) fail("'endsolid' before the 'endfacet' of a facet");
        is_in_solid = false;
      } else {
        read_part(keyword, line);
      }
    }
    if (is_in_solid) fail("the file ends before 'endsolid'");
    return mesh_.take();
  }

 private:
  void read_part(std::string_view keyword, std::string_view values) {
    if (is(keyword, "facet")) {
      if (is_in_facet_) fail("'facet' before the 'endfacet' of the facet before it");
      is_in_facet_ = true;
      corner_count_ = 0;
    } else if (is(keyword, "vertex")) {
      read_vertex(values);
    } else if (is(keyword, "endfacet")) {
      end_facet();
    } else if (!is(keyword, "outer") && !is(keyword, "endloop")) {
      fail("unknown keyword " + in_quotes(keyword));
    }
  }

  void read_vertex(std::string_view values) {
    if (!is_in_facet_) fail("a vertex outside of a facet");
    if (corner_count_ == 3) fail("a facet with more than 3 vertices");
    for (int axis = 0; axis < 3; ++axis) {
      const std::string_view word = take_word(values);
      float& value = corners_[corner_count_][axis];
      const std::errc error = parse_number(word, value);
      if (error == std::errc::result_out_of_range) value = std::numeric_limits<float>::infinity();
      if (error != std::errc::invalid_argument) continue;
      fail(std::string(1, "xyz"[axis]) +
           (word.empty() ? " is missing" : " is " + in_quotes(word) + ", not a number"));
    }
    if (const std::string_view word = take_word(values); !word.empty()) {
      fail(in_quotes(word) + " stands after the 3 coordinates of a vertex");
    }
    corner_lines_[corner_count_++] = lines_.number();
  }

  void end_facet() {
    if (!is_in_facet_) fail("'endfacet' without a facet");
    if (corner_count_ < 3) fail("a facet with " + counted(corner_count_, "vertices") + "; it takes 3");
    mesh_.add(corners_, [&](int k) { return "line " + std::to_string(corner_lines_[k]); });
    is_in_facet_ = false;
  }

  [[noreturn]] void fail(const std::string& message) const {
    throw_bad_file(path_, "line " + std::to_string(lines_.number()) + ": " + message);
  }

  const std::filesystem::path& path_;
  const CancelToken& cancel_;
  TextLines lines_;
  StlMesh mesh_;
  bool is_in_facet_ = false;
  u32 corner_count_ = 0;
  vec3 corners_[3];
  u64 corner_lines_[3];
};

}  // namespace

Mesh read_stl(const std::filesystem::path& path, std::string_view bytes, const LoadMeshOptions& options,
              MeshReport& report) {
  // Some programs begin the header of a binary file with 'solid' too. Its size shows that it is not a text. If the
  // size is wrong, zero bytes show it, which every binary file has.
  const size_t begin = std::min(bytes.find_first_not_of(" \t\r\n"), bytes.size());
  const bool is_text = is(bytes.substr(begin, 5), "solid") && bytes.substr(0, 1024).find('\0') == bytes.npos;
  if (is_text && !has_binary_stl_size(bytes)) return StlText(path, bytes, options.cancel, report).read();
  return read_binary(path, bytes, options.cancel, report);
}

}  // namespace copse::detail
