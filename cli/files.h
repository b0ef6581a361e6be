#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace copse::cli {

// Checks of file names. They run before the long work, so that its result is not lost.

enum class InputKind { mesh, scene, structure, voxels };

/// True for "-", which stands for standard input or standard output.
bool is_standard_stream(const std::string& path);

/// Returns the kind of a file by its ending: .glb and .gltf are scenes, .copse is a structure, .voxels and .nvdb are
/// voxels, and meshes are as has_mesh_ending says. Standard input is a mesh.
/// Throws: Error bad_file if it is missing, not a regular file, or has another ending.
InputKind check_input(const std::filesystem::path& path);

/// Returns the kind of the files that a command takes as one scene. Several files must be meshes.
/// Throws: as check_input; Error bad_file if one of several is no mesh; Error invalid_argument if standard input is
/// given twice.
InputKind check_inputs(const std::vector<std::string>& paths);

/// Refuses structure files whose triangles cannot be rendered or converted: those of kd-trees and of points.
/// Throws: Error bad_file with what the file holds; also if it cannot be read.
///   use: what is asked for, as in "copse render"
void refuse_tree_file(const std::filesystem::path& path, const std::string& use);

/// As check_input and check_inputs, but refuse all but meshes.
void check_mesh_input(const std::filesystem::path& path);
void check_mesh_inputs(const std::vector<std::string>& paths);

/// mpirun gives its standard input to the first rank alone.
/// Throws: Error invalid_argument if standard input is among the files.
void refuse_standard_input(const std::vector<std::string>& paths);

/// Throws: Error invalid_argument if standard input is among the files twice.
void refuse_two_standard_inputs(const std::vector<std::string>& paths);

/// Returns true if a name ends in `ending`, in capital or small letters.
bool has_ending(const std::filesystem::path& path, const std::string& ending);

/// Checks that a mesh can be written: as check_output, with an ending that save_mesh knows.
void check_mesh_output(const std::filesystem::path& path, const std::vector<std::string>& inputs);

/// Checks that a file can be written. Throws: Error invalid_argument if the name does not end in `ending` or is
/// that of one of `inputs`; Error bad_file if the folder is missing or cannot be written to, or the name exists and is
/// not a regular file.
void check_output(const std::filesystem::path& path, const std::string& ending,
                  const std::vector<std::string>& inputs);

}  // namespace copse::cli
