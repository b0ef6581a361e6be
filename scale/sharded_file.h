#pragma once

#include "builders/io/file_path.h"
#include "primitives/core/cancel_token.h"
#include "scale/sharded_build.h"

namespace copse {

// On disk a sharded tree is a folder: a file for each rank, and manifest.json, which is written last. A folder
// without a manifest is incomplete. All ranks must reach the folder under the same path.

/// Writes the parts of a tree. Collective: each rank writes its own file. An old tree in the folder is replaced; if the
/// call fails, the folder has no manifest.
///   folder: created if it does not exist. By convention its name ends in .copsed
/// Throws: Error invalid_argument if `shard` was built by another number of ranks; Error bad_file, Error
/// out_of_memory, Error cancelled. All ranks throw the same error.
/// Waits: for the other ranks.
/// Memory: on the host, a copy of the triangles of this rank and 1 byte more per triangle, or 72 of an H-PLOC tree.
COPSE_API void save_sharded(Communicator& comm, Context& context, const FilePath& folder, const ShardedBvh& shard,
                            const CancelToken& cancel = {});

/// Reads the parts of a tree, which any number of ranks may have saved. Collective. If it is the number of ranks of
/// `comm`, each rank gets its former part. Otherwise the leaves are divided anew. Then the input of rank r of R for a
/// refit is the triangles with ids from r / R to (r + 1) / R of their number. The gathered tree has the same bytes
/// for any number of ranks.
/// Throws: Error bad_file with file, value and limit, Error capacity if a rank would get more than 2^31 triangles, Error
/// out_of_memory, Error cancelled. All ranks throw the same error.
/// Waits: for the other ranks.
/// Memory: on the host, the files that contain leaves of this rank, and 145 bytes per triangle of this rank, or 185 of an
/// H-PLOC tree.
COPSE_API ShardedBvh load_sharded(Communicator& comm, Context& context, const FilePath& folder,
                                  const CancelToken& cancel = {});

/// The content of the manifest of a folder.
struct ShardedFolder {
  /// The number of triangles of all ranks, including those left out of the tree.
  u64 source_count = 0;
  /// Where the leaves of each rank that saved the tree begin, [rank], and their number.
  std::vector<u64> first_slots;
  /// Bits of the Morton keys, as in the options of the build.
  u32 morton_bits = 0;
  /// The radius of an H-PLOC tree; 0 for an LBVH.
  u32 hploc_radius = 0;
};

/// Reads the manifest of a folder, but none of its other files.
/// Throws: Error bad_file with file, value and limit; Error cancelled.
COPSE_API ShardedFolder read_sharded_folder(const FilePath& folder, const CancelToken& cancel = {});

/// Returns true if a folder has a manifest of a sharded tree.
COPSE_API bool holds_sharded(const FilePath& folder);

}  // namespace copse
