#include "builders/points/kd_validate.h"
#include "builders/points/point_bvh_validate.h"
#include "cli/options/structure_builds.h"

namespace copse::cli {

namespace {

/// Adds what trees of points tell alike. Throws: Error device_failure for a tree that is wrong.
template <class Tree>
void describe_points(Context& context, Tree tree, const PositionSpan& points, const char* name, Built& built) {
  const ValidationReport report = validate(context, tree, points);
  if (!report.is_valid()) {
    throw Error(ErrorCode::device_failure, std::string("the ") + name + " is wrong: " + report.message());
  }
  const auto counts = tree.counts.download()[0];
  built.statistics = {
      {"points", counts.point_count}, {"invalid_points", counts.invalid_count}, {"bytes", tree.size_bytes()}};
  built.facts.add("points", "{}, {} of them left out", grouped(counts.point_count + counts.invalid_count),
                  grouped(counts.invalid_count));
  built.facts.add("memory", "{}", readable_bytes(tree.size_bytes()));
  built.tree = std::move(tree);
}

}  // namespace

Built build_kd_of_triangles(Context& context, const TriangleView& triangles) {
  SahKdTree tree = build_sah_kd_tree(context, triangles);
  Built built;
  built.milliseconds = timed(context, [&] { tree = build_sah_kd_tree(context, triangles); });
  const u64 nodes = tree.nodes.size(), references = tree.primitive_ids.size();
  const u64 triangle_count = tree.source_count - tree.invalid_count;
  const double duplication = triangle_count == 0 ? 0 : double(references) / double(triangle_count);
  built.statistics = {{"nodes", nodes},
                      {"depth", tree.depth},
                      {"references", references},
                      {"duplication", duplication},
                      {"invalid_triangles", tree.invalid_count},
                      {"bytes", tree.size_bytes()}};
  built.facts.add("nodes", "{}, {} deep", grouped(nodes), counted(tree.depth, "levels"));
  built.facts.add("references", "{}: {:.2f} per triangle", grouped(references), duplication);
  built.facts.add("memory", "{}", readable_bytes(tree.size_bytes()));
  built.tree = std::move(tree);
  return built;
}

Built build_kd_of_points(Context& context, const PositionSpan& points) {
  KdTree tree = build_kd_tree(context, points);
  Built built;
  built.milliseconds = timed(context, [&] { rebuild_kd_tree(context, tree, points); });
  describe_points(context, std::move(tree), points, "kd-tree", built);
  return built;
}

Built build_bvh_of_points(Context& context, const PositionSpan& points) {
  PointBvh bvh = build_point_bvh(context, points);
  Built built;
  built.milliseconds = timed(context, [&] { rebuild_point_bvh(context, bvh, points); });
  describe_points(context, std::move(bvh), points, "point BVH", built);
  return built;
}

}  // namespace copse::cli
