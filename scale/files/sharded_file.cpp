// Sharded trees as folders. A file contains only triangles and deltas: the nodes of an LBVH follow from its deltas,
// so that any range of the leaves can become the tree of a rank.

#include "scale/sharded_file.h"

#include <algorithm>
#include <string>
#include <system_error>

#include "builders/bvh/build/bvh_arrays.h"
#include "builders/io/shard_file.h"
#include "builders/io/whole_file.h"
#include "scale/files/manifest.h"
#include "scale/shards/shard_view.h"
#include "scale/slices/join_slices.h"

namespace copse {

namespace {

namespace fs = std::filesystem;
using detail::BvhAccess;
using detail::ShardManifest;

// ---- Saving -------------------------------------------------------------------------------------------------------

/// Returns the content of a rank's file.
ShardFile content_of(u32 rank, const ShardedBvh& shard) {
  const u64 count = shard.triangles.triangles.size();
  ShardFile file{rank,
                 u32(shard.first_slots.size() - 1),
                 shard.first_slots[rank],
                 shard.first_slots.back(),
                 shard.source_count,
                 {},
                 {},
                 std::vector<u8>(count),
                 {}};
  file.triangles = shard.triangles.triangles.download();
  file.masks = shard.triangles.masks.download();
  file.left_out = shard.left_out.download();
  if (count > 0) {
    const std::vector<u32> words = BvhAccess::deltas(shard.tree).words.download();
    const auto* const deltas = reinterpret_cast<const u8*>(words.data() + 2);
    std::copy_n(deltas, count - 1, file.deltas.begin());
    file.deltas.back() = rank < shard.border_deltas.size() ? shard.border_deltas[rank] : u8{0};
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

/// The leaves that a rank reads from the files.
struct LoadedLeaves {
  std::vector<PackedTriangle> triangles;
  std::vector<u32> masks, left_out;
  std::vector<u8> deltas;

  /// Adds the leaves of a file between two slots of the whole tree.
  ///   has_masks: true if any file has masks. In files without, all bits are set
  void add(const ShardFile& file, u64 begin, u64 end, bool has_masks) {
    const i64 first = i64(std::max(begin, file.first_slot) - file.first_slot);
    const i64 last = i64(std::min(end, file.first_slot + file.triangles.size()) - file.first_slot);
    if (first >= last) return;
    triangles.insert(triangles.end(), file.triangles.begin() + first, file.triangles.begin() + last);
    deltas.insert(deltas.end(), file.deltas.begin() + first, file.deltas.begin() + last);
    if (!has_masks) return;
    if (file.masks.empty()) {
      masks.resize(triangles.size(), ~u32{0});
    } else {
      masks.insert(masks.end(), file.masks.begin() + first, file.masks.begin() + last);
    }
  }
};

/// Throws unless the deltas are those of an LBVH. Between two equal deltas there must be a lower one, because a node
/// splits at one place.
///   path:  of the file or folder, for messages
///   first: slot of the first leaf
void check_deltas(const fs::path& path, const std::vector<u8>& deltas, u64 first) {
  constexpr u8 max_delta = 96;
  std::vector<u8> open;                                // in ascending order
  for (u64 gap = 0; gap + 1 < deltas.size(); ++gap) {  // the last one is behind the last leaf
    while (!open.empty() && open.back() > deltas[gap]) open.pop_back();
    const bool is_twice = !open.empty() && open.back() == deltas[gap];
    if (is_twice || deltas[gap] > max_delta) {
      detail::throw_bad_file(path, "has the delta " + std::to_string(deltas[gap]) + " behind leaf " +
                                       std::to_string(first + gap) +
                                       (is_twice ? ", and the same one before it" : "; it can be up to 96"));
    }
    open.push_back(deltas[gap]);
  }
}

/// Returns the tree over some leaves, in the memory of `context`. Its ids are places of the leaves.
Bvh tree_over(Context& host, Context& context, const LoadedLeaves& leaves) {
  const u64 count = leaves.triangles.size();
  Bvh tree = make_bvh(host, count);
  const detail::BvhArrays arrays = detail::arrays_of(tree);
  detail::store_counts(arrays, u32(count), u32(count), u32(count));
  std::copy(leaves.deltas.begin(), leaves.deltas.end(), arrays.deltas);
  if (count > 0) {
    std::vector<Aabb> boxes(count);
    for (u64 slot = 0; slot < count; ++slot) {
      boxes[slot] = bounds(leaves.triangles[slot].triangle());
      arrays.primitive_ids[slot] = u32(slot);
    }
    detail::join_leaves(boxes, arrays);
    detail::store_has_deltas(arrays, 0);
  }
  Bvh result = context.backend() == Backend::cpu ? std::move(tree) : make_bvh(context, count);
  result.source_count = count;
  result.max_leaf_size = 1;
  BvhAccess::deltas(result).may_refit = true;
  if (context.backend() == Backend::cpu) return result;
  result.nodes.upload(tree.nodes.download());
  result.parents.upload(tree.parents.download());
  result.primitive_ids.upload(tree.primitive_ids.download());
  result.counts.upload(tree.counts.download());
  BvhAccess::deltas(result).words.upload(BvhAccess::deltas(tree).words.download());
  return result;
}

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
      read_files();
      for (const ShardFile& file : files_) has_masks = has_masks || !file.masks.empty();
    });
    const std::vector<u8> any_masks = comm_.all_gather(u8(has_masks));
    has_masks = std::find(any_masks.begin(), any_masks.end(), 1) != any_masks.end();
    comm_.agree([&] { make_shard(has_masks); });
    tell_border_deltas();
    return std::move(shard_);
  }

 private:
  /// Gives each rank a range of the leaves and of the ids.
  void divide() {
    shard_.source_count = manifest_.source_count;
    shard_.morton_bits = manifest_.morton_bits;
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
                      file.source_count == manifest_.source_count;
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
      leaves.add(file, first_slot(), end_slot(), has_masks);
      if (gets_left_out_of(file.rank))
        leaves.left_out.insert(leaves.left_out.end(), file.left_out.begin(), file.left_out.end());
    }
    files_.clear();
    check_deltas(folder_, leaves.deltas, first_slot());
    last_delta_ = leaves.deltas.empty() ? u8{0} : leaves.deltas.back();
    Context host({.backend = Backend::cpu});
    shard_.tree = tree_over(context_.backend() == Backend::cpu ? context_ : host, context_, leaves);
    shard_.triangles.triangles = Buffer<PackedTriangle>(context_, leaves.triangles);
    shard_.triangles.masks = Buffer<u32>(context_, leaves.masks);
    shard_.triangles.tree_ids = shard_.tree.primitive_ids.data();
    shard_.left_out = Buffer<u32>(context_, leaves.left_out);
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
    detail::write_manifest(
        folder,
        {shard.morton_bits, shard.source_count, shard.first_ids, shard.first_slots, shard.border_keys, checksums},
        cancel);
  });
}

ShardedBvh load_sharded(Communicator& comm, Context& context, const FilePath& folder, const CancelToken& cancel) {
  return ShardLoad(comm, context, folder, cancel).run();
}

ShardedFolder read_sharded_folder(const FilePath& folder, const CancelToken& cancel) {
  const ShardManifest manifest = detail::read_manifest(folder.text(), cancel);
  return {manifest.source_count, manifest.first_slots, manifest.morton_bits};
}

bool holds_sharded(const FilePath& folder) {
  std::error_code error;
  return fs::exists(detail::manifest_path(folder.text()), error);
}

}  // namespace copse
