#include "builders/io/voxel_tree_file.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "builders/io/structure/structure_writer.h"
#include "builders/io/structure/voxel_layout.h"
#include "builders/io/structure/voxel_tree_check.h"
#include "builders/io/whole_file.h"
#include "primitives/core/check.h"

namespace copse {

namespace {

namespace fs = std::filesystem;
using namespace detail;
using std::to_string;

constexpr u64 max_bricks_to_expand = u64{1} << 26;

void check(const char* function, const HostVoxelTree& tree) {
  const std::string fault = find_voxel_tree_fault(tree);
  if (!fault.empty()) refuse(function, fault);
}

/// Writes the bricks of a tree, in the order of the walk.
class BrickExpander {
 public:
  BrickExpander(const HostVoxelTree& tree, HostVoxels& voxels)
      : tree_(tree),
        view_(tree.view()),
        places_((tree.shape.resolution + brick_edge - 1u) / brick_edge),
        voxels_(voxels) {}

  /// Visits a node over the bricks from `brick` on.
  void visit(const VoxelNode& node, u32 level, const uvec3& brick) {
    if (level == 1) return add(node, brick);
    for (u32 child = 0; child < 8; ++child) {
      if ((node.mask >> child & 1) == 0) continue;
      const uvec3 from = brick + (uvec3(child & 1, child >> 1 & 1, child >> 2) << (level - 2));
      visit(tree_.nodes[view_.child_of(node, child)], level - 1, from);
    }
  }

 private:
  void add(const VoxelNode& node, const uvec3& brick) {
    voxels_.keys.push_back((u64{brick.z} * places_.y + brick.y) * places_.x + brick.x);
    const size_t first = voxels_.words.size();
    voxels_.words.resize(first + brick_words);
    for (u32 bit = 0; bit < 512; ++bit) {
      if (view_.is_set(node, bit % 8, bit / 8 % 8, bit / 64)) voxels_.words[first + bit / 32] |= 1u << (bit % 32);
    }
  }

  const HostVoxelTree& tree_;
  VoxelTreeView view_;
  uvec3 places_;
  HostVoxels& voxels_;
};

/// Returns sparse voxels with their bricks in ascending order.
HostVoxels in_order(const HostVoxels& from) {
  std::vector<u32> order(from.keys.size());
  for (u32 i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](u32 a, u32 b) { return from.keys[a] < from.keys[b]; });
  HostVoxels to{from.shape, true, {}, {}};
  to.keys.reserve(from.keys.size());
  to.words.reserve(from.words.size());
  for (const u32 i : order) {
    to.keys.push_back(from.keys[i]);
    to.words.insert(to.words.end(), from.words.begin() + i * size_t{brick_words},
                    from.words.begin() + (i + 1) * size_t{brick_words});
  }
  return to;
}

/// Takes the bytes of a file one array after the other.
class TreeBytes {
 public:
  TreeBytes(const fs::path& path, std::string_view bytes) : path_(path), bytes_(bytes) {}

  template <class T>
  std::vector<T> take(u64 count, const char* what) {
    if (count > (bytes_.size() - at_) / sizeof(T)) {
      throw_bad_file(
          path_, "has " + to_string(count) + " " + what + " in " + detail::counted(bytes_.size() - at_, "bytes"));
    }
    std::vector<T> out(count);
    if (count > 0) std::memcpy(out.data(), bytes_.data() + at_, count * sizeof(T));
    at_ += count * sizeof(T);
    return out;
  }

  void expect_end() const {
    if (at_ != bytes_.size())
      throw_bad_file(path_, "has " + detail::counted(bytes_.size() - at_, "bytes") + " behind the tree");
  }

 private:
  const fs::path& path_;
  std::string_view bytes_;
  u64 at_ = 0;
};

}  // namespace

HostVoxelTree download(const VoxelTree& tree) {
  return {tree.shape,
          !tree.links.empty(),
          tree.level_count,
          tree.nodes.download(),
          tree.links.download(),
          tree.leaves.download(),
          tree.level_nodes};
}

VoxelTree upload(Context& context, const HostVoxelTree& tree) {
  check("upload", tree);
  const VoxelTreeSizes sizes = sizes_of(tree);
  VoxelTree out;
  out.shape = tree.shape;
  out.level_count = tree.level_count;
  out.level_nodes = tree.level_nodes;
  out.nodes = Buffer<VoxelNode>(context, tree.nodes);
  out.links = Buffer<u32>(context, tree.links);
  out.leaves = Buffer<u64>(context, tree.leaves);
  out.octree_node_count = sizes.octree_node_count;
  out.octree_leaf_count = sizes.octree_leaf_count;
  return out;
}

VoxelTreeSizes sizes_of(const HostVoxelTree& tree) {
  VoxelTreeSizes sizes{};
  if (tree.nodes.empty()) return sizes;
  // From the root down: at how many places each node is.
  std::vector<u64> places(tree.nodes.size());
  places.back() = 1;
  const VoxelTreeView view = tree.view();
  const u64 brick_nodes = tree.level_nodes[0];
  for (u64 i = tree.nodes.size(); i-- > 0;) {
    const VoxelNode& node = tree.nodes[i];
    sizes.octree_node_count += places[i];
    if (i < brick_nodes) sizes.brick_count += places[i];
    for (u32 child = 0; child < 8; ++child) {
      if ((node.mask >> child & 1) == 0) continue;
      const u32 at = view.child_of(node, child);
      if (i >= brick_nodes) {
        places[at] += places[i];
      } else {
        sizes.octree_leaf_count += places[i];
        sizes.voxel_count += places[i] * u64(std::popcount(tree.leaves[at]));
      }
    }
  }
  return sizes;
}

HostVoxels to_voxels(const HostVoxelTree& tree) {
  check("to_voxels", tree);
  const u64 brick_count = sizes_of(tree).brick_count;
  if (brick_count > max_bricks_to_expand) {
    throw Error(ErrorCode::capacity, "to_voxels: the tree has " + to_string(brick_count) + " bricks; at most " +
                                         to_string(max_bricks_to_expand) + " can be expanded");
  }
  HostVoxels voxels{tree.shape, true, {}, {}};
  if (!tree.nodes.empty()) BrickExpander(tree, voxels).visit(tree.nodes.back(), tree.level_count, uvec3(0));
  return in_order(voxels);
}

void save_voxel_tree(const FilePath& path, const HostVoxelTree& tree, const CancelToken& cancel) {
  check("save_voxel_tree", tree);
  VoxelHeader header{};
  header.brick_edge = brick_edge;
  header.brick_count = sizes_of(tree).brick_count;
  VoxelTreeHeader counts{tree.is_dag ? 2u : 1u, tree.level_count, tree.links.size(), tree.leaves.size(), {}};
  std::copy(tree.level_nodes.begin(), tree.level_nodes.end(), counts.level_nodes);
  const FileArray arrays[] = {bytes_of(std::span<const VoxelTreeHeader>(&counts, 1)), bytes_of(tree.nodes),
                              bytes_of(tree.leaves), bytes_of(tree.links)};
  write_voxel_file(path.text(), tree.shape, header, VoxelContents::tree, arrays, cancel);
}

bool holds_voxel_tree(const FilePath& path) {
  return voxel_contents(path.text()) == VoxelContents::tree;
}

HostVoxelTree load_voxel_tree(const FilePath& file_path, const CancelToken& cancel) {
  const fs::path path = file_path.text();
  const FileBytes bytes = read_whole_file(path, cancel);
  const VoxelBytes file = check_voxel_file(path, bytes.text(), cancel);
  const VoxelHeader& header = file.header;
  if (file.contents != VoxelContents::tree) throw_bad_file(path, "holds voxels, and no octree and no DAG");
  TreeBytes from(path, file.arrays);
  const VoxelTreeHeader counts = from.take<VoxelTreeHeader>(1, "headers of a tree")[0];
  if (counts.kind < 1 || counts.kind > 2) {
    throw_bad_file(path, "holds a tree of kind " + to_string(counts.kind) + "; it can be 1 (octree) or 2 (DAG)");
  }
  HostVoxelTree tree;
  tree.shape = shape_of(header);
  tree.is_dag = counts.kind == 2;
  tree.level_count = counts.level_count;
  u64 node_count = 0;
  for (u32 level = 0; level < max_voxel_levels; ++level) {
    tree.level_nodes[level] = counts.level_nodes[level];
    node_count += std::min<u64>(counts.level_nodes[level], bytes.size());
  }
  tree.nodes = from.take<VoxelNode>(node_count, "nodes");
  tree.leaves = from.take<u64>(counts.leaf_count, "leaves");
  tree.links = from.take<u32>(counts.link_count, "links");
  from.expect_end();
  const std::string fault = find_voxel_tree_fault(tree);
  if (!fault.empty()) throw_bad_file(path, fault);
  const u64 brick_count = sizes_of(tree).brick_count;
  if (brick_count != header.brick_count) {
    throw_bad_file(path, "has " + detail::counted(brick_count, "bricks") + "; its header says " +
                             to_string(header.brick_count));
  }
  return tree;
}

}  // namespace copse
