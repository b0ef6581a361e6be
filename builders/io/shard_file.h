#pragma once

#include <vector>

#include "builders/bvh/border_pair.h"
#include "builders/geometry/packed_triangle.h"
#include "builders/io/file_path.h"
#include "primitives/core/cancel_token.h"
#include "primitives/core/macros.h"
#include "primitives/core/types.h"

namespace copse {

/// The content of a shard file: the leaves of one part of a tree over triangles, and what its nodes follow from: for an
/// LBVH the deltas, for an H-PLOC tree the links of its nodes.
struct ShardFile {
  u32 rank = 0, rank_count = 0;           // which part of how many
  u64 first_slot = 0;                     // of its leaves in the tree over all parts
  u64 slot_count = 0;                     // of that tree
  u64 source_count = 0;                   // the triangles of all parts, in the tree or left out
  std::vector<PackedTriangle> triangles;  // in the order of the leaves. `primitive` counts through all parts
  std::vector<u32> masks;                 // as many, or none
  std::vector<u8> deltas;                 // as many: between a leaf and the next one, also of the next part
  std::vector<u32> left_out;              // triangles that are not in the tree

  /// True for an H-PLOC tree. It has no deltas.
  bool is_hploc = false;
  /// For each leaf the two links of the pair whose merge gave up its slot. They count from the first leaf of this part.
  /// invalid_id in slots of border pairs, and in slot 0 of the whole tree, which no merge gives up.
  std::vector<u32> links = {};
  /// The border pairs whose slots are in this part. Their slots and links count through all parts.
  std::vector<BorderPair> border_pairs = {};
};

/// Writes a shard file. It appears under its name when it is complete. Returns its checksum.
/// docs/guide/sharded-trees.md describes the layout.
/// Throws: Error bad_file, Error cancelled; Error invalid_argument for content that could not be loaded again.
COPSE_API u64 save_shard(const FilePath& path, const ShardFile& shard, const CancelToken& cancel = {});

/// Reads a shard file. Magic, version, checksums, sizes and every number are checked before anything is used.
///   checksum: that the file must have, as save_shard returned it
/// Throws: Error bad_file with file, value and limit; Error out_of_memory, Error cancelled.
COPSE_API ShardFile load_shard(const FilePath& path, u64 checksum, const CancelToken& cancel = {});

}  // namespace copse
