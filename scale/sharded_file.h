#pragma once

#include "builders/io/file_path.h"
#include "primitives/core/cancel_token.h"
#include "scale/sharded_build.h"

namespace copse {

// A sharded tree on the disk is a folder: a file for each rank, and manifest.json, which is written last. A folder without
// a manifest is not whole. All ranks must reach it under its name.

/// Writes the parts of a tree. Collective: each rank writes its own file. An old tree in the folder is replaced; if the
/// call fails, the folder has no manifest.
///   folder: made if it is not there. By convention its name ends in .copsed
/// Throws: Error invalid_argument if `shard` was built by another number of ranks; Error bad_file, Error out_of_memory,
/// Error cancelled: all on all ranks alike.
/// Waits: for the other ranks.
/// Memory: on the host, a copy of the triangles of this rank and 1 byte more per triangle.
COPSE_API void save_sharded(Communicator& comm, Context& context, const FilePath& folder, const ShardedBvh& shard,
                            const CancelToken& cancel = {});

/// Reads the parts of a tree, which any number of ranks have saved. Collective: if it is that of `comm`, each rank gets
/// what it had. If not, the leaves are divided anew, and rank r of R brings to a refit the triangles with ids from
/// r / R to (r + 1) / R of their number. Gathered, the tree has the same bytes for any number of ranks.
/// Throws: Error bad_file with file, value and limit, Error out_of_memory, Error cancelled: all on all ranks alike.
/// Waits: for the other ranks.
/// Memory: on the host, the files that have leaves of this rank, and 145 bytes per triangle of it.
COPSE_API ShardedBvh load_sharded(Communicator& comm, Context& context, const FilePath& folder,
                                  const CancelToken& cancel = {});

/// What the manifest of a folder says of its tree.
struct ShardedFolder {
  /// The triangles of all ranks, in the tree or left out.
  u64 source_count = 0;
  /// Where the leaves of each rank that saved it begin, [rank], and their number.
  std::vector<u64> first_slots;
  /// Bits of the Morton keys, as the options of the build said.
  u32 morton_bits = 0;
};

/// Reads the manifest of a folder, but none of its other files.
/// Throws: Error bad_file with file, value and limit; Error cancelled.
COPSE_API ShardedFolder read_sharded_folder(const FilePath& folder, const CancelToken& cancel = {});

/// Whether a folder has a manifest of a sharded tree.
COPSE_API bool holds_sharded(const FilePath& folder);

}  // namespace copse
