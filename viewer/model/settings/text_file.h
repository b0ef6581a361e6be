#pragma once

#include <filesystem>
#include <string_view>

namespace copse::viewer {

/// Writes a text to a temporary file that is renamed when complete, so that nobody reads half of it.
/// Throws: Error bad_file.
void save_text(const std::filesystem::path& file, std::string_view text);

}  // namespace copse::viewer
