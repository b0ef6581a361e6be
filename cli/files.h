#pragma once

#include <filesystem>
#include <string>

namespace copse::cli {

// Checks of file names, made before the long work so that it is not lost.

enum class InputKind { mesh, structure };

/// What the file is by its ending: .obj and .ply are meshes, .copse is a structure.
/// Throws: Error bad_file where it is missing, no regular file, or of another ending.
InputKind check_input(const std::filesystem::path& path);

/// As check_input, and refuses structures.
void check_mesh_input(const std::filesystem::path& path);

/// Throws: Error invalid_argument where the name does not end in `ending` or names the same file as `input`
/// (which may be empty); Error bad_file where the folder is missing or cannot be written, or the name is
/// that of something that is no regular file.
void check_output(const std::filesystem::path& path, const std::string& ending,
                  const std::filesystem::path& input);

}  // namespace copse::cli
