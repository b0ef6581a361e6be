#include <algorithm>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <new>
#include <string_view>

#include "builders/io/structure/structure_check.h"
#include "builders/io/structure/structure_layout.h"
#include "builders/io/structure_file.h"
#include "builders/io/whole_file.h"

namespace copse {

using detail::StructureArrays;
using detail::StructureChecksum;
using detail::StructureHeader;
using detail::StructureLayout;
using detail::StructureWideHeader;
using detail::WideStructureArrays;

namespace {

constexpr u64 max_vertices = u64{1} << 32;
constexpr u64 checksum_at = offsetof(StructureHeader, checksum);

/// Returns the ids in the tree, then the ids that were left out, ascending, as builders write them.
std::vector<u32> with_left_out_ids(std::span<const u32> ids, u64 triangle_count) {
  std::vector<u32> all(ids.begin(), ids.end());
  if (ids.size() == triangle_count) return all;
  std::vector<bool> is_in_tree(triangle_count);
  for (const u32 id : ids) is_in_tree[id] = true;
  for (u32 id = 0; id < triangle_count; ++id) {
    if (!is_in_tree[id]) all.push_back(id);
  }
  return all;
}

/// A file in memory, checked step by step. Each step relies on what the earlier steps have proved.
class StructureReader {
 public:
  explicit StructureReader(const std::filesystem::path& path)
      : path_(path), bytes_(detail::read_whole_file(path)) {
    check_header();
    check_size();
    check_checksum();
    check_padding();
    std::string fault = detail::find_structure_fault(arrays());
    if (fault.empty()) fault = find_wide_fault();
    if (!fault.empty()) fail(fault);
  }

  const StructureHeader& header() const { return header_; }

  StructureArrays arrays() const {
    return {.counts = header_.counts,
            .nodes = array<BvhNode>(layout_.nodes, layout_.node_count),
            .parents = array<u32>(layout_.parents, layout_.pair_count),
            .primitive_ids = array<u32>(layout_.primitive_ids, header_.counts.primitive_count),
            .triangles = array<uvec3>(layout_.triangles, header_.triangle_count),
            .positions = positions()};
  }
  std::span<const vec3> positions() const { return array<vec3>(layout_.positions, header_.vertex_count); }

  /// 0 if there is no wide tree.
  u32 wide_layout() const { return wide_.layout; }
  template <class Node>
  WideStructureArrays<Node> wide_arrays() const {
    return {.node_count = wide_.node_count,
            .nodes = array<Node>(layout_.wide_nodes, layout_.wide_node_count),
            .parents = array<u32>(layout_.wide_parents, layout_.wide_node_count),
            .primitive_ids = array<u32>(layout_.wide_primitive_ids, header_.counts.primitive_count),
            .triangle_count = header_.triangle_count};
  }

 private:
  template <class T>
  std::span<const T> array(u64 offset, u64 count) const {
    return {reinterpret_cast<const T*>(bytes_.data() + offset), count};
  }

  void check_header() {
    std::memcpy(&header_, bytes_.data(), std::min<u64>(bytes_.size(), sizeof header_));
    const std::string_view magic(detail::structure_magic, sizeof header_.magic);
    if (bytes_.text().substr(0, magic.size()) != magic) {
      fail("begins with " + detail::in_quotes(bytes_.text().substr(0, magic.size())) + ", not with 'COPSE'");
    }
    if (bytes_.size() < sizeof header_) {
      fail("has " + std::to_string(bytes_.size()) + " bytes; the header alone needs " +
           std::to_string(sizeof header_));
    }
    if (header_.version == 0 || header_.version > detail::structure_version) {
      fail("has version " + std::to_string(header_.version) + "; this Copse reads versions 1 to " +
           std::to_string(detail::structure_version));
    }
    const u64 header_bytes = sizeof header_ + (header_.version > 1 ? sizeof wide_ : 0);
    if (header_.header_bytes != header_bytes || bytes_.size() < header_bytes) {
      fail("has a header of " + std::to_string(header_.header_bytes) + " bytes, not " +
           std::to_string(header_bytes));
    }
    if (header_.version > 1) check_wide_header();
    if (header_.file_bytes != bytes_.size()) {
      fail("has " + std::to_string(bytes_.size()) + " bytes; its header promises " +
           std::to_string(header_.file_bytes));
    }
  }

  void check_wide_header() {
    std::memcpy(&wide_, bytes_.data() + sizeof header_, sizeof wide_);
    if (wide_.layout == 0 || wide_.layout > StructureWideHeader::max_layout) {
      fail("has a wide tree of layout " + std::to_string(wide_.layout) + "; it can be 1 to " +
           std::to_string(StructureWideHeader::max_layout));
    }
    check_zeros(sizeof header_ + offsetof(StructureWideHeader, zeros), sizeof header_ + sizeof wide_);
  }

  std::string find_wide_fault() const {
    switch (wide_.layout) {
      case 1: return detail::find_wide_fault(wide_arrays<Bvh4Node>());
      case 2: return detail::find_wide_fault(wide_arrays<CompressedBvh4Node>());
      case 3: return detail::find_wide_fault(wide_arrays<CompressedBvh8Node>());
    }
    return "";
  }

  void check_size() {
    if (header_.vertex_count > max_vertices || header_.triangle_count > max_primitives) {
      fail("promises " + std::to_string(header_.vertex_count) + " vertices and " +
           std::to_string(header_.triangle_count) + " triangles; at most " + std::to_string(max_vertices) +
           " and " + std::to_string(max_primitives) + " can be read");
    }
    layout_ = StructureLayout::of(header_, wide_);
    if (layout_.file_bytes != bytes_.size()) {
      fail("has " + std::to_string(bytes_.size()) + " bytes; its counts need " +
           std::to_string(layout_.file_bytes));
    }
  }

  void check_checksum() const {
    StructureChecksum sum;
    sum.add({bytes_.data(), checksum_at});
    sum.add(0);
    sum.add({bytes_.data() + checksum_at + 8, bytes_.size() - checksum_at - 8});
    if (sum.value() != header_.checksum) {
      fail("has the checksum " + std::to_string(sum.value()) + "; its header says " +
           std::to_string(header_.checksum) + ": the file is damaged");
    }
  }

  /// Bytes between arrays must be 0, so that a loaded structure is saved as the same bytes.
  void check_padding() const {
    const char* const name_end = std::find(std::begin(header_.builder), std::end(header_.builder), '\0');
    if (name_end == std::end(header_.builder)) {
      fail("the builder's name " + detail::in_quotes({header_.builder, sizeof header_.builder}) + " has no end");
    }
    const char* const header = reinterpret_cast<const char*>(&header_);
    check_zeros(u64(name_end - header), sizeof header_);
    check_zeros(layout_.parents + layout_.pair_count * sizeof(u32), layout_.primitive_ids);
    check_zeros(layout_.primitive_ids + header_.counts.primitive_count * sizeof(u32), layout_.positions);
    check_zeros(layout_.positions + header_.vertex_count * sizeof(vec3), layout_.triangles);
    check_zeros(layout_.triangles + header_.triangle_count * sizeof(uvec3), layout_.wide_nodes);
    if (wide_.layout == 0) return;
    check_zeros(layout_.wide_nodes + layout_.wide_node_count * detail::wide_node_bytes(wide_.layout),
                layout_.wide_parents);
    check_zeros(layout_.wide_parents + layout_.wide_node_count * sizeof(u32), layout_.wide_primitive_ids);
    check_zeros(layout_.wide_primitive_ids + header_.counts.primitive_count * sizeof(u32), layout_.file_bytes);
  }

  void check_zeros(u64 begin, u64 end) const {
    for (u64 i = begin; i < end; ++i) {
      if (bytes_.data()[i] != 0) {
        fail("byte " + std::to_string(i) + " is " + std::to_string(u8(bytes_.data()[i])) + "; it must be 0");
      }
    }
  }

  [[noreturn]] void fail(const std::string& message) const { detail::throw_bad_file(path_, message); }

  const std::filesystem::path& path_;
  detail::FileBytes bytes_;
  StructureHeader header_{};
  StructureWideHeader wide_{};
  StructureLayout layout_{};
};

/// Returns the wide tree of the file in the context's memory, in buffers as large as needed.
template <class Node>
WideBvh<Node> upload_wide(Context& context, const StructureReader& reader) {
  const WideStructureArrays<Node> arrays = reader.wide_arrays<Node>();
  const BvhCounts& counts = reader.header().counts;
  const WideBvhCounts wide_counts{arrays.node_count, counts.primitive_count, counts.invalid_count};
  WideBvh<Node> wide;
  wide.nodes = Buffer<Node>(context, arrays.nodes);
  wide.parents = Buffer<u32>(context, arrays.parents);
  wide.primitive_ids = Buffer<u32>(context, with_left_out_ids(arrays.primitive_ids, arrays.triangle_count));
  wide.counts = Buffer<WideBvhCounts>(context, std::span(&wide_counts, 1));
  wide.source_count = arrays.triangle_count;
  return wide;
}

AnyWideBvh upload_wide(Context& context, const StructureReader& reader) {
  switch (reader.wide_layout()) {
    case 1: return upload_wide<Bvh4Node>(context, reader);
    case 2: return upload_wide<CompressedBvh4Node>(context, reader);
    case 3: return upload_wide<CompressedBvh8Node>(context, reader);
  }
  return std::monostate{};
}

u32 largest_leaf(std::span<const BvhNode> nodes) {
  u32 largest = 1;
  for (const BvhNode& node : nodes) largest = std::max(largest, node.count);
  return largest;
}

}  // namespace

StructureFile load_structure(const FilePath& file_path, Context& context) try {
  const std::filesystem::path path = file_path.text();
  const StructureReader reader(path);
  const StructureHeader& header = reader.header();
  const StructureArrays arrays = reader.arrays();

  StructureFile file;
  file.builder = header.builder;
  file.morton_bits = header.morton_bits;
  file.max_leaf_size = header.max_leaf_size;
  file.mesh.positions.assign(reader.positions().begin(), reader.positions().end());
  file.mesh.triangles.assign(arrays.triangles.begin(), arrays.triangles.end());

  // Room for a rebuild, as the tree had before it was saved.
  file.bvh = make_bvh(context, header.triangle_count);
  file.bvh.source_count = header.triangle_count;
  file.bvh.nodes.upload(arrays.nodes);
  file.bvh.parents.upload(arrays.parents);
  file.bvh.primitive_ids.upload(with_left_out_ids(arrays.primitive_ids, header.triangle_count));
  file.bvh.counts.upload(std::span(&header.counts, 1));
  file.bvh.max_leaf_size = largest_leaf(arrays.nodes);
  file.wide = upload_wide(context, reader);
  return file;
} catch (const std::bad_alloc&) {
  throw Error(ErrorCode::out_of_memory, file_path.text() + ": no memory for the structure");
}

}  // namespace copse
