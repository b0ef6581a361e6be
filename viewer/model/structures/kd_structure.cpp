#include "builders/kd/sah_kd_tree.h"
#include "trace/kd_rays.h"
#include "viewer/model/inspect/host_copies.h"
#include "viewer/model/structures/leaf_labels.h"
#include "viewer/model/structures/structure_kinds.h"

namespace copse::viewer {

namespace {

class KdStructure : public TriangleStructure {
 public:
  KdStructure(Context& context, const StructureOptions& options)
      : TriangleStructure(context), options_{.traversal_cost = options.traversal_cost} {}

  void build(const TriangleView& triangles) override { tree_ = build_sah_kd_tree(context_, triangles, options_); }

  void hit(const TriangleView& triangles, BufferSpan<const Ray> rays, BufferSpan<Hit> hits) override {
    closest_hits(context_, tree_.view(), triangles, rays, hits);
  }

  void occlude(const TriangleView& triangles, BufferSpan<const Ray> rays, BufferSpan<u8> occluded) override {
    any_hits(context_, tree_.view(), triangles, rays, occluded);
  }

  void count_visits(const TriangleView& triangles, BufferSpan<const Ray> rays, BufferSpan<u32> visits) override {
    viewer::count_visits(context_, tree_.view(), triangles, rays, visits);
  }

  void label(BufferSpan<const Ray> rays, BufferSpan<const SurfaceHit> surfaces, LeafTint tint,
             BufferSpan<u32> labels) override {
    label_cells(context_, tree_.view(), rays, surfaces, tint, labels);
  }

  const char* depth_unit() const override { return "edges"; }

  Statistics measure(const TriangleView&) override {
    Statistics statistics;
    statistics.primitive_count = tree_.source_count - tree_.invalid_count;
    statistics.invalid_count = tree_.invalid_count;
    statistics.bounds = tree_.bounds.download()[0];
    statistics.size_bytes = tree_.size_bytes();
    statistics.node_count = tree_.nodes.size();
    statistics.depth = tree_.depth;
    statistics.reference_count = tree_.primitive_ids.size();
    count_leaves(statistics);
    return statistics;
  }

  std::unique_ptr<HostCopy> copy() const override { return copy_kd_tree(tree_); }

 private:
  /// Counts leaves by their triangles and by their depth. Children stand behind their parent.
  void count_leaves(Statistics& statistics) const {
    const std::vector<SahKdNode> nodes = tree_.nodes.download();
    std::vector<u32> depths(nodes.size());
    u64 leaf_count = 0;
    for (size_t i = 0; i < nodes.size(); ++i) {
      if (nodes[i].is_leaf()) {
        ++leaf_count;
        count_in(statistics.leaf_histogram, nodes[i].count());
        count_in(statistics.leaf_depth_histogram, depths[i]);
      } else {
        for (u32 k = 0; k < 2; ++k) depths[nodes[i].first_child() + k] = depths[i] + 1;
      }
    }
    statistics.leaf_count = leaf_count;
  }

  static void count_in(std::vector<u64>& histogram, u32 value) {
    if (value >= histogram.size()) histogram.resize(value + 1);
    ++histogram[value];
  }

  SahKdOptions options_;
  SahKdTree tree_;
};

}  // namespace

std::unique_ptr<Structure> make_kd_tree_of_triangles(Context& context, const StructureOptions& options) {
  return std::make_unique<KdStructure>(context, options);
}

}  // namespace copse::viewer
