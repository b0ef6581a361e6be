#include "builders/bvh/ray_trees.h"

#include <string>
#include <utility>

#include "builders/bvh/refit.h"
#include "primitives/core/check.h"

namespace copse {

namespace {

void check_count(const Bvh& binary, const TriangleViews& triangles) {
  if (triangles.primitive_count() == binary.source_count) return;
  detail::refuse("ray trees", detail::counted(triangles.primitive_count(), "triangles") +
                                  ", but the binary tree was built over " + std::to_string(binary.source_count));
}

void repack(Context& context, RayTrees& trees, const TriangleViews& triangles) {
  repack_triangles(context, trees.binary_triangles, trees.binary.view(), triangles);
  repack_triangles(context, trees.wide_triangles, trees.wide.view(), triangles);
}

}  // namespace

RayTrees make_ray_trees(Context& context, Bvh binary, const TriangleViews& triangles,
                        const CollapseOptions& options) {
  check_count(binary, triangles);
  RayTrees trees{std::move(binary), {}, {}, {}, options};
  trees.wide = collapse<CompressedBvh4>(context, trees.binary, options);
  trees.binary_triangles = pack_triangles(context, trees.binary.view(), triangles);
  trees.wide_triangles = pack_triangles(context, trees.wide.view(), triangles);
  return trees;
}

void collapse(Context& context, RayTrees& trees, const TriangleViews& triangles) {
  check_count(trees.binary, triangles);
  collapse(context, trees.wide, trees.binary, trees.collapse_options);
  repack(context, trees, triangles);
}

void refit(Context& context, RayTrees& trees, const TriangleViews& triangles) {
  check_count(trees.binary, triangles);
  refit(context, trees.binary, triangles);
  refit(context, trees.wide, triangles);
  repack(context, trees, triangles);
}

}  // namespace copse
