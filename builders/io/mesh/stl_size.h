#pragma once

#include <cstring>
#include <string_view>

#include "primitives/core/types.h"

namespace copse::detail {

// A binary STL file has a header of 80 bytes, the number of triangles in 4, and 50 bytes per triangle: its normal, its
// corners, and 2 bytes of attributes.
inline constexpr u64 stl_count_at = 80;
inline constexpr u64 stl_triangles_at = 84;
inline constexpr u64 stl_triangle_bytes = 50;

/// Returns the number of triangles that a binary STL file of at least stl_triangles_at bytes promises.
inline u32 stl_triangle_count(std::string_view bytes) {
  u32 count;
  std::memcpy(&count, bytes.data() + stl_count_at, sizeof count);
  return count;
}

/// Returns true if a file has the size that it would promise if it were binary STL. In a text these four bytes are
/// letters, a number of 538 million or more.
inline bool has_binary_stl_size(std::string_view bytes) {
  return bytes.size() >= stl_triangles_at &&
         bytes.size() == stl_triangles_at + stl_triangle_bytes * stl_triangle_count(bytes);
}

}  // namespace copse::detail
