#include "scene/build/instance_tree.h"

#include <algorithm>
#include <string>

#include "builders/bvh/reinsert.h"

namespace copse::detail {

namespace {

/// One instance per leaf: entering an instance costs more than testing a box.
constexpr CollapseOptions collapse_options{.max_leaf_size = 1};

/// The steps that build the binary tree.
struct Steps {
  AnyBuildOptions builder;
  u32 reinsertion_passes;
};

Steps steps_of(Quality quality) {
  switch (quality) {
    case Quality::fast: return {LbvhOptions{.max_leaf_size = 1, .splits_off_outliers = true}, 0};
    case Quality::balanced: return {HplocOptions{.splits_off_outliers = true}, 0};
    case Quality::best: return {HplocOptions{.splits_off_outliers = true}, 2};
  }
  throw Error(ErrorCode::invalid_argument, "quality is " + std::to_string(u32(quality)) + "; it can be 0 to 2");
}

}  // namespace

void check_quality(Quality quality) {
  steps_of(quality);
}

CompressedBvh4 make_instance_tree(Context& context, u64 capacity) {
  CompressedBvh4 tree;
  tree.nodes = Buffer<CompressedBvh4Node>(context, wide_node_capacity(capacity));
  tree.parents = Buffer<u32>(context, wide_node_capacity(capacity));
  tree.primitive_ids = Buffer<u32>(context, capacity);
  tree.counts = Buffer<WideBvhCounts>(context, 1);
  return tree;
}

void build_instance_tree(Context& context, BoxView boxes, Quality quality, Bvh& binary, CompressedBvh4& tree) {
  const Steps steps = steps_of(quality);
  rebuild(context, binary, boxes, steps.builder);
  if (steps.reinsertion_passes > 0) reinsert(context, binary, {.passes = steps.reinsertion_passes});
  collapse(context, tree, binary, collapse_options);
}

InstanceTreeSizes instance_tree_sizes(Context& context, u64 instance_count, Quality quality) {
  const Steps steps = steps_of(quality);
  const BuildSizes binary = build_sizes(context, instance_count, steps.builder, 0);
  const BuildSizes wide = collapse_sizes<CompressedBvh4>(context, instance_count, collapse_options);
  u64 scratch = std::max(binary.scratch_bytes, wide.scratch_bytes);
  if (steps.reinsertion_passes > 0) {
    scratch = std::max(scratch, reinsert_sizes(context, instance_count).scratch_bytes);
  }
  return {binary.result_bytes, wide.result_bytes, scratch};
}

}  // namespace copse::detail
