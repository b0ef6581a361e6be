#pragma once

#include <string>

#include "builders/grid/voxels.h"
#include "builders/io/nano_file.h"
#include "cli/options/camera_options.h"
#include "cli/session.h"

// copse build of structures other than trees of boxes: uniform grids, frustum grids, voxels, bricks, distance
// fields, octrees and DAGs of voxels, kd-trees of triangles, kd-trees of the vertices, hierarchies of boxes over
// the vertices.

namespace copse::cli {

enum class Structure { bvh, grid, frustum, voxels, bricks, distance, octree, dag, kdtree, points, point_bvh };

/// The options of such a build.
struct StructureOptions {
  Structure structure = Structure::bvh;
  std::string resolution;  // N, or XxYxZ for grids; empty: the default of the structure
  float density = 0;       // 0: the default of the grid
  float band = 0;          // of distances, in voxels; 0: the default
  VoxelRule rule = VoxelRule::touched;
  std::string slices;                   // a folder; empty for none
  NanoType nano_type = NanoType::mask;  // of a .nvdb
  NanoCodec nano_codec = NanoCodec::none;
  CameraOptions camera;  // of a frustum grid; its picture is square
};

/// Returns the name of a structure in the command line.
const char* name_of(Structure structure);

/// Adds --structure and the options of structures other than trees.
void add_structure(CLI::App& command, StructureOptions& options);

/// Throws: Error invalid_argument for options of another structure, such as those of trees with a grid.
void check_structure(const CLI::App& command, const StructureOptions& options);

/// Checks that a structure can be written: as check_output, with an ending that the structure has.
/// Throws: as check_output; the error names the endings of the structure, and the structures of the ending.
void check_structure_output(const std::string& output, Structure structure,
                            const std::vector<std::string>& inputs);

/// Builds a structure other than a tree over meshes, prints its statistics, and writes it to `output` unless that is
/// empty.
int build_structure(Session& session, const std::vector<std::string>& inputs, const std::string& output,
                    const StructureOptions& options);

}  // namespace copse::cli
