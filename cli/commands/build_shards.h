#pragma once

#include <string>
#include <vector>

#include "cli/options/scene.h"
#include "cli/session.h"

// The command build with several GPUs, or under mpirun: one tree, whose parts are on them, and a folder of its parts.

namespace copse::cli {

struct ShardedBuildRequest {
  std::vector<std::string> inputs;  // meshes
  std::string output;               // a .copsed folder, or empty
  BuildSettings settings;
  u32 gpus;  // 0 if the processes of mpirun are the ranks
};

/// Builds the parts of the tree, prints what each rank has and writes the folder.
/// Throws: Error invalid_argument for a builder other than lbvh and hploc, or an output that is no .copsed folder.
int build_sharded_tree(Session& session, const ShardedBuildRequest& request);

}  // namespace copse::cli
