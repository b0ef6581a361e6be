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

/// Fills in the checksum of a header, and writes the file.
///   header: its size is a multiple of 32 bytes
///   arrays: in the order of the file; zeros are added up to the next multiple of 32 bytes
/// Throws: Error bad_file, Error cancelled.
void write_with_checksum(const std::filesystem::path& path, std::span<char> header,
                         std::span<const std::span<const char>> arrays, const CancelToken& cancel);

/// Fills in the magic and the sizes of the header, and its checksum, and writes the file.
///   header: with its version and all counts
///   wide:   is written from version 2 on
///   arrays: in the order of the file; zeros are added up to the next multiple of 32 bytes
/// Throws: Error bad_file, Error cancelled.
void write_structure(const std::filesystem::path& path, StructureHeader header, const StructureWideHeader& wide,
                     std::span<const std::span<const char>> arrays, const CancelToken& cancel);

}  // namespace copse::detail
