// Sharded trees as folders. A file contains triangles, and deltas or links, but no boxes: the nodes of an LBVH follow from
// its deltas, and those of an H-PLOC tree from its links. So any range of the leaves can become the tree of a rank.

#include "scale/sharded_file.h"

#include <algorithm>
#include <string>
#include <system_error>

#include "builders/bvh/build/bvh_arrays.h"
#include "builders/io/shard_file.h"
#include "builders/io/whole_file.h"
#include "scale/files/loaded_leaves.h"
#include "scale/files/manifest.h"
#include "scale/shards/gather_lists.h"
#include "scale/shards/shard_view.h"

namespace copse {

namespace {

namespace fs = std::filesystem;
using detail::BvhAccess;
using detail::LeftCluster;
using detail::LinkedPart;
using detail::LoadedLeaves;
using detail::ShardManifest;

// ---- Saving -------------------------------------------------------------------------------------------------------

std::vector<u8> deltas_of(u32 rank, const ShardedBvh& shard) {
  const u64 count = shard.triangles.triangles.size();
  std::vector<u8> deltas(count);
  if (count == 0) return deltas;
  const std::vector<u32> words = BvhAccess::deltas(shard.tree).words.download();
  const auto* const bytes = reinterpret_cast<const u8*>(words.data() + 2);
  std::copy_n(bytes, count - 1, deltas.begin());
  deltas.back() = rank < shard.border_deltas.size() ? shard.border_deltas[rank] : u8{0};
  return deltas;
}

/// Stores the links of a rank's tree, except where border pairs stand in the whole tree, and the border pairs of its slots.
void add_links(const ShardedBvh& shard, ShardFile& file) {
  const u64 count = shard.triangles.triangles.size();
  file.links.assign(2 * count, invalid_id);
  if (count == 0) return;
  const std::vector<BvhNode> nodes = shard.tree.nodes.download(2 * count - 1);
  for (u64 place = 1; place < nodes.size(); ++place) {
    const BvhNode& node = nodes[place];
    file.links[place + 1] = node.is_leaf() ? u32(link_to_leaf(node.first)) : node.first;
  }
  for (const BorderPair& pair : shard.border_pairs) {
    const u64 k = pair.slot - file.first_slot;
    if (pair.slot < file.first_slot || k >= count) continue;
    file.links[2 * k] = file.links[2 * k + 1] = invalid_id;
    file.border_pairs.push_back(pair);
  }
}

/// Returns the content of a rank's file.
ShardFile content_of(u32 rank, const ShardedBvh& shard) {
  ShardFile file;
  file.rank = rank;
  file.rank_count = u32(shard.first_slots.size() - 1);
  file.first_slot = shard.first_slots[rank];
  file.slot_count = shard.first_slots.back();
  file.source_count = shard.source_count;
  file.triangles = shard.triangles.triangles.download();
  file.masks = shard.triangles.masks.download();
  file.left_out = shard.left_out.download();
  file.is_hploc = shard.hploc_radius > 0;
  if (file.is_hploc) {
    add_links(shard, file);
  } else {
    file.deltas = deltas_of(rank, shard);
  }
  return file;
}

/// Creates the folder, and removes an old manifest: until the new one is written, the files belong to no tree.
void open_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error || !fs::is_directory(folder, error))
    detail::throw_bad_file(folder, "cannot be made: " + error.message());
  fs::remove(detail::manifest_path(folder), error);
  if (error) detail::throw_bad_file(detail::manifest_path(folder), "cannot be removed: " + error.message());
}

/// Removes the files of higher ranks, which an older tree has left.
void remove_older_shards(const fs::path& folder, u32 rank_count) {
  std::error_code error;
  for (u32 rank = rank_count; fs::remove(detail::shard_path(folder, rank), error); ++rank) {
  }
}

// ---- Loading ------------------------------------------------------------------------------------------------------

/// Reads the part of a rank.
class ShardLoad {
 public:
  ShardLoad(Communicator& comm, Context& context, const FilePath& folder, const CancelToken& cancel)
      : comm_(comm), context_(context), folder_(folder.text()), cancel_(cancel) {}

  ShardedBvh run() {
    bool has_masks = false;
    comm_.agree([&] {
      manifest_ = detail::read_manifest(folder_, cancel_);
      divide();
      detail::check_primitive_count(end_slot() - first_slot());
      read_files();
      for (const ShardFile& file : files_) has_masks = has_masks || !file.masks.empty();
    });
    const std::vector<u8> any_masks = comm_.all_gather(u8(has_masks));
    has_masks = std::find(any_masks.begin(), any_masks.end(), 1) != any_masks.end();
    comm_.agree([&] { make_shard(has_masks); });
    if (is_hploc()) {
      join_parts();
    } else {
      tell_border_deltas();
    }
    return std::move(shard_);
  }

 private:
  /// Gives each rank a range of the leaves and of the ids.
  void divide() {
    shard_.source_count = manifest_.source_count;
    shard_.morton_bits = manifest_.morton_bits;
    shard_.hploc_radius = manifest_.hploc_radius;
    if (comm_.size() == manifest_.rank_count()) {
      shard_.first_slots = manifest_.first_slots;
      shard_.first_ids = manifest_.first_ids;
      shard_.border_keys = manifest_.border_keys;
      return;
    }
    for (u64 rank = 0; rank <= comm_.size(); ++rank) {
      shard_.first_slots.push_back(manifest_.first_slots.back() * rank / comm_.size());
      shard_.first_ids.push_back(manifest_.source_count * rank / comm_.size());
    }
  }

  bool is_hploc() const { return manifest_.hploc_radius > 0; }
  u64 first_slot() const { return shard_.first_slots[comm_.rank()]; }
  u64 end_slot() const { return shard_.first_slots[comm_.rank() + 1]; }

  /// True if this rank gets the left-out triangles of a file. All are kept, in their order.
  bool gets_left_out_of(u32 file) const {
    return u64{file} * comm_.size() / manifest_.rank_count() == comm_.rank();
  }

  void read_files() {
    for (u32 file = 0; file < manifest_.rank_count(); ++file) {
      const bool has_leaves =
          manifest_.first_slots[file] < end_slot() && manifest_.first_slots[file + 1] > first_slot();
      if (!has_leaves && !gets_left_out_of(file)) continue;
      const fs::path path = detail::shard_path(folder_, file);
      files_.push_back(load_shard(path, manifest_.checksums[file], cancel_));
      check_place(path, files_.back(), file);
    }
  }

  /// Throws if a file does not match the manifest.
  void check_place(const fs::path& path, const ShardFile& file, u32 rank) const {
    const u64 count = manifest_.first_slots[rank + 1] - manifest_.first_slots[rank];
    const bool fits = file.rank == rank && file.rank_count == manifest_.rank_count() &&
                      file.first_slot == manifest_.first_slots[rank] && file.triangles.size() == count &&
                      file.slot_count == manifest_.first_slots.back() &&
                      file.source_count == manifest_.source_count && file.is_hploc == is_hploc();
    if (fits) return;
    detail::throw_bad_file(path, "is part " + std::to_string(file.rank) + " of " +
                                     std::to_string(file.rank_count) + " with " +
                                     std::to_string(file.triangles.size()) + " leaves; the manifest says part " +
                                     std::to_string(rank) + " of " + std::to_string(manifest_.rank_count()) +
                                     " with " + std::to_string(count));
  }

  void make_shard(bool has_masks) {
    LoadedLeaves leaves;
    for (const ShardFile& file : files_) {
      leaves.add(detail::shard_path(folder_, file.rank), file, first_slot(), end_slot(), has_masks);
      if (gets_left_out_of(file.rank))
        leaves.left_out.insert(leaves.left_out.end(), file.left_out.begin(), file.left_out.end());
    }
    files_.clear();
    detail::check_deltas(folder_, leaves.deltas, first_slot());
    last_delta_ = leaves.deltas.empty() ? u8{0} : leaves.deltas.back();
    std::optional<LinkedPart> part;
    if (is_hploc()) part.emplace(folder_, first_slot(), std::move(leaves.links), manifest_.first_slots.back());
    Context host({.backend = Backend::cpu});
    shard_.tree = detail::tree_over(context_.backend() == Backend::cpu ? context_ : host, context_, leaves,
                                    part ? &*part : nullptr);
    if (part) left_ = Buffer<LeftCluster>(context_, part->left());
    shard_.triangles.triangles = Buffer<PackedTriangle>(context_, leaves.triangles);
    shard_.triangles.masks = Buffer<u32>(context_, leaves.masks);
    shard_.triangles.tree_ids = shard_.tree.primitive_ids.data();
    shard_.left_out = Buffer<u32>(context_, leaves.left_out);
  }

  /// Finds the border pairs of an H-PLOC tree from the clusters that are left of the parts.
  void join_parts() {
    const auto left = detail::gather_lists(comm_, context_, left_, left_.size());
    comm_.agree([&] { shard_.border_pairs = detail::join_left_clusters(folder_, left.elements); });
  }

  /// Stores the deltas at the borders: each is the last delta of the last rank before the border that has leaves.
  void tell_border_deltas() {
    const std::vector<u8> last = comm_.all_gather(last_delta_);
    const std::vector<u64>& first = shard_.first_slots;
    for (u32 rank = 0; rank + 1 < comm_.size(); ++rank) {
      const u64 border = first[rank + 1];
      u32 before = rank;
      while (before > 0 && first[before] == border) --before;
      shard_.border_deltas.push_back(border > 0 && border < first.back() ? last[before] : u8{0});
    }
  }

  Communicator& comm_;
  Context& context_;
  fs::path folder_;
  const CancelToken& cancel_;
  ShardManifest manifest_;
  std::vector<ShardFile> files_;
  ShardedBvh shard_;
  u8 last_delta_ = 0;
  Buffer<LeftCluster> left_;
};

}  // namespace

void save_sharded(Communicator& comm, Context& context, const FilePath& folder_path, const ShardedBvh& shard,
                  const CancelToken& cancel) {
  const fs::path folder = folder_path.text();
  comm.agree([&] {
    detail::check_ranks("save_sharded", comm, shard);
    if (comm.rank() == 0) open_folder(folder);
  });
  u64 checksum = 0;
  comm.agree([&] {
    context.wait();
    checksum = save_shard(detail::shard_path(folder, comm.rank()), content_of(comm.rank(), shard), cancel);
  });
  const std::vector<u64> checksums = comm.all_gather(checksum);
  comm.agree([&] {
    if (comm.rank() > 0) return;
    remove_older_shards(folder, comm.size());
    detail::write_manifest(folder,
                           {shard.morton_bits, shard.hploc_radius, shard.source_count, shard.first_ids,
                            shard.first_slots, shard.border_keys, checksums},
                           cancel);
  });
}

ShardedBvh load_sharded(Communicator& comm, Context& context, const FilePath& folder, const CancelToken& cancel) {
  return ShardLoad(comm, context, folder, cancel).run();
}

ShardedFolder read_sharded_folder(const FilePath& folder, const CancelToken& cancel) {
  const ShardManifest manifest = detail::read_manifest(folder.text(), cancel);
  return {manifest.source_count, manifest.first_slots, manifest.morton_bits, manifest.hploc_radius};
}

bool holds_sharded(const FilePath& folder) {
  std::error_code error;
  return fs::exists(detail::manifest_path(folder.text()), error);
}

}  // namespace copse
