#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "builders/io/structure/structure_layout.h"
#include "primitives/core/cancel_token.h"

namespace copse::detail {

/// Returns an array as bytes.
template <class T>
std::span<const char> bytes_of(const std::vector<T>& array) {
  return {reinterpret_cast<const char*>(array.data()), array.size() * sizeof(T)};
}

/// Fills in the magic and the sizes of the header, and its checksum, and writes the file.
///   header: with its version and all counts
///   wide:   is written from version 2 on
///   arrays: in the order of the file; zeros are added up to the next multiple of 32 bytes
/// Throws: Error bad_file, Error cancelled.
void write_structure(const std::filesystem::path& path, StructureHeader header, const StructureWideHeader& wide,
                     std::span<const std::span<const char>> arrays, const CancelToken& cancel);

}  // namespace copse::detail
