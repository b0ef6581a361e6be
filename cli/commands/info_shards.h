#pragma once

#include "builders/geometry/mesh.h"
#include "cli/commands/info_trees.h"
#include "copse/shards.h"

namespace copse::cli {

/// Returns the triangles of a tree that is on one rank, by their ids, each with three vertices of its own. Those left out
/// of the tree have no position.
/// Throws: Error capacity past 2^32 - 1 vertices.
Mesh mesh_of(const ShardedBvh& shard);

/// Describes the folder of a sharded tree. With --validate it reads all files and checks the whole tree.
FileReport describe_shards(Session& session, const InfoOptions& options);

}  // namespace copse::cli
