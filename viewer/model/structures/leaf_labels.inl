#include "trace/frustum_march.h"
#include "viewer/model/structures/leaf_labels.h"

namespace copse::viewer {

namespace {

/// Edges from the root to a node, by its parents.
COPSE_HD inline u32 depth_of(const BvhView& tree, u32 node) {
  u32 depth = 0;
  for (; node != 0; node = tree.parents.data()[sibling_pair(node)]) ++depth;
  return depth;
}
template <class Node>
COPSE_HD inline u32 depth_of(const WideBvhView<Node>& tree, u32 node) {
  u32 depth = 0;
  for (; node != 0; node = tree.parents.data()[node]) ++depth;
  return depth;
}

/// Where the label of a place goes: to its primitive, from the first place of it, or to the place itself.
template <class View>
struct LabelTarget {
  View tree;
  bool by_place;
  u32* labels;
  COPSE_HD void store(u32 place, u32 label) const {
    if (by_place) {
      labels[place] = label;
    } else if (tree.repeats == nullptr || tree.repeats[place].previous == invalid_id) {
      labels[tree.primitive_ids.data()[place]] = label;
    }
  }
};

struct LabelBinaryLeaf {
  BvhView tree;
  LeafTint tint;
  LabelTarget<BvhView> target;
  COPSE_HD void operator()(u64 i) const {
    if (i >= tree.counts.data()->node_count) return;
    const BvhNode node = tree.nodes.data()[i];
    if (!node.is_leaf()) return;
    const u32 label = tint == LeafTint::id ? u32(i) : depth_of(tree, u32(i));
    for (u32 k = 0; k < node.count; ++k) target.store(node.first + k, label);
  }
};

template <class Node>
struct LabelWideLeaves {
  WideBvhView<Node> tree;
  LeafTint tint;
  LabelTarget<WideBvhView<Node>> target;
  COPSE_HD void operator()(u64 i) const {
    if (i >= tree.counts.data()->node_count) return;
    const Node node = tree.nodes.data()[i];
    for (u32 slot = 0; slot < Node::width; ++slot) {
      const WideChild child = node.child(slot);
      if (!child.is_leaf()) continue;
      const u32 label = tint == LeafTint::id ? u32(i) * 8 + slot : depth_of(tree, u32(i)) + 1;
      for (u32 k = 0; k < child.count; ++k) target.store(child.first + k, label);
    }
  }
};

LabelBinaryLeaf label_nodes(const BvhView& tree, LeafTint tint, bool by_place, u32* labels) {
  return {tree, tint, {tree, by_place, labels}};
}
template <class Node>
LabelWideLeaves<Node> label_nodes(const WideBvhView<Node>& tree, LeafTint tint, bool by_place, u32* labels) {
  return {tree, tint, {tree, by_place, labels}};
}

struct LookUpLabel {
  const SurfaceHit* surfaces;
  const u32* labels;
  u32* values;
  COPSE_HD void operator()(u64 i) const {
    const u32 id = surfaces[i].id;
    values[i] = id == invalid_id ? 0 : labels[id];
  }
};

COPSE_HD inline vec3 point_of(const Ray& ray, float t) {
  return vec3(add_rn(ray.origin.x, mul_rn(t, ray.direction.x)), add_rn(ray.origin.y, mul_rn(t, ray.direction.y)),
              add_rn(ray.origin.z, mul_rn(t, ray.direction.z)));
}

struct LabelCell {
  GridView grid;
  const Ray* rays;
  const SurfaceHit* surfaces;
  u32* values;
  COPSE_HD void operator()(u64 i) const {
    u32 value = 0;
    if (surfaces[i].id != invalid_id) {
      const GridShape& shape = *grid.shape.data();
      const dvec3 place = shape.to_cells(point_of(rays[i], surfaces[i].t));
      value = shape.cell_id(uvec3(cell_of(place.x, shape.resolution.x), cell_of(place.y, shape.resolution.y),
                                  cell_of(place.z, shape.resolution.z)));
    }
    values[i] = value;
  }

  COPSE_HD static u32 cell_of(double place, u32 resolution) {
    return place > 0 ? (place < double(resolution) ? u32(place) : resolution - 1) : 0;
  }
};

struct LabelFrustumCell {
  FrustumGridView grid;
  const Ray* rays;
  const SurfaceHit* surfaces;
  LeafTint tint;
  u32* values;
  COPSE_HD void operator()(u64 i) const {
    values[i] = surfaces[i].id == invalid_id ? 0 : cell_at(point_of(rays[i], surfaces[i].t));
  }

  COPSE_HD u32 cell_at(const vec3& p) const {
    const GridShape& cells = *grid.cells.shape.data();
    const dvec3 seen = grid.shape.data()->to_camera(p);  // depth last
    if (!(seen.z > 0)) return 0;
    const double across = seen.x / seen.z, down = seen.y / seen.z;
    if (!(across >= -1 && across <= 1 && down >= -1 && down <= 1)) return 0;
    const u32 slab =
        LabelCell::cell_of(mul_rn(sub_rn(-1.0 / seen.z, cells.lo.x), cells.cells_per_unit.x), cells.resolution.x);
    if (tint == LeafTint::depth) return slab;
    return cells.cell_id(
        uvec3(slab, detail::tile_along(across, cells.resolution.y), detail::tile_along(down, cells.resolution.z)));
  }
};

struct LabelKdCell {
  SahKdView tree;
  const Ray* rays;
  const SurfaceHit* surfaces;
  LeafTint tint;
  u32* values;
  COPSE_HD void operator()(u64 i) const {
    values[i] = surfaces[i].id == invalid_id ? 0 : cell_at(point_of(rays[i], surfaces[i].t));
  }

 private:
  COPSE_HD u32 cell_at(const vec3& p) const {
    u32 id = 0, depth = 0;
    for (; !tree.nodes.data()[id].is_leaf(); ++depth) {
      const SahKdNode node = tree.nodes.data()[id];
      const float place = node.axis() == 0 ? p.x : (node.axis() == 1 ? p.y : p.z);
      id = node.first_child() + (place > node.plane() ? 1 : 0);
    }
    return tint == LeafTint::depth ? depth : id;
  }
};

struct TakeId {
  const SurfaceHit* surfaces;
  u32* values;
  COPSE_HD void operator()(u64 i) const { values[i] = surfaces[i].id == invalid_id ? 0 : surfaces[i].id; }
};

}  // namespace

template <class Executor, class View>
void label_leaves(const Executor& ex, const View& tree, LeafTint tint, bool by_place, BufferSpan<u32> labels) {
  fill_bytes(ex, "picture: no leaves", labels.data(), labels.size(), 0xff);
  for_each(ex, "picture: leaves", tree.nodes.size(), label_nodes(tree, tint, by_place, labels.data()));
}

template <class Executor>
void look_up_labels(const Executor& ex, BufferSpan<const SurfaceHit> surfaces, BufferSpan<const u32> labels,
                    BufferSpan<u32> values) {
  for_each(ex, "picture: labels", surfaces.size(), LookUpLabel{surfaces.data(), labels.data(), values.data()});
}

template <class Executor>
void label_cells(const Executor& ex, const GridView& grid, BufferSpan<const Ray> rays,
                 BufferSpan<const SurfaceHit> surfaces, BufferSpan<u32> values) {
  for_each(ex, "picture: cells", surfaces.size(), LabelCell{grid, rays.data(), surfaces.data(), values.data()});
}

template <class Executor>
void label_frustum_cells(const Executor& ex, const FrustumGridView& grid, BufferSpan<const Ray> rays,
                         BufferSpan<const SurfaceHit> surfaces, LeafTint tint, BufferSpan<u32> values) {
  for_each(ex, "picture: cells", surfaces.size(),
           LabelFrustumCell{grid, rays.data(), surfaces.data(), tint, values.data()});
}

template <class Executor>
void label_kd_cells(const Executor& ex, const SahKdView& tree, BufferSpan<const Ray> rays,
                    BufferSpan<const SurfaceHit> surfaces, LeafTint tint, BufferSpan<u32> values) {
  for_each(ex, "picture: cells", surfaces.size(),
           LabelKdCell{tree, rays.data(), surfaces.data(), tint, values.data()});
}

template <class Executor>
void label_ids(const Executor& ex, BufferSpan<const SurfaceHit> surfaces, BufferSpan<u32> values) {
  for_each(ex, "picture: ids", surfaces.size(), TakeId{surfaces.data(), values.data()});
}

using Executor = copse::detail::BodyExecutor;
template void label_leaves(const Executor&, const BvhView&, LeafTint, bool, BufferSpan<u32>);
template void label_leaves(const Executor&, const Bvh4View&, LeafTint, bool, BufferSpan<u32>);
template void label_leaves(const Executor&, const CompressedBvh4View&, LeafTint, bool, BufferSpan<u32>);
template void label_leaves(const Executor&, const CompressedBvh8View&, LeafTint, bool, BufferSpan<u32>);
template void look_up_labels(const Executor&, BufferSpan<const SurfaceHit>, BufferSpan<const u32>,
                             BufferSpan<u32>);
template void label_cells(const Executor&, const GridView&, BufferSpan<const Ray>, BufferSpan<const SurfaceHit>,
                          BufferSpan<u32>);
template void label_frustum_cells(const Executor&, const FrustumGridView&, BufferSpan<const Ray>,
                                  BufferSpan<const SurfaceHit>, LeafTint, BufferSpan<u32>);
template void label_kd_cells(const Executor&, const SahKdView&, BufferSpan<const Ray>,
                             BufferSpan<const SurfaceHit>, LeafTint, BufferSpan<u32>);
template void label_ids(const Executor&, BufferSpan<const SurfaceHit>, BufferSpan<u32>);

}  // namespace copse::viewer
