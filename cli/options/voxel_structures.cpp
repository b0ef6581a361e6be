#include "builders/grid/bricks.h"
#include "builders/grid/distance_field.h"
#include "builders/grid/voxel_tree.h"
#include "cli/options/structure_builds.h"

namespace copse::cli {

namespace {

constexpr const char* rule_names[] = {"touched", "crossed", "inside"};

u32 voxel_resolution(const StructureOptions& options, u32 own) {
  const std::vector<u32> numbers = resolution_of(options);
  return numbers.empty() ? own : numbers[0];
}

}  // namespace

Built build_dense(Context& context, const TriangleView& triangles, const StructureOptions& options, bool keeps) {
  Voxels voxels = build_voxels(context, triangles, voxel_resolution(options, 256), options.rule);
  Built built;
  built.milliseconds = timed(context, [&] { voxelize(context, voxels, triangles, options.rule); });
  const u64 count = count_voxels(context, voxels);
  built.statistics = {{"resolution", to_json(voxels.shape.resolution)},
                      {"rule", rule_names[u32(options.rule)]},
                      {"voxels", count},
                      {"bytes", voxels.words.size_bytes()}};
  built.facts.add("voxels", "{}: {} set, by the rule {}", in_words(voxels.shape.resolution), grouped(count),
                  rule_names[u32(options.rule)]);
  built.facts.add("memory", "{}", readable_bytes(voxels.words.size_bytes()));
  if (keeps) built.voxels = download(voxels);
  return built;
}

Built build_sparse(Context& context, const TriangleView& triangles, const StructureOptions& options,
                   const Kept& keeps) {
  Bricks bricks = build_bricks(context, triangles, {.resolution = voxel_resolution(options, 1024)});
  Built built;
  built.milliseconds = timed(context, [&] { rebuild_bricks(context, bricks, triangles); });
  check_complete(bricks);
  const u64 count = count_voxels(context, bricks), brick_count = bricks.brick_capacity();
  built.statistics = {{"resolution", to_json(bricks.shape.resolution)},
                      {"bricks", brick_count},
                      {"voxels", count},
                      {"bytes", bricks.size_bytes()}};
  built.facts.add("voxels", "{}: {} set, in {} bricks", in_words(bricks.shape.resolution), grouped(count),
                  grouped(brick_count));
  built.facts.add("memory", "{}", readable_bytes(bricks.size_bytes()));
  if (keeps.voxels) built.voxels = download(bricks);
  if (keeps.nano) built.nano = download(build_nano_grid(context, bricks, options.nano_type));
  return built;
}

/// The time is that of the tree alone, without its bricks.
Built build_voxel_tree(Context& context, const TriangleView& triangles, const StructureOptions& options,
                       bool keeps) {
  const Bricks bricks = build_bricks(context, triangles, {.resolution = voxel_resolution(options, 1024)});
  check_complete(bricks);
  const bool is_dag = options.structure == Structure::dag;
  const auto build = [&] {
    VoxelTree octree = build_octree(context, bricks);
    return is_dag ? build_dag(context, octree) : std::move(octree);
  };
  VoxelTree tree = build();
  Built built;
  built.milliseconds = timed(context, [&] { tree = build(); });
  const u64 count = count_voxels(context, tree), expected = count_voxels(context, bricks);
  if (count != expected) {
    throw Error(ErrorCode::device_failure, fmt::format("the {} is wrong: it has {} voxels, its bricks have {}",
                                                       name_of(options.structure), count, expected));
  }
  built.statistics = {{"resolution", to_json(tree.shape.resolution)},
                      {"levels", tree.level_count},
                      {"nodes", tree.nodes.size()},
                      {"leaves", tree.leaves.size()},
                      {"octree_nodes", tree.octree_node_count},
                      {"octree_leaves", tree.octree_leaf_count},
                      {"voxels", count},
                      {"bytes", tree.size_bytes()}};
  built.facts.add("voxels", "{}: {} set", in_words(tree.shape.resolution), grouped(count));
  built.facts.add("nodes", "{} in {}, and {} of 4 x 4 x 4 voxels", grouped(tree.nodes.size()),
                  counted(tree.level_count, "levels"), counted(tree.leaves.size(), "leaves"));
  if (is_dag) {
    built.facts.add("octree", "{} and {}", counted(tree.octree_node_count, "nodes"),
                    counted(tree.octree_leaf_count, "leaves"));
  }
  built.facts.add("memory", "{}", readable_bytes(tree.size_bytes()));
  if (keeps) built.voxel_tree = download(tree);
  return built;
}

Built build_distances(Context& context, const TriangleView& triangles, const StructureOptions& options,
                      const Kept& keeps) {
  DistanceFieldOptions how{.resolution = voxel_resolution(options, 256)};
  if (options.band > 0) how.band = options.band;
  DistanceField field = build_distance_field(context, triangles, how);
  Built built;
  built.milliseconds = timed(context, [&] { field = build_distance_field(context, triangles, how); });
  const u64 count = count_voxels(context, field.bricks);
  built.statistics = {{"resolution", to_json(field.bricks.shape.resolution)},
                      {"bricks", field.brick_count()},
                      {"voxels", count},
                      {"band", field.band},
                      {"bytes", field.size_bytes()}};
  built.facts.add("voxels", "{}: {} nearer than {:.4g} to the surface, in {} bricks",
                  in_words(field.bricks.shape.resolution), grouped(count), field.band,
                  grouped(field.brick_count()));
  built.facts.add("memory", "{}", readable_bytes(field.size_bytes()));
  if (keeps.nano) built.nano = download(build_nano_grid(context, field));
  return built;
}

}  // namespace copse::cli
