#pragma once

#include <filesystem>

#include "builders/io/whole_file.h"

namespace copse::detail {

/// Proves that every vertex and face line of an OBJ text is one that tinyobjloader reads right, since that
/// turns malformed numbers into 0 and lets indices past the end through. Makes the text plain on the way:
/// joins lines that end in a backslash and blanks out comments behind values and the byte order mark.
/// Throws: Error bad_file with file, line, value and limit.
void check_obj(const std::filesystem::path& path, FileBytes& bytes);

}  // namespace copse::detail
