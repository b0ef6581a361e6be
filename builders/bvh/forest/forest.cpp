// The memory of forests.

#include "builders/bvh/forest.h"

#include <algorithm>

#include "builders/geometry/primitive_set.h"
#include "primitives/core/dispatch.h"

namespace copse::detail {

// The body: forest.inl, for either executor.

/// tree_of[primitive] = its tree.
template <class Executor>
void number_trees(const Executor& ex, const u32* begins, u32 tree_count, u32 primitive_count, u32* tree_of);

ForestShape forest_shape(std::span<const u32> begins) {
  ForestShape shape;
  shape.tree_count = u32(begins.size() - 1);
  shape.primitive_count = shape.empty_root = begins.back();
  for (u32 tree = 0; tree < shape.tree_count; ++tree) {
    const u32 size = begins[tree + 1] - begins[tree];
    shape.max_tree_size = std::max(shape.max_tree_size, size);
    for (u32 k = forest_class_of(size); k + 1 < forest_class_count; ++k) shape.class_ends[k] = tree + 1;
  }
  shape.large_primitive_count = begins[shape.class_ends[0]];
  return shape;
}

Forest make_forest(Context& context, std::span<const u32> begins) {
  check_primitive_count(begins.back());
  Forest forest;
  const u64 n = begins.back(), trees = begins.size() - 1;
  forest.begins_on_host.assign(begins.begin(), begins.end());
  forest.host_shape = forest_shape(begins);
  forest.begins = Buffer<u32>(context, begins);
  forest.tree_of = Buffer<u32>(context, n);
  forest.nodes = Buffer<CompressedBvh4Node>(context, n + 1);
  forest.parents = Buffer<u32>(context, n + 1);
  forest.primitive_ids = Buffer<u32>(context, n);
  forest.counts = Buffer<WideBvhCounts>(context, trees);
  dispatch(context, [&](const auto& ex) {
    number_trees(ex, forest.begins.data(), u32(trees), u32(n), forest.tree_of.data());
  });
  return forest;
}

}  // namespace copse::detail
