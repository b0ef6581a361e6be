#include "cli/files.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <optional>

#include "builders/io/mesh_file.h"
#include "builders/io/tree_file.h"
#include "primitives/core/error.h"

namespace copse::cli {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail(ErrorCode code, const fs::path& path, const std::string& problem) {
  throw Error(code, fmt::format("'{}': {}", path.string(), problem));
}

std::string lower_case_ending(const fs::path& path) {
  std::string ending = path.extension().string();
  for (char& c : ending) c = char(std::tolower(static_cast<unsigned char>(c)));
  return ending;
}

void check_readable(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) fail(ErrorCode::bad_file, path, "no such file");
  if (status.type() == fs::file_type::none) fail(ErrorCode::bad_file, path, error.message());
  if (fs::is_directory(status)) fail(ErrorCode::bad_file, path, "this is a folder, not a file");
  if (::access(path.c_str(), R_OK) != 0) fail(ErrorCode::bad_file, path, std::strerror(errno));
}

/// Throws: Error bad_file unless the kind is a mesh.
///   wish: what is asked for, as in "a mesh is wanted"
void refuse_all_but_meshes(InputKind kind, const fs::path& path, const std::string& wish) {
  if (kind == InputKind::mesh) return;
  fail(ErrorCode::bad_file, path,
       fmt::format("this is a file of {}, but {}",
                   kind == InputKind::voxels  ? "voxels"
                   : kind == InputKind::scene ? "a scene"
                                              : "a structure",
                   wish));
}

}  // namespace

bool is_standard_stream(const std::string& path) {
  return path == "-";
}

InputKind check_input(const fs::path& path) {
  if (is_standard_stream(path)) return InputKind::mesh;
  check_readable(path);
  const std::string ending = lower_case_ending(path);
  if (ending == ".copse") return InputKind::structure;
  if (has_mesh_ending(path)) return InputKind::mesh;
  if (ending == ".glb" || ending == ".gltf") return InputKind::scene;
  if (ending == ".voxels" || ending == ".nvdb") return InputKind::voxels;
  const std::string found = ending.empty() ? "the name has no ending" : fmt::format("unknown ending '{}'", ending);
  fail(ErrorCode::bad_file, path,
       fmt::format(
           "{}; meshes end in {}, scenes in .glb or .gltf, structures in .copse, voxels in .voxels or .nvdb",
           found, mesh_endings));
}

InputKind check_inputs(const std::vector<std::string>& paths) {
  if (paths.size() == 1) return check_input(paths[0]);
  for (const std::string& path : paths) {
    refuse_all_but_meshes(check_input(path), path,
                          fmt::format("several files must all be meshes ({})", mesh_endings));
  }
  refuse_two_standard_inputs(paths);
  return InputKind::mesh;
}

void refuse_tree_file(const fs::path& path, const std::string& use) {
  const std::optional<TreeKind> kind = tree_kind(path);
  if (!kind) return;
  fail(ErrorCode::bad_file, path,
       fmt::format("this file holds {}; {} takes a .copse file of an Accel or of a tree of boxes over triangles",
                   *kind == TreeKind::kd_tree     ? "a kd-tree of points"
                   : *kind == TreeKind::point_bvh ? "a tree of boxes over points"
                                                  : "a kd-tree of triangles",
                   use));
}

void check_mesh_input(const fs::path& path) {
  refuse_all_but_meshes(check_input(path), path, fmt::format("a mesh ({}) is wanted", mesh_endings));
}

void check_mesh_inputs(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) check_mesh_input(path);
  refuse_two_standard_inputs(paths);
}

void refuse_standard_input(const std::vector<std::string>& paths) {
  if (std::any_of(paths.begin(), paths.end(), is_standard_stream)) {
    throw Error(ErrorCode::invalid_argument,
                "'-': mpirun gives its standard input to one rank alone; name a file");
  }
}

void refuse_two_standard_inputs(const std::vector<std::string>& paths) {
  const auto count = std::count_if(paths.begin(), paths.end(), is_standard_stream);
  if (count <= 1) return;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("- stands for standard input, which can be read once; it is given {} times", count));
}

bool has_ending(const fs::path& path, const std::string& ending) {
  return lower_case_ending(path) == ending;
}

void check_mesh_output(const fs::path& path, const std::vector<std::string>& inputs) {
  if (!has_mesh_ending(path)) {
    fail(ErrorCode::invalid_argument, path,
         fmt::format("the output file must end in {}, with or without .gz", mesh_endings));
  }
  check_output(path, lower_case_ending(path), inputs);
}

void check_output(const fs::path& path, const std::string& ending, const std::vector<std::string>& inputs) {
  if (lower_case_ending(path) != ending) {
    fail(ErrorCode::invalid_argument, path, fmt::format("the output file must end in {}", ending));
  }
  std::error_code error;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  const fs::file_status folder_status = fs::status(folder, error);
  if (!fs::exists(folder_status)) fail(ErrorCode::bad_file, path, "the folder of the output file does not exist");
  if (!fs::is_directory(folder_status)) {
    fail(ErrorCode::bad_file, path, fmt::format("'{}' is a file, not a folder", folder.string()));
  }
  if (::access(folder.c_str(), W_OK) != 0) {
    fail(ErrorCode::bad_file, path, fmt::format("the folder cannot be written to: {}", std::strerror(errno)));
  }
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) return;
  if (fs::is_directory(status)) fail(ErrorCode::bad_file, path, "this is a folder, not a file");
  if (!fs::is_regular_file(status)) fail(ErrorCode::bad_file, path, "this is not a regular file");
  for (const std::string& input : inputs) {
    if (is_standard_stream(input) || !fs::equivalent(path, input, error)) continue;
    fail(ErrorCode::invalid_argument, path, "input and output are the same file");
  }
}

}  // namespace copse::cli
