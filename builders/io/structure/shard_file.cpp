#include "builders/io/shard_file.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "builders/geometry/primitive_set.h"
#include "builders/io/structure/structure_layout.h"
#include "builders/io/whole_file.h"
#include "primitives/core/check.h"

namespace copse {

namespace detail {

namespace {

using std::to_string;

constexpr char shard_magic[8] = {'C', 'O', 'P', 'S', 'D', '\r', '\n', '\x1a'};
constexpr u32 shard_version = 1;  // of an LBVH
constexpr u32 hploc_shard_version = 2;
constexpr u32 links_per_leaf = 2;

struct ShardHeader {
  char magic[8];
  u32 version;
  u32 has_masks;  // 1 or 0
  u64 file_bytes;
  u64 checksum;  // of the table of block sums
  u32 rank, rank_count;
  u64 first_slot;
  u64 triangle_count;
  u64 slot_count;
  u64 source_count;
  u64 left_out_count;
  u64 border_pair_count;  // 0 for an LBVH
  u64 zeros[5];

  bool is_hploc() const { return version == hploc_shard_version; }
};

static_assert(sizeof(ShardHeader) == 128);
static_assert(offsetof(ShardHeader, checksum) == structure_checksum_at);

/// The places of the arrays in the file. Each begins at a multiple of 32 bytes. An H-PLOC tree has links where an LBVH
/// has deltas.
struct ShardLayout {
  u64 triangles, masks, deltas, left_out, border_pairs, content_bytes, file_bytes;

  static ShardLayout of(const ShardHeader& header) {
    ShardLayout at{};
    at.triangles = sizeof(ShardHeader);
    at.masks = StructureLayout::padded(at.triangles + header.triangle_count * sizeof(PackedTriangle));
    at.deltas =
        StructureLayout::padded(at.masks + (header.has_masks != 0 ? header.triangle_count * sizeof(u32) : 0));
    const u64 leaf_bytes = header.is_hploc() ? links_per_leaf * sizeof(u32) : sizeof(u8);
    at.left_out = StructureLayout::padded(at.deltas + header.triangle_count * leaf_bytes);
    at.border_pairs = StructureLayout::padded(at.left_out + header.left_out_count * sizeof(u32));
    at.content_bytes = StructureLayout::padded(at.border_pairs + header.border_pair_count * sizeof(BorderPair));
    at.file_bytes = with_block_table(at.content_bytes);
    return at;
  }
};

/// Returns the first fault of a header, or an empty string.
std::string find_header_fault(const ShardHeader& header) {
  const auto above = [](const char* what, u64 value, u64 limit) {
    return std::string("has ") + what + " " + to_string(value) + "; it can be up to " + to_string(limit);
  };
  if (header.has_masks > 1) return above("has_masks", header.has_masks, 1);
  if (header.rank_count == 0 || header.rank >= header.rank_count)
    return "is part " + to_string(header.rank) + " of " + to_string(header.rank_count);
  if (header.source_count > max_sharded_triangles)
    return above("the number of all triangles", header.source_count, max_sharded_triangles);
  if (header.slot_count > header.source_count)
    return above("the number of all leaves", header.slot_count, header.source_count);
  if (header.first_slot > header.slot_count) return above("the first leaf", header.first_slot, header.slot_count);
  if (header.triangle_count > header.slot_count - header.first_slot)
    return above("the number of triangles", header.triangle_count, header.slot_count - header.first_slot);
  if (header.triangle_count > max_primitives)
    return above("the number of triangles", header.triangle_count, max_primitives);
  if (header.left_out_count > header.source_count - header.slot_count)
    return above("the number of triangles left out", header.left_out_count,
                 header.source_count - header.slot_count);
  const u64 max_border_pairs = header.is_hploc() ? header.triangle_count : 0;
  if (header.border_pair_count > max_border_pairs)
    return above("the number of border pairs", header.border_pair_count, max_border_pairs);
  return "";
}

/// Returns the first fault of the ids, or an empty string.
std::string find_id_fault(const ShardFile& shard) {
  const auto fault = [&](const char* what, u64 place, u32 id) {
    return std::string(what) + " " + to_string(place) + " has the id " + to_string(id) + "; it must be below " +
           to_string(shard.source_count);
  };
  for (u64 i = 0; i < shard.triangles.size(); ++i) {
    if (shard.triangles[i].primitive >= shard.source_count) return fault("leaf", i, shard.triangles[i].primitive);
  }
  for (u64 i = 0; i < shard.left_out.size(); ++i) {
    if (shard.left_out[i] >= shard.source_count) return fault("the left-out triangle", i, shard.left_out[i]);
  }
  return "";
}

ShardHeader header_of(const ShardFile& shard) {
  ShardHeader header{};
  std::copy_n(shard_magic, sizeof header.magic, header.magic);
  header.version = shard.is_hploc ? hploc_shard_version : shard_version;
  header.has_masks = shard.masks.empty() ? 0 : 1;
  header.rank = shard.rank;
  header.rank_count = shard.rank_count;
  header.first_slot = shard.first_slot;
  header.triangle_count = shard.triangles.size();
  header.slot_count = shard.slot_count;
  header.source_count = shard.source_count;
  header.left_out_count = shard.left_out.size();
  header.border_pair_count = shard.border_pairs.size();
  header.file_bytes = ShardLayout::of(header).file_bytes;
  return header;
}

template <class T>
std::span<const char> shard_bytes(const std::vector<T>& array) {
  return {reinterpret_cast<const char*>(array.data()), array.size() * sizeof(T)};
}

template <class T>
std::vector<T> array_at(const FileBytes& bytes, u64 offset, u64 count) {
  std::vector<T> array(count);
  if (count > 0) std::memcpy(array.data(), bytes.data() + offset, count * sizeof(T));
  return array;
}

ShardHeader checked_header(const std::filesystem::path& path, const FileBytes& bytes) {
  ShardHeader header{};
  if (bytes.size() >= sizeof header) std::memcpy(&header, bytes.data(), sizeof header);
  if (bytes.size() < sizeof header || std::memcmp(header.magic, shard_magic, sizeof header.magic) != 0) {
    throw_bad_file(path, "is no shard file; such a file begins with 'COPSD' and has " + to_string(sizeof header) +
                             " bytes or more");
  }
  if (header.version != shard_version && header.version != hploc_shard_version) {
    throw_bad_file(path, "has version " + to_string(header.version) + "; this Copse reads versions " +
                             to_string(shard_version) + " and " + to_string(hploc_shard_version));
  }
  const std::string fault = find_header_fault(header);
  if (!fault.empty()) throw_bad_file(path, fault);
  const u64 needed = ShardLayout::of(header).file_bytes;
  if (header.file_bytes != bytes.size() || needed != bytes.size()) {
    throw_bad_file(path, "has " + to_string(bytes.size()) + " bytes; its header promises " +
                             to_string(header.file_bytes) + ", and its counts need " + to_string(needed));
  }
  return header;
}

}  // namespace

}  // namespace detail

u64 save_shard(const FilePath& path, const ShardFile& shard, const CancelToken& cancel) {
  detail::ShardHeader header = detail::header_of(shard);
  std::string fault = detail::find_header_fault(header);
  if (fault.empty()) fault = detail::find_id_fault(shard);
  if (!fault.empty()) detail::refuse("save_shard", "the shard " + fault);
  const u64 count = shard.triangles.size();
  detail::check_same_count("save_shard", "deltas", shard.deltas.size(), "expected", shard.is_hploc ? 0 : count);
  detail::check_same_count("save_shard", "links", shard.links.size(), "expected",
                           shard.is_hploc ? detail::links_per_leaf * count : 0);
  if (!shard.masks.empty())
    detail::check_same_count("save_shard", "masks", shard.masks.size(), "triangles", count);
  char bytes[sizeof header];
  std::memcpy(bytes, &header, sizeof header);
  const detail::FileArray arrays[] = {
      detail::shard_bytes(shard.triangles), detail::shard_bytes(shard.masks),
      detail::shard_bytes(shard.deltas),    detail::shard_bytes(shard.links),
      detail::shard_bytes(shard.left_out),  detail::shard_bytes(shard.border_pairs)};
  detail::write_in_blocks(path.text(), bytes, detail::structure_checksum_at,
                          detail::StructureLayout::old_alignment, arrays, cancel);
  std::memcpy(&header, bytes, sizeof header);
  return header.checksum;
}

ShardFile load_shard(const FilePath& file_path, u64 checksum, const CancelToken& cancel) {
  const std::filesystem::path path = file_path.text();
  const detail::FileBytes bytes = detail::read_whole_file(path, cancel);
  const detail::ShardHeader header = detail::checked_header(path, bytes);
  if (header.checksum != checksum) {
    detail::throw_bad_file(path, "has the checksum " + std::to_string(header.checksum) + "; its manifest says " +
                                     std::to_string(checksum) + ": the files are not of one save");
  }
  const detail::ShardLayout at = detail::ShardLayout::of(header);
  detail::check_block_sums(path, bytes.text(), at.content_bytes, detail::structure_checksum_at, header.checksum,
                           cancel);
  using detail::array_at;
  ShardFile shard{
      header.rank, header.rank_count, header.first_slot, header.slot_count, header.source_count, {}, {}, {}, {}};
  shard.triangles = array_at<PackedTriangle>(bytes, at.triangles, header.triangle_count);
  shard.masks = array_at<u32>(bytes, at.masks, header.has_masks != 0 ? header.triangle_count : 0);
  shard.is_hploc = header.is_hploc();
  if (shard.is_hploc) {
    shard.links = array_at<u32>(bytes, at.deltas, detail::links_per_leaf * header.triangle_count);
  } else {
    shard.deltas = array_at<u8>(bytes, at.deltas, header.triangle_count);
  }
  shard.left_out = array_at<u32>(bytes, at.left_out, header.left_out_count);
  shard.border_pairs = array_at<BorderPair>(bytes, at.border_pairs, header.border_pair_count);
  const std::string fault = detail::find_id_fault(shard);
  if (!fault.empty()) detail::throw_bad_file(path, fault);
  return shard;
}

}  // namespace copse
