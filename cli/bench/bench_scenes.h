#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "builders/geometry/mesh.h"

namespace copse::cli {

/// Where the benchmark finds the meshes that it does not make.
struct SceneFiles {
  std::string folder;     // holds material-testball.ply and dream-apartment.ply; may be empty
  std::string testball;   // may be empty: from the folder, else the bundled one
  std::string apartment;  // may be empty: from the folder
};

struct BenchScene {
  std::string name;
  std::string source;     // the file or recipe it comes from
  bool interior = false;  // the camera stands in the middle of it
  std::function<Mesh()> load;
};

/// The names of all scenes, in the order of "all".
std::vector<std::string> scene_names();

/// The scenes that the words mean: names, files, or "all" for every named scene whose file is at hand; the
/// rest of them go to `left_out`.
/// Throws: Error invalid_argument, Error bad_file.
std::vector<BenchScene> choose_scenes(const std::vector<std::string>& words, const SceneFiles& files,
                                      std::vector<std::string>& left_out);

}  // namespace copse::cli
