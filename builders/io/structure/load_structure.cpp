#include <algorithm>
#include <filesystem>
#include <new>

#include "builders/bvh/splits.h"
#include "builders/io/structure/structure_reader.h"
#include "builders/io/structure_file.h"

namespace copse {

using detail::StructureArrays;
using detail::StructureHeader;
using detail::StructureReader;
using detail::WideStructureArrays;

namespace {

/// Tells a tree whether its triangles are split, and links their places.
template <class Tree>
void set_references(Context& context, Tree& tree, u64 place_count) {
  tree.reference_count = place_count > tree.source_count ? place_count : 0;
  detail::make_room_for_repeats(context, tree);
  detail::link_repeats(context, tree);
}

/// Returns the wide tree of the file in the context's memory, in buffers as large as needed.
template <class Node>
WideBvh<Node> upload_wide(Context& context, const StructureReader& reader) {
  const WideStructureArrays<Node> arrays = reader.wide_arrays<Node>();
  const BvhCounts& counts = reader.header().counts;
  const WideBvhCounts wide_counts{arrays.node_count, counts.primitive_count, counts.invalid_count};
  WideBvh<Node> wide;
  wide.nodes = Buffer<Node>(context, arrays.nodes);
  wide.parents = Buffer<u32>(context, arrays.parents);
  wide.primitive_ids =
      Buffer<u32>(context, detail::with_left_out_ids(arrays.primitive_ids, arrays.triangle_count));
  wide.counts = Buffer<WideBvhCounts>(context, std::span(&wide_counts, 1));
  wide.source_count = arrays.triangle_count;
  set_references(context, wide, wide.primitive_ids.size());
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

StructureFile load_structure(const FilePath& file_path, Context& context, const CancelToken& cancel) try {
  const std::filesystem::path path = file_path.text();
  const detail::FileBytes bytes = detail::read_whole_file(path, cancel);
  const StructureReader reader(path, bytes.text(), FileCheck::everything, cancel);
  if (reader.holds_accel()) reader.fail("holds an Accel, which load_accel reads; load_structure reads a Bvh");
  const StructureHeader& header = reader.header();
  const StructureArrays arrays = reader.arrays();

  StructureFile file;
  file.builder = header.builder;
  file.morton_bits = header.morton_bits;
  file.max_leaf_size = header.max_leaf_size;
  file.mesh.positions.assign(reader.positions().begin(), reader.positions().end());
  file.mesh.triangles.assign(reader.triangles().begin(), reader.triangles().end());

  // Room for a rebuild, as the tree had before it was saved.
  const std::vector<u32> ids = detail::with_left_out_ids(arrays.primitive_ids, header.triangle_count);
  file.bvh = make_bvh(context, std::max<u64>(ids.size(), header.triangle_count));
  file.bvh.source_count = header.triangle_count;
  file.bvh.nodes.upload(arrays.nodes);
  file.bvh.parents.upload(arrays.parents);
  file.bvh.primitive_ids.upload(ids);
  file.bvh.counts.upload(std::span(&header.counts, 1));
  set_references(context, file.bvh, ids.size());
  file.bvh.max_leaf_size = largest_leaf(arrays.nodes);
  file.wide = upload_wide(context, reader);
  return file;
} catch (const std::bad_alloc&) {
  throw Error(ErrorCode::out_of_memory, file_path.text() + ": no memory for the structure");
}

}  // namespace copse
