#include <filesystem>
#include <utility>

#include "builders/io/voxel_tree_file.h"
#include "cli/commands/info_trees.h"
#include "cli/options/scene.h"

namespace copse::cli {

void refuse_structure_options(const InfoOptions& options, const char* kind) {
  for (const auto& [is_given, name] : {std::pair(options.validate, "--validate"), {options.epo, "--epo"}}) {
    if (!is_given) continue;
    throw Error(ErrorCode::invalid_argument,
                fmt::format("'{}': {} takes a structure (.copse), not {}", options.input, name, kind));
  }
}

namespace {

void refuse_epo(const InfoOptions& options) {
  if (!options.epo) return;
  throw Error(
      ErrorCode::invalid_argument,
      fmt::format("'{}': --epo takes a structure with a binary tree; this file holds voxels", options.input));
}

/// The voxels of a file that was read have no fault, so --validate has nothing left to find.
void add_validation(const InfoOptions& options, Json& report, Facts& facts) {
  if (!options.validate) return;
  report["validation"] = {{"valid", true}, {"message", "valid"}};
  facts.add("validation", "valid");
}

FileReport describe_voxels(Session& session, const InfoOptions& options) {
  refuse_epo(options);
  session.begin("reading");
  const HostVoxels voxels = load_voxels(options.input, session.cancel_token());
  const GridShape& shape = voxels.shape;
  const u64 file_bytes = std::filesystem::file_size(options.input), count = count_voxels(voxels);
  const double edge = 1 / shape.cells_per_unit.x;
  const vec3 hi(shape.lo + dvec3(shape.resolution) * edge);
  const Aabb box{vec3(shape.lo), hi};

  Json report{{"input", options.input},
              {"kind", "voxels"},
              {"file_bytes", file_bytes},
              {"structure", voxels.is_sparse ? "bricks" : "voxels"},
              {"resolution", {shape.resolution.x, shape.resolution.y, shape.resolution.z}},
              {"voxels", count}};
  if (voxels.is_sparse) report["bricks"] = voxels.keys.size();
  report["edge"] = edge;
  report["bounds"] = to_json(box);
  Facts facts;
  facts.add("voxels", "{}, {}", one_line(options.input), readable_bytes(file_bytes));
  facts.add("grid", "{} x {} x {}{}", shape.resolution.x, shape.resolution.y, shape.resolution.z,
            voxels.is_sparse ? fmt::format(", in {} bricks", grouped(voxels.keys.size())) : ", dense");
  facts.add("set", "{}", grouped(count));
  facts.add("edge of a voxel", "{:.6g}", edge);
  facts.add("bounds", "{}", to_words(box));
  add_validation(options, report, facts);
  return {report, facts.text()};
}

FileReport describe_voxel_tree(Session& session, const InfoOptions& options) {
  refuse_epo(options);
  session.begin("reading");
  const HostVoxelTree tree = load_voxel_tree(options.input, session.cancel_token());
  const VoxelTreeSizes sizes = sizes_of(tree);
  const uvec3& resolution = tree.shape.resolution;
  const u64 file_bytes = std::filesystem::file_size(options.input);
  const double edge = 1 / tree.shape.cells_per_unit.x;
  const Aabb box{vec3(tree.shape.lo), vec3(tree.shape.lo + dvec3(resolution) * edge)};
  Json report{{"input", options.input},
              {"kind", "voxels"},
              {"file_bytes", file_bytes},
              {"structure", tree.is_dag ? "dag" : "octree"},
              {"resolution", {resolution.x, resolution.y, resolution.z}},
              {"voxels", sizes.voxel_count},
              {"bricks", sizes.brick_count},
              {"levels", tree.level_count},
              {"nodes", tree.nodes.size()},
              {"leaves", tree.leaves.size()},
              {"octree_nodes", sizes.octree_node_count},
              {"octree_leaves", sizes.octree_leaf_count},
              {"edge", edge},
              {"bounds", to_json(box)}};
  Facts facts;
  facts.add("voxels", "{}, {}", one_line(options.input), readable_bytes(file_bytes));
  facts.add("grid", "{} x {} x {}, as {}", resolution.x, resolution.y, resolution.z,
            tree.is_dag ? "a DAG" : "an octree");
  facts.add("set", "{}", grouped(sizes.voxel_count));
  facts.add("nodes", "{} in {}, and {} of 4 x 4 x 4 voxels", grouped(tree.nodes.size()),
            counted(tree.level_count, "levels"), counted(tree.leaves.size(), "leaves"));
  if (tree.is_dag) {
    facts.add("octree", "{} and {}", counted(sizes.octree_node_count, "nodes"),
              counted(sizes.octree_leaf_count, "leaves"));
  }
  facts.add("edge of a voxel", "{:.6g}", edge);
  facts.add("bounds", "{}", to_words(box));
  add_validation(options, report, facts);
  return {report, facts.text()};
}

}  // namespace

FileReport describe_voxel_file(Session& session, const InfoOptions& options) {
  return holds_voxel_tree(options.input) ? describe_voxel_tree(session, options)
                                         : describe_voxels(session, options);
}

}  // namespace copse::cli
