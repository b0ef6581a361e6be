#include <bit>
#include <glm/common.hpp>

#include "trace/voxel_march.h"
#include "viewer/model/inspect/host_copies.h"

namespace copse::viewer {

namespace {

constexpr u64 max_host_nodes = u64{1} << 22;

/// Records the places of bricks that a traversal reaches.
struct RecordedPlaces {
  detail::FindInTree find;
  std::vector<u64> places;
  bool operator()(u64 place, float leave) {
    places.push_back(place);
    return find(place, leave);
  }
};

/// The octree of a voxel tree as a TreeNodes, made level by level from the root. Shared subtrees of a DAG are
/// there once for each of their places.
class ExpandedTree {
 public:
  explicit ExpandedTree(const VoxelTreeView& view) : view_(view) {
    if (view_.nodes.empty() || view_.nodes.data()[view_.nodes.size() - 1].mask == 0) return;
    add(invalid_id, view_.level_count, u32(view_.nodes.size() - 1), uvec3(0));
    u32 begin = 0;
    for (u32 level = view_.level_count; level > 0 && can_expand(level, begin); --level) {
      const u32 end = u32(tree_.nodes.size());
      for (u32 node = begin; node < end; ++node) expand(node, level);
      begin = end;
      tree_.depth = view_.level_count - level + 1;
    }
  }

  const TreeNodes& tree() const { return tree_; }

  /// Returns the nodes from the root towards a voxel, down to the last one that has voxels.
  std::vector<u32> path_to(const uvec3& voxel) const {
    std::vector<u32> path;
    if (tree_.nodes.empty()) return path;
    path.push_back(0);
    for (u32 level = view_.level_count; level > 0; --level) {
      const TreeNode& here = tree_.nodes[path.back()];
      const u32 mask = view_.nodes.data()[of_view_[path.back()]].mask, bit = level + 1;
      const u32 child = (voxel.x >> bit & 1) | (voxel.y >> bit & 1) << 1 | (voxel.z >> bit & 1) << 2;
      if (here.child_count == 0 || (mask >> child & 1) == 0) break;
      path.push_back(tree_.children[here.first_child + children_before(mask, child)]);
    }
    return path;
  }

 private:
  /// Whether there is room for the children of the nodes from `begin` on, which are of one level.
  bool can_expand(u32 level, u32 begin) const {
    u64 count = tree_.nodes.size();
    for (u64 node = begin; level > 0 && node < tree_.nodes.size(); ++node) {
      count += u64(std::popcount(view_.nodes.data()[of_view_[node]].mask));
    }
    return count <= max_host_nodes;
  }

  void expand(u32 node, u32 level) {
    const VoxelNode of_view = view_.nodes.data()[of_view_[node]];
    const uvec3 corner = corners_[node];
    tree_.nodes[node].first_child = u32(tree_.children.size());
    for (u32 child = 0; child < 8; ++child) {
      if ((of_view.mask >> child & 1) == 0) continue;
      const u32 edge = voxel_leaf_edge << (level - 1);
      ++tree_.nodes[node].child_count;
      tree_.children.push_back(u32(tree_.nodes.size()));
      add(node, level - 1, view_.child_of(of_view, child),
          corner + uvec3(child & 1, child >> 1 & 1, child >> 2) * edge);
    }
  }

  ///   level: of the node; 0 for a leaf
  ///   corner: its lowest voxel
  void add(u32 parent, u32 level, u32 of_view, const uvec3& corner) {
    const uvec3 last = glm::min(corner + (voxel_leaf_edge << level), view_.shape.resolution) - 1u;
    TreeNode node;
    node.box = {cell_box(view_.shape, corner).lo, cell_box(view_.shape, last).hi};
    node.parent = parent;
    node.depth = view_.level_count - level;
    if (level == 0) {
      node.first_primitive = voxel_count_;
      node.primitive_count = u32(std::popcount(view_.leaves.data()[of_view]));
      voxel_count_ += node.primitive_count;
    }
    tree_.nodes.push_back(node);
    of_view_.push_back(of_view);
    corners_.push_back(corner);
  }

  VoxelTreeView view_;
  TreeNodes tree_;
  std::vector<u32> of_view_;  // [node]: its number in the view: of a node, or of a leaf
  std::vector<uvec3> corners_;
  u32 voxel_count_ = 0;  // in the leaves so far
};

class VoxelTreeCopy : public HostCopy {
 public:
  explicit VoxelTreeCopy(HostVoxelTree tree) : voxels_(std::move(tree)), expanded_(voxels_.view()) {}

  Target target() const override { return Target::voxel; }

  const TreeNodes* tree() const override { return &expanded_.tree(); }

  Pick walk(const HostTriangles&, const Ray& ray) const override {
    const VoxelTreeView view = voxels_.view();
    Pick pick;
    pick.ray = ray;
    const VoxelHit hit = first_voxel(view, ray);
    pick.hit = {hit.t, invalid_id, invalid_id, 0, 0};
    if (is_hit(hit)) {
      pick.hit.primitive = view.shape.cell_id(hit.voxel);
      pick.hit.geometry = 0;
      pick.leaf = expanded_.path_to(hit.voxel).back();
    }
    pick.point = ray.origin + pick.hit.t * ray.direction;
    record_path(view, pick);
    return pick;
  }

 private:
  /// Adds the nodes that the traversal goes down through. Those that two places have in common are visited once.
  void record_path(const VoxelTreeView& view, Pick& pick) const {
    const GridShape places = detail::places_of(view);
    const detail::MarchedRay marched = detail::enter_grid(places, pick.ray, detail::march_slack / brick_edge);
    if (!is_traceable(pick.ray) || !(marched.length >= 0)) return;
    RecordedPlaces record{{view, marched}, {}};
    detail::march_tree(places, marched, record);
    std::vector<u32> before;
    for (const u64 place : record.places) {
      const uvec3 brick(u32(place) & 0xffff, u32(place) >> 16, u32(place >> 32));
      const std::vector<u32> path = expanded_.path_to(brick * brick_edge);
      for (size_t i = 0; i < path.size() && expanded_.tree().nodes[path[i]].depth < view.level_count; ++i) {
        if (i >= before.size() || path[i] != before[i]) add(pick, path[i]);
      }
      before = path;
    }
    if (pick.leaf != invalid_id && expanded_.tree().nodes[pick.leaf].is_leaf()) add(pick, pick.leaf);
  }

  void add(Pick& pick, u32 id) const {
    const TreeNode& node = expanded_.tree().nodes[id];
    pick.visited.push_back(
        {id, node.depth, node.box, enter_box(node.box, pick.ray), node.is_leaf(), node.primitive_count});
  }

  HostVoxelTree voxels_;
  ExpandedTree expanded_;
};

}  // namespace

std::unique_ptr<HostCopy> copy_voxel_tree(HostVoxelTree tree) {
  return std::make_unique<VoxelTreeCopy>(std::move(tree));
}

}  // namespace copse::viewer
