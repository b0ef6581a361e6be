#pragma once

#include <string>

#include "cli/options/scene.h"
#include "cli/session.h"

// The command build with a limit of memory, for trees that do not fit a GPU.

namespace copse::cli {

struct SlicedBuildRequest {
  std::vector<std::string> inputs;  // meshes
  std::string output;               // a .copse file, or empty
  BuildSettings settings;
  u64 memory_bytes;
};

/// Builds the tree in slices within a limit of memory, prints its statistics and writes the structure file.
/// Throws: Error invalid_argument for a builder other than lbvh and hploc, or if the limit is too low.
int build_sliced_tree(Session& session, const SlicedBuildRequest& request);

}  // namespace copse::cli
