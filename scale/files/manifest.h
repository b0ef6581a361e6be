#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "primitives/core/cancel_token.h"
#include "primitives/core/types.h"

namespace copse::detail {

/// The content of manifest.json. The ranks are those that saved the tree.
struct ShardManifest {
  u32 morton_bits = 0;
  u32 hploc_radius = 0;  // 0 for an LBVH
  u64 source_count = 0;
  std::vector<u64> first_ids, first_slots;  // [rank], and the end
  std::vector<u64> border_keys;             // [rank - 1]
  std::vector<u64> checksums;               // [rank]: of the files

  u32 rank_count() const { return u32(checksums.size()); }
};

/// Returns the name of the file of a rank.
std::filesystem::path shard_path(const std::filesystem::path& folder, u32 rank);
std::filesystem::path manifest_path(const std::filesystem::path& folder);

/// Throws: Error bad_file, Error cancelled.
void write_manifest(const std::filesystem::path& folder, const ShardManifest& manifest, const CancelToken& cancel);

/// Reads and checks a manifest.
/// Throws: Error bad_file with file, value and limit; Error cancelled.
ShardManifest read_manifest(const std::filesystem::path& folder, const CancelToken& cancel);

}  // namespace copse::detail
