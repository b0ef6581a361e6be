#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "builders/io/structure/structure_layout.h"
#include "primitives/core/cancel_token.h"

namespace copse::detail {

/// Returns an array as bytes.
template <class T>
std::span<const char> bytes_of(std::span<const T> array) {
  return {reinterpret_cast<const char*>(array.data()), array.size_bytes()};
}
template <class T>
std::span<const char> bytes_of(const std::vector<T>& array) {
  return bytes_of(std::span<const T>(array));
}

/// Fills in the magic, the version, the sizes and the checksum of the header, and writes the file.
///   header: with all counts
///   arrays: in the order of the file, without gaps between them
/// Throws: Error bad_file, Error cancelled.
void write_structure(const std::filesystem::path& path, StructureHeader header, const StructureWideHeader& wide,
                     std::span<const FileArray> arrays, const CancelToken& cancel);

}  // namespace copse::detail
