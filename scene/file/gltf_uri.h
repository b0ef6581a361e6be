#pragma once

// URIs of the buffers of a glTF file.

#include <filesystem>
#include <optional>
#include <string>

namespace copse::detail {

/// Returns the URI without its escapes (%20). Returns none if an escape is broken or stands for a zero byte.
std::optional<std::string> without_escapes(const std::string& uri);

/// Returns the file that a URI names. It must be in the folder of the glTF file or below it.
///   path:  of the glTF file
///   where: the place of the URI in the file, for messages
/// Throws: Error bad_file.
std::filesystem::path file_of_uri(const std::filesystem::path& path, const std::string& where,
                                  const std::string& uri);

/// Returns true for a data URI that tinygltf decodes.
bool is_known_data_uri(const std::string& uri);

}  // namespace copse::detail
