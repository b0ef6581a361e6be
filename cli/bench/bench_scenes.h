#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "cli/session.h"

namespace copse::cli {

/// Where the benchmark finds the meshes that it does not generate.
struct SceneFiles {
  std::string folder;     // holds material-testball.ply and dream-apartment.ply; may be empty
  std::string testball;   // empty: the one in the folder, else the bundled one
  std::string apartment;  // empty: the one in the folder
};

/// An eye that looks along -z.
struct BenchView {
  vec3 eye;
  bool interior = false;  // true: the light for shadow rays is near the eye, not outside
};

struct BenchScene {
  std::string name;
  std::string source;     // the file that it comes from, or how it is generated
  bool interior = false;  // true: the camera is in the middle of it
  std::function<Mesh(Session&)> load;
  std::vector<BenchView> views;  // for --views; none: the camera alone
};

/// Returns the names of all scenes, in the order of "all".
std::vector<std::string> scene_names();

/// Returns the scenes that the words name: names, mesh files, or "all" for every named scene whose file was given
/// or is generated. The names of the others go to `left_out`. Throws: Error invalid_argument, Error bad_file.
std::vector<BenchScene> choose_scenes(const std::vector<std::string>& words, const SceneFiles& files,
                                      std::vector<std::string>& left_out);

/// Returns one scene of all mesh files. Its name is made of theirs: "spot+testball".
/// Throws: as check_mesh_inputs; Error invalid_argument for the name of a scene, or "all".
BenchScene join_files(const std::vector<std::string>& paths);

}  // namespace copse::cli
