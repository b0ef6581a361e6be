#pragma once

#include <string>

#include "builders/io/tree_file.h"
#include "builders/validation_report.h"
#include "cli/session.h"

// copse info of files with kd-trees, trees of points, and voxels.

namespace copse::cli {

struct InfoOptions {
  std::string input;  // one of the files
  bool validate = false;
  bool epo = false;
  u32 scene = ~u32{0};  // of a scene file; see add_scene_choice
};

/// The counts of all faults, by name.
Json to_json(const ValidationReport& report);

/// What copse info says about a file.
struct FileReport {
  Json json;
  std::string text;
  bool is_valid = true;  // false if --validate found a fault
};

/// Describes such a file, and validates it if that is asked for.
FileReport describe_tree_file(Session& session, const InfoOptions& options, TreeKind kind);

/// Describes a file of voxels: dense, in bricks, as an octree or as a DAG, or of NanoVDB.
FileReport describe_voxel_file(Session& session, const InfoOptions& options);

/// Refuses --validate and --epo, which are for structures.
///   kind: of the file, such as "a mesh"
void refuse_structure_options(const InfoOptions& options, const char* kind);

}  // namespace copse::cli
