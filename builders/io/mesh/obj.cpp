#include <algorithm>
#include <atomic>
#include <string>

#include "builders/io/mesh/formats.h"
#include "builders/io/mesh/obj_piece.h"
#include "builders/io/mesh/polygon.h"
#include "builders/io/mesh/reader_threads.h"
#include "builders/io/mesh/vertex_filter.h"
#include "builders/io/whole_file.h"
#include "primitives/core/counted.h"

namespace copse::detail {

namespace {

/// Small enough that a cancelled read ends soon, and that threads end together.
constexpr u64 bytes_per_piece = u64{1} << 20;

/// Returns the first place from `at` on where a line begins that no backslash joins to the line before.
size_t find_cut(std::string_view text, size_t at) {
  for (; at < text.size(); ++at) {
    if (text[at] != '\n' && text[at] != '\r') continue;
    const bool has_both = text[at] == '\n' && text[at - 1] == '\r';
    if (text[has_both ? at - 2 : at - 1] == '\\') continue;
    return at + (text.substr(at).starts_with("\r\n") ? 2 : 1);
  }
  return text.size();
}

/// A face that was left out, since a vertex of it was.
struct LeftOutFaces {
  u64 count = 0;
  u64 first = 0;  // its number among the faces of the piece
};

/// Reads the pieces of an OBJ file on several threads: first the number of vertices, then vertices and faces, then
/// the triangles.
class ObjLoader {
 public:
  ObjLoader(const std::filesystem::path& path, std::string_view text, const LoadMeshOptions& options)
      : path_(path), text_(text), cancel_(options.cancel), thread_count_(options.workers) {
    const size_t mark_bytes = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;
    for (size_t begin = mark_bytes; begin < text.size();) {
      const size_t end = find_cut(text, begin + bytes_per_piece);
      pieces_.emplace_back().text = text.substr(begin, end - begin);
      begin = end;
    }
  }

  Mesh load(MeshReport& report) {
    read_vertices_and_faces();
    throw_first_error();
    leave_out_bad_vertices(report);
    append_triangles();
    return std::move(mesh_);
  }

 private:
  /// Calls body(piece) for all pieces.
  template <class Body>
  void for_each_piece(const Body& body) {
    throw_if_cancelled(path_, cancel_);
    for_each_on_threads(pieces_.size(), thread_count_, [&](u64 i) {
      if (!cancel_.stop_requested()) body(pieces_[i]);
    });
    throw_if_cancelled(path_, cancel_);
  }

  void read_vertices_and_faces() {
    for_each_piece(count_obj_vertices);
    u64 vertex_count = 0;
    for (ObjPiece& piece : pieces_) {
      piece.first_vertex = vertex_count;
      vertex_count += piece.vertex_count;
    }
    if (vertex_count > max_obj_index) {
      throw_bad_file(path_, "has " + std::to_string(vertex_count) + " vertices; at most " +
                                std::to_string(max_obj_index) + " can be read");
    }
    mesh_.positions.resize(vertex_count);
    // After an error, the pieces behind it do not matter.
    std::atomic<const ObjPiece*> first_failed = pieces_.data() + pieces_.size();
    for_each_piece([&](ObjPiece& piece) {
      if (&piece > first_failed.load(std::memory_order_relaxed)) return;
      read_obj_piece(piece, mesh_.positions.data() + piece.first_vertex, cancel_);
      if (piece.error.empty()) return;
      const ObjPiece* before = first_failed.load(std::memory_order_relaxed);
      while (&piece < before && !first_failed.compare_exchange_weak(before, &piece, std::memory_order_relaxed)) {
      }
    });
  }

  void throw_first_error() const {
    u64 line_count = 0;  // of vertices and faces
    const ObjPiece* largest = nullptr;
    for (const ObjPiece& piece : pieces_) {
      if (!piece.error.empty()) fail(piece.error_line, piece.error);
      line_count += piece.corner_counts.size() + piece.short_faces.count;
      if (largest == nullptr || piece.largest_index > largest->largest_index) largest = &piece;
    }
    if (line_count == 0) throw_no_faces(path_, {});
    if (largest->largest_index > mesh_.positions.size()) {
      fail(largest->largest_index_line, "index " + std::to_string(largest->largest_index) +
                                            " is past the last of " + counted(mesh_.positions.size(), "vertices"));
    }
  }

  /// Leaves out vertices that are not finite, and their faces. Reports them and the faces that pieces left out.
  void leave_out_bad_vertices(MeshReport& report) {
    const VertexFilter filter(mesh_.positions);
    std::vector<LeftOutFaces> left_out(pieces_.size());
    if (!filter.kept_all()) {
      for_each_piece(
          [&](ObjPiece& piece) { left_out[size_t(&piece - pieces_.data())] = renumber(piece, filter); });
    }
    for (size_t i = 0; i < pieces_.size(); ++i) {
      const ObjPiece& piece = pieces_[i];
      add(report.vertices, piece.bad_vertices);
      add(report.short_faces, piece.short_faces);
      const bool is_first = report.faces.count == 0 && left_out[i].count > 0;
      add(report.faces, {left_out[i].count, is_first ? find_obj_face(piece, left_out[i].first) : nullptr});
    }
  }

  static LeftOutFaces renumber(ObjPiece& piece, const VertexFilter& filter) {
    LeftOutFaces left_out;
    u32* from = piece.corners.data();
    u32* to = from;
    u64 kept_count = 0;
    for (u64 face = 0; face < piece.corner_counts.size(); ++face) {
      const u32 corner_count = piece.corner_counts[face];
      if (filter.renumber({from, corner_count})) {
        to = std::copy_n(from, corner_count, to);
        piece.corner_counts[kept_count++] = corner_count;
      } else if (left_out.count++ == 0) {
        left_out.first = face;
      }
      from += corner_count;
    }
    piece.corners.resize(size_t(to - piece.corners.data()));
    piece.corner_counts.resize(kept_count);
    return left_out;
  }

  void add(MeshReport::LeftOut& all, const LeftOutLines& lines) const {
    if (all.count == 0 && lines.count > 0) all.first = "line " + std::to_string(line_of(lines.first));
    all.count += lines.count;
  }

  void append_triangles() {
    std::vector<u64> first_triangle;
    u64 triangle_count = 0;
    for (const ObjPiece& piece : pieces_) {
      first_triangle.push_back(triangle_count);
      triangle_count += piece.corners.size() - 2 * piece.corner_counts.size();
    }
    mesh_.triangles.resize(triangle_count);
    for_each_piece([&](ObjPiece& piece) {
      uvec3* triangles = mesh_.triangles.data() + first_triangle[size_t(&piece - pieces_.data())];
      const u32* corners = piece.corners.data();
      PolygonCutter cutter;
      for (const u32 corner_count : piece.corner_counts) {
        triangles = cutter.cut(mesh_.positions, {corners, corner_count}, triangles);
        corners += corner_count;
      }
      piece = {};
    });
  }

  u64 line_of(const char* at) const {
    u64 line = 1;
    for (const char* c = text_.data(); c != at; ++c) line += *c == '\n' || (*c == '\r' && c[1] != '\n');
    return line;
  }

  [[noreturn]] void fail(const char* line, const std::string& message) const {
    throw_bad_file(path_, "line " + std::to_string(line_of(line)) + ": " + message);
  }

  const std::filesystem::path& path_;
  std::string_view text_;
  const CancelToken& cancel_;
  u32 thread_count_;
  std::vector<ObjPiece> pieces_;
  Mesh mesh_;
};

}  // namespace

Mesh read_obj(const std::filesystem::path& path, std::string_view bytes, const LoadMeshOptions& options,
              MeshReport& report) {
  return ObjLoader(path, bytes, options).load(report);
}

}  // namespace copse::detail
