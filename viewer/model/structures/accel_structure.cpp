#include "accel/accel_file.h"
#include "accel/accel_rays.h"
#include "builders/bvh/stats.h"
#include "viewer/model/inspect/host_copies.h"
#include "viewer/model/structures/structure_kinds.h"
#include "viewer/model/structures/tree_parts.h"

namespace copse::viewer {

namespace {

/// An Accel of some options, or that of a file.
class AccelStructure : public TriangleStructure {
 public:
  AccelStructure(Context& context, const AccelOptions& options, std::filesystem::path file = {})
      : TriangleStructure(context), options_(options), file_(std::move(file)) {}

  void build(const TriangleView& triangles) override {
    labels_.forget();
    const bool is_built = !accel_.tree().nodes.empty();
    if (!file_.empty()) {
      if (!is_built) accel_ = load_accel(file_, context_).accel;
      refit(triangles);
    } else if (is_built) {
      copse::rebuild(context_, accel_, triangles);
    } else {
      accel_ = copse::build(context_, triangles, options_);
    }
  }

  void refit(const TriangleView& triangles) override { copse::refit(context_, accel_, triangles); }

  void hit(const TriangleView&, BufferSpan<const Ray> rays, BufferSpan<Hit> hits) override {
    closest_hits(context_, accel_, rays, hits);
  }

  void occlude(const TriangleView&, BufferSpan<const Ray> rays, BufferSpan<u8> occluded) override {
    any_hits(context_, accel_, rays, occluded);
  }

  void count_visits(const TriangleView& triangles, BufferSpan<const Ray> rays, BufferSpan<u32> visits) override {
    viewer::count_visits(context_, tree(), triangles, rays, visits);
  }

  void label(BufferSpan<const Ray>, BufferSpan<const SurfaceHit> surfaces, LeafTint tint,
             BufferSpan<u32> labels) override {
    labels_.label(context_, tree(), accel_.triangle_count(), surfaces, tint, labels);
  }

  const char* depth_unit() const override { return "edges"; }

  Statistics measure(const TriangleView&) override {
    Statistics statistics;
    take_tree(statistics, stats(context_, accel_.tree()));
    statistics.size_bytes = accel_.size_bytes();
    statistics.leaf_depth_histogram = leaf_depths(context_, tree(), accel_.triangle_count());
    if (!file_.empty()) statistics.origin = std::string("Accel, ") + name_of(accel_.options().quality);
    return statistics;
  }

  double sah_cost() override { return stats(context_, accel_.tree()).sah_cost; }

  std::unique_ptr<HostCopy> copy() const override { return copy_tree(context_, tree()); }

 private:
  TreeView tree() const { return accel_.tree().view(); }

  AccelOptions options_;
  std::filesystem::path file_;  // that the Accel is read from; empty: it is built
  Accel accel_;
  LeafLabels labels_;
};

}  // namespace

std::unique_ptr<TriangleStructure> make_accel(Context& context, const AccelOptions& options) {
  return std::make_unique<AccelStructure>(context, options);
}

std::unique_ptr<TriangleStructure> make_accel_of_file(Context& context, const std::filesystem::path& file) {
  return std::make_unique<AccelStructure>(context, AccelOptions{}, file);
}

}  // namespace copse::viewer
