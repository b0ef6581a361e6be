#pragma once

// The checks before tinygltf, which does not check most values: it cuts integers of 64 bits to 32, takes its default
// for a value of the wrong type, and recurses for every level of nested JSON.

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "primitives/core/types.h"

namespace copse::detail {

/// The buffers of a glTF file that are in separate files.
struct GltfOutline {
  struct ExternalBuffer {
    std::filesystem::path file;  // below the folder of the glTF file
    u64 bytes = 0;
  };

  /// The key is the name under which tinygltf asks for the file.
  std::map<std::string, ExternalBuffer> external_buffers;
};

/// Checks the JSON of a glTF file: that it is JSON, of no more than 64 levels; the version; the type and range of each
/// number that Copse uses; the place of each buffer; and that it needs no extension that Copse does not read.
///   path:         of the file, for messages and for its folder
///   binary_bytes: of the binary chunk of a .glb file; 0 for none
///   max_bytes:    of all buffers
/// Throws: Error bad_file.
GltfOutline outline_of(const std::filesystem::path& path, std::string_view json, u64 binary_bytes, u64 max_bytes);

}  // namespace copse::detail
