#include "builders/io/structure/structure_reader.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string_view>
#include <utility>

#include "builders/io/structure/packed_check.h"
#include "primitives/core/counted.h"

namespace copse::detail {

namespace {

constexpr u64 max_vertices = u64{1} << 32;

}  // namespace

StructureReader::StructureReader(const std::filesystem::path& path, std::span<const char> bytes, FileCheck check,
                                 const CancelToken& cancel)
    : path_(path), bytes_(bytes) {
  check_header();
  check_size();
  if (check == FileCheck::sizes) return;
  check_checksum(cancel);
  if (check == FileCheck::damage) return;
  check_padding();
  const std::string fault = holds_accel() ? find_accel_fault() : find_fault();
  if (!fault.empty()) fail(fault);
}

void StructureReader::check_header() {
  // An empty file has no address.
  if (!bytes_.empty()) std::memcpy(&header_, bytes_.data(), std::min<u64>(bytes_.size(), sizeof header_));
  const std::string_view magic(structure_magic, sizeof header_.magic);
  const std::string_view begin(bytes_.data(), std::min(bytes_.size(), magic.size()));
  if (begin != magic) fail("begins with " + in_quotes(begin) + ", not with 'COPSE'");
  if (bytes_.size() < sizeof header_) {
    fail("has " + counted(bytes_.size(), "bytes") + "; the header alone needs " + std::to_string(sizeof header_));
  }
  if (header_.version == 0 || header_.version > structure_version) {
    fail("has version " + std::to_string(header_.version) + "; this Copse reads versions 1 to " +
         std::to_string(structure_version));
  }
  const u64 header_bytes = sizeof header_ + (header_.version > 1 ? sizeof wide_ : 0);
  if (header_.header_bytes != header_bytes || bytes_.size() < header_bytes) {
    fail("has a header of " + counted(header_.header_bytes, "bytes") + ", not " + std::to_string(header_bytes));
  }
  if (header_.version > 1) check_wide_header();
  if (header_.file_bytes != bytes_.size()) {
    fail("has " + counted(bytes_.size(), "bytes") + "; its header promises " + std::to_string(header_.file_bytes));
  }
}

void StructureReader::check_wide_header() {
  std::memcpy(&wide_, bytes_.data() + sizeof header_, sizeof wide_);
  const bool is_old = header_.version < structure_version;
  if ((is_old && wide_.layout == 0) || wide_.layout > StructureWideHeader::max_layout) {
    fail("has a wide tree of layout " + std::to_string(wide_.layout) + "; it can be " + (is_old ? "1" : "0") +
         " to " + std::to_string(StructureWideHeader::max_layout));
  }
  if (is_old) {
    check_zeros(sizeof header_ + offsetof(StructureWideHeader, contents), sizeof header_ + sizeof wide_);
    const bool is_accel = header_.version == old_accel_version;
    wide_.contents = is_accel ? StructureContents::accel : StructureContents::tree;
  }
  check_zeros(sizeof header_ + offsetof(StructureWideHeader, zeros), sizeof header_ + sizeof wide_);
  if (wide_.contents != StructureContents::tree && wide_.contents != StructureContents::accel) {
    fail("has contents of kind " + std::to_string(u32(wide_.contents)) + "; it can be 1 (a tree) or 2 (an Accel)");
  }
  if (holds_accel()) return check_accel_header();
  const u64 without_wide =
      wide_.layout == 0 ? offsetof(StructureWideHeader, node_count) : offsetof(StructureWideHeader, quality);
  check_zeros(sizeof header_ + without_wide, sizeof header_ + offsetof(StructureWideHeader, contents));
  check_zeros(sizeof header_ + offsetof(StructureWideHeader, has_masks), sizeof header_ + sizeof wide_);
}

void StructureReader::check_accel_header() const {
  if (wide_.layout != StructureWideHeader::accel_layout) {
    fail("has layout " + std::to_string(wide_.layout) + "; an Accel has layout " +
         std::to_string(StructureWideHeader::accel_layout));
  }
  if (wide_.quality > StructureWideHeader::max_quality) {
    fail("has quality " + std::to_string(wide_.quality) + "; it can be 0 to " +
         std::to_string(StructureWideHeader::max_quality));
  }
  if (wide_.has_masks > 1) fail("has_masks is " + std::to_string(wide_.has_masks) + "; it can be 0 or 1");
}

void StructureReader::check_size() {
  if (header_.vertex_count > max_vertices || header_.triangle_count > max_primitives) {
    fail("promises " + counted(header_.vertex_count, "vertices") + " and " +
         std::to_string(header_.triangle_count) + " triangles; at most " + std::to_string(max_vertices) + " and " +
         std::to_string(max_primitives) + " can be read");
  }
  layout_ = StructureLayout::of(header_, wide_);
  if (layout_.file_bytes != bytes_.size()) {
    fail("has " + counted(bytes_.size(), "bytes") + "; its counts need " + std::to_string(layout_.file_bytes));
  }
}

void StructureReader::check_checksum(const CancelToken& cancel) const {
  if (header_.version >= structure_version) {
    return check_block_sums(path_, {bytes_.data(), bytes_.size()}, layout_.content_bytes, structure_checksum_at,
                            header_.checksum, cancel);
  }
  const u64 sum = StructureChecksum::of_file(bytes_);
  if (sum != header_.checksum) {
    fail("has the checksum " + std::to_string(sum) + "; its header says " + std::to_string(header_.checksum) +
         ": the file is damaged");
  }
}

/// Bytes between arrays must be 0, so that a loaded structure is saved as the same bytes.
void StructureReader::check_padding() const {
  const char* const name_end = std::find(std::begin(header_.builder), std::end(header_.builder), '\0');
  if (name_end == std::end(header_.builder)) {
    fail("the builder's name " + in_quotes({header_.builder, sizeof header_.builder}) + " has no end");
  }
  const char* const header = reinterpret_cast<const char*>(&header_);
  check_zeros(holds_accel() ? offsetof(StructureHeader, morton_bits) : u64(name_end - header), sizeof header_);
  const StructureLayout& at = layout_;
  const u64 invalid_count = at.packed_count == 0 ? 0 : header_.counts.invalid_count;
  const u64 used_count = at.packed_count - std::min(at.packed_count, invalid_count);
  const std::pair<u64, u64> arrays[] = {{at.nodes, at.node_count * sizeof(BvhNode)},
                                        {at.parents, at.pair_count * sizeof(u32)},
                                        {at.primitive_ids, at.id_count * sizeof(u32)},
                                        {at.positions, header_.vertex_count * sizeof(vec3)},
                                        {at.triangles, header_.triangle_count * sizeof(uvec3)},
                                        {at.wide_nodes, at.wide_node_count * wide_node_bytes(wide_.layout)},
                                        {at.wide_parents, at.wide_node_count * sizeof(u32)},
                                        {at.wide_primitive_ids, at.wide_id_count * sizeof(u32)},
                                        {at.packed, used_count * sizeof(PackedTriangle)},
                                        {at.masks, std::min(at.mask_count, used_count) * sizeof(u32)},
                                        {at.parts, wide_.part_count * sizeof(StructurePart)}};
  u64 end = header_.header_bytes;
  for (const auto& [begin, bytes] : arrays) {
    check_zeros(end, begin);
    end = begin + bytes;
  }
  check_zeros(end, at.content_bytes);
}

void StructureReader::check_zeros(u64 begin, u64 end) const {
  for (u64 i = begin; i < end; ++i) {
    if (bytes_.data()[i] != 0) {
      fail("byte " + std::to_string(i) + " is " + std::to_string(u8(bytes_.data()[i])) + "; it must be 0");
    }
  }
}

std::string StructureReader::find_wide_fault() const {
  switch (wide_.layout) {
    case 1: return detail::find_wide_fault(wide_arrays<Bvh4Node>());
    case 2: return detail::find_wide_fault(wide_arrays<CompressedBvh4Node>());
    case 3: return detail::find_wide_fault(wide_arrays<CompressedBvh8Node>());
  }
  return "";
}

std::string StructureReader::find_fault() const {
  const std::string fault = find_structure_fault(arrays());
  return fault.empty() ? find_wide_fault() : fault;
}

std::string StructureReader::find_accel_fault() const {
  StructureArrays mesh = arrays();
  if (mesh.counts.node_count + u64{mesh.counts.leaf_count} > 0) {
    return "has " + counted(mesh.counts.node_count, "nodes") + " and " +
           counted(mesh.counts.leaf_count, "leaves") + " of a binary tree; an Accel has none";
  }
  WideStructureArrays<CompressedBvh4Node> tree = wide_arrays<CompressedBvh4Node>();
  std::vector<u32> packed_ids;
  if (has_packed() && mesh.counts.primitive_count <= packed().size()) {
    packed_ids = ids_of(packed().first(mesh.counts.primitive_count));
    tree.primitive_ids = packed_ids;
  }
  mesh.primitive_ids = tree.primitive_ids;
  std::string fault = find_sum_fault(mesh);
  if (fault.empty()) fault = find_vertex_fault(mesh);
  if (fault.empty()) fault = detail::find_wide_fault(tree);
  if (fault.empty()) fault = find_coordinate_fault(mesh);
  if (fault.empty()) fault = find_part_fault();
  if (fault.empty() && has_packed()) {
    fault = find_packed_fault({positions(), triangles()}, parts(), packed().first(packed_ids.size()), masks());
  }
  return fault;
}

std::string StructureReader::find_part_fault() const {
  u64 sum = 0;
  for (const StructurePart& part : parts()) {
    if (part.triangle_count > header_.triangle_count) {
      return "has a part of " + counted(part.triangle_count, "triangles") + " in a mesh of " +
             std::to_string(header_.triangle_count);
    }
    sum += part.triangle_count;
  }
  if (sum == header_.triangle_count) return "";
  return "has parts of " + counted(sum, "triangles") + " in all, but the mesh has " +
         std::to_string(header_.triangle_count);
}

std::vector<u32> ids_of(std::span<const PackedTriangle> triangles) {
  std::vector<u32> ids;
  ids.reserve(triangles.size());
  for (const PackedTriangle& triangle : triangles) ids.push_back(triangle.primitive);
  return ids;
}

std::vector<u32> with_left_out_ids(std::span<const u32> ids, u64 triangle_count) {
  std::vector<u32> all(ids.begin(), ids.end());
  std::vector<bool> is_in_tree(triangle_count);
  for (const u32 id : ids) is_in_tree[id] = true;
  for (u32 id = 0; id < triangle_count; ++id) {
    if (!is_in_tree[id]) all.push_back(id);
  }
  return all;
}

}  // namespace copse::detail
