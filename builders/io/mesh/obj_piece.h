#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "builders/geometry/aabb.h"
#include "primitives/core/cancel_token.h"

namespace copse::detail {

/// The number of vertices of an OBJ file, and the corners of a face, are below 2^31.
inline constexpr u64 max_obj_index = 0x7fffffff;

/// Elements that were left out of a mesh.
struct LeftOutLines {
  u64 count = 0;
  const char* first = nullptr;  // the line of the first one

  void add(const char* line) {
    if (count++ == 0) first = line;
  }
};

/// Some lines of an OBJ file, and what they hold. Pieces are read by different threads.
struct ObjPiece {
  std::string_view text;  // whole lines

  u64 vertex_count = 0;
  u64 first_vertex = 0;  // the vertices of all pieces before this one

  std::vector<u32> corners;        // of all faces; indices of vertices
  std::vector<u32> corner_counts;  // of each face, 3 or more
  u64 largest_index = 0;           // as the file has it, from 1 up
  const char* largest_index_line = nullptr;
  LeftOutLines short_faces;   // fewer than 3 corners
  LeftOutLines bad_vertices;  // a coordinate that is infinite or NaN

  std::string error;  // why the piece cannot be read, or empty
  const char* error_line = nullptr;
};

/// Sets piece.vertex_count, so that the pieces after this one know their first vertex.
void count_obj_vertices(ObjPiece& piece);

/// Reads the vertices and faces of a piece up to the first error. Normals, texture coordinates, materials, lines and
/// curves are ignored.
///   positions: of the piece's vertices, piece.vertex_count
/// Returns early once a stop is requested.
void read_obj_piece(ObjPiece& piece, vec3* positions, const CancelToken& cancel);

/// Returns the line of the face `number` of those in piece.corner_counts.
const char* find_obj_face(const ObjPiece& piece, u64 number);

}  // namespace copse::detail
