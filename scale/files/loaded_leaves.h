#pragma once

// The leaves that a rank reads from the files of a sharded tree, and the tree over them.

#include <filesystem>
#include <optional>
#include <vector>

#include "builders/bvh/bvh.h"
#include "builders/io/shard_file.h"
#include "scale/files/linked_part.h"

namespace copse::detail {

struct LoadedLeaves {
  std::vector<PackedTriangle> triangles;
  std::vector<u32> masks, left_out;
  std::vector<u8> deltas;         // of an LBVH
  std::vector<LinkedPair> links;  // of an H-PLOC tree, through all parts

  /// Adds the leaves of a file between two slots of the whole tree.
  ///   path:      of the file, for messages
  ///   has_masks: true if any file has masks. In files without, all bits are set
  /// Throws: Error bad_file.
  void add(const std::filesystem::path& path, const ShardFile& file, u64 begin, u64 end, bool has_masks);

 private:
  void add_links(const std::filesystem::path& path, const ShardFile& file, u64 first, u64 last);
};

/// Throws Error bad_file unless the deltas are those of an LBVH. Between two equal deltas there must be a lower one,
/// because a node splits at one place.
///   path:  of the file or folder, for messages
///   first: slot of the first leaf
void check_deltas(const std::filesystem::path& path, const std::vector<u8>& deltas, u64 first);

/// Returns the tree over some leaves, in the memory of `context`. Its ids are places of the leaves.
///   part: of an H-PLOC tree; null for an LBVH, which follows from the deltas
Bvh tree_over(Context& host, Context& context, const LoadedLeaves& leaves, const LinkedPart* part);

}  // namespace copse::detail
