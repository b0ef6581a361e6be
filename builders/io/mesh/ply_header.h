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

  /// Position of the property, -1 where there is none of the name.
  int find(std::string_view property) const;
};

struct PlyHeader {
  PlyFormat format = PlyFormat::ascii;
  std::vector<PlyElement> elements;
  u64 size_bytes = 0;  // the data begin here

  /// The element, null where there is none of the name.
  const PlyElement* find(std::string_view element) const;
};

/// Reads the header at the front of `file`; counts are as the header says them, trusted nowhere yet.
/// Throws: Error bad_file with file, line and value.
PlyHeader parse_ply_header(const std::filesystem::path& path, std::string_view file);

}  // namespace copse::detail
