#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "primitives/core/types.h"

namespace copse::detail {

enum class PlyFormat { ascii, little_endian, big_endian };

enum class PlyType : u8 { i8, u8, i16, u16, i32, u32, f32, f64 };

constexpr u32 bytes_of(PlyType type) {
  constexpr u32 bytes[] = {1, 1, 2, 2, 4, 4, 4, 8};
  return bytes[u32(type)];
}
constexpr bool is_integer(PlyType type) {
  return type < PlyType::f32;
}

struct PlyProperty {
  std::string name;
  PlyType type;
  bool is_list = false;
  PlyType count_type = PlyType::u8;  // of a list
};

struct PlyElement {
  std::string name;
  u64 count = 0;
  std::vector<PlyProperty> properties;

  /// Returns the position of the property, or -1 if there is none of that name.
  int find(std::string_view property) const;
};

struct PlyHeader {
  PlyFormat format = PlyFormat::ascii;
  std::vector<PlyElement> elements;
  u64 size_bytes = 0;  // of the header; the data begin after it

  /// Returns the element, or null if there is none of that name.
  const PlyElement* find(std::string_view element) const;
};

/// Reads the header at the front of `file`. Counts are as the header gives them and not yet checked.
/// Throws: Error bad_file with file, line and value.
PlyHeader parse_ply_header(const std::filesystem::path& path, std::string_view file);

inline constexpr const char* ply_axis_names[] = {"x", "y", "z"};

/// Returns the position of the list of corners among the properties of an element, or -1 if there is none.
int find_ply_corners(const PlyElement& element);

/// Refuses a header without vertices, or without faces and strips, and one whose vertices have no x, y and z or whose
/// faces have no corners.
/// Throws: Error bad_file.
void check_ply_header(const std::filesystem::path& path, const PlyHeader& header);

}  // namespace copse::detail
