#pragma once

#include <string>

#include "builders/grid/voxels.h"
#include "cli/options/camera_options.h"
#include "cli/session.h"

// copse build of what is no tree: uniform grids, frustum grids, voxels, bricks.

namespace copse::cli {

enum class Structure { bvh, grid, frustum, voxels, bricks };

/// What the options of such a build say.
struct StructureOptions {
  Structure structure = Structure::bvh;
  std::string resolution;  // N, or XxYxZ for grids; empty: the structure's own
  float density = 0;       // 0: the grid's own
  VoxelRule rule = VoxelRule::touched;
  std::string slices;    // a folder; empty for none
  CameraOptions camera;  // of a frustum grid, of an image as wide as high
};

/// --structure and what goes with it.
void add_structure(CLI::App& command, StructureOptions& options);

/// Throws for options that do not go with the structure: of trees with a grid, of grids with voxels, a camera with
/// either. Throws: Error invalid_argument.
void check_structure(const CLI::App& command, const StructureOptions& options);

/// Builds a structure that is no tree, prints its measures, and writes it to `output`, which may be empty.
int build_structure(Session& session, const std::string& input, const std::string& output,
                    const StructureOptions& options);

}  // namespace copse::cli
