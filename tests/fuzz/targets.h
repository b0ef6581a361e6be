#pragma once

// What the fuzzer and the test of the corpus run on any bytes. A target returns, or it ends the program.

#include <span>
#include <string>
#include <string_view>

namespace copse::fuzz {

struct Target {
  const char* name;
  void (*run)(std::string_view bytes);
};

/// The readers of meshes, of files of structures, of the viewer's settings and of arguments, and builds. There are no
/// arguments if COPSE_CLI is off.
std::span<const Target> mesh_targets();
std::span<const Target> file_targets();
std::span<const Target> settings_targets();
std::span<const Target> argument_targets();
std::span<const Target> build_targets();

/// Returns the target of a name, or null.
const Target* find_target(std::string_view name);

/// Returns the names of all targets, with spaces between them.
std::string target_names();

/// Ends the program by a signal, so that the fuzzer keeps the bytes, unless `is_right`.
void require(bool is_right, const char* what);

}  // namespace copse::fuzz
