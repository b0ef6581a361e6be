#include "cli/files.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <cstring>

#include "builders/io/mesh_file.h"
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
  fail(ErrorCode::bad_file, path,
       fmt::format(
           "unknown ending '{}'; meshes end in {}, scenes in .glb or .gltf, structures in .copse, voxels in "
           ".voxels or .nvdb",
           ending, mesh_endings));
}

void check_mesh_input(const fs::path& path) {
  const InputKind kind = check_input(path);
  if (kind == InputKind::mesh) return;
  fail(ErrorCode::bad_file, path,
       fmt::format("this is a file of {}, but a mesh ({}) is wanted",
                   kind == InputKind::voxels  ? "voxels"
                   : kind == InputKind::scene ? "a scene"
                                              : "a structure",
                   mesh_endings));
}

bool has_ending(const fs::path& path, const std::string& ending) {
  return lower_case_ending(path) == ending;
}

void check_mesh_output(const fs::path& path, const fs::path& input) {
  if (!has_mesh_ending(path) || has_ending(path, ".gz")) {
    fail(ErrorCode::invalid_argument, path, fmt::format("the output file must end in {}", mesh_endings));
  }
  check_output(path, lower_case_ending(path), input);
}

void check_output(const fs::path& path, const std::string& ending, const fs::path& input) {
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
  if (!input.empty() && fs::equivalent(path, input, error)) {
    fail(ErrorCode::invalid_argument, path, "input and output are the same file");
  }
}

}  // namespace copse::cli
