#pragma once

#include <string>

#include "accel/accel.h"
#include "cli/commands/info_trees.h"
#include "cli/commands/turntable.h"
#include "cli/options/camera_options.h"
#include "cli/session.h"
#include "trace/shade.h"

// The commands info, build and render for scene files (.glb, .gltf).

namespace copse::cli {

/// What the commands take about a scene file alone.
struct SceneChoice {
  u32 scene = default_scene;
  float opening = 1;  // see SceneOptions
};

/// Adds --scene.
void add_scene_choice(CLI::App& command, u32& scene);
/// Adds --opening.
void add_opening(CLI::App& command, float& opening);
/// Throws: Error invalid_argument if --scene or --opening is given, for an input that is no scene file.
void refuse_scene_choice(const SceneChoice& choice);

/// Describes the file.
FileReport describe_scene(Session& session, const std::string& input, u32 scene);

/// Builds an Accel per mesh and the tree over the instances, and prints their statistics and times.
int build_scene(Session& session, const std::string& input, const SceneChoice& choice, const AccelOptions& accels);

struct SceneToRender {
  std::string input, output;  // a scene file, a .png file
  SceneChoice choice;
  AccelOptions accels;
  CameraOptions camera;
  RenderOptions render;
  std::string shading;  // its name
  u32 frames;           // of a turn; 0: a single picture
};

/// Builds the scene and writes pictures of it.
int render_scene(Session& session, const SceneToRender& wanted, PictureFiles& files);

}  // namespace copse::cli
