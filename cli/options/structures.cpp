#include "cli/options/structures.h"

#include <CLI/CLI.hpp>
#include <charconv>
#include <utility>
#include <variant>
#include <vector>

#include "builders/grid/bricks.h"
#include "builders/grid/frustum_check.h"
#include "builders/grid/grid_stats.h"
#include "builders/grid/uniform_grid.h"
#include "builders/grid/voxel_tree.h"
#include "builders/io/tree_file.h"
#include "builders/io/voxel_file.h"
#include "builders/kd/sah_kd_tree.h"
#include "builders/points/kd_tree.h"
#include "builders/points/kd_validate.h"
#include "builders/points/point_bvh.h"
#include "builders/points/point_bvh_validate.h"
#include "cli/exit_code.h"
#include "cli/files.h"
#include "cli/options/scene.h"
#include "primitives/core/stopwatch.h"
#include "trace/frustum_rays.h"

namespace copse::cli {

namespace {

constexpr const char* names[] = {"bvh",    "grid", "frustum", "voxels", "bricks",
                                 "octree", "dag",  "kdtree",  "points", "point-bvh"};
constexpr const char* rule_names[] = {"touched", "crossed", "inside"};

const char* name_of(Structure structure) {
  return names[int(structure)];
}

[[noreturn]] void refuse(const std::string& what) {
  throw Error(ErrorCode::invalid_argument, what);
}

/// Parses "N" or "XxYxZ".
std::vector<u32> numbers_of(const std::string& text) {
  std::vector<u32> numbers;
  const char *at = text.data(), *const end = at + text.size();
  while (true) {
    u32 value = 0;
    const auto [stop, error] = std::from_chars(at, end, value);
    if (error != std::errc{}) break;
    numbers.push_back(value);
    if (stop == end) return numbers;
    if (*stop != 'x') break;
    at = stop + 1;
  }
  refuse(fmt::format("--resolution is '{}'; it takes a number, or three as in 128x128x16", one_line(text)));
}

u32 voxel_resolution(const StructureOptions& options, u32 own) {
  if (options.resolution.empty()) return own;
  const std::vector<u32> numbers = numbers_of(options.resolution);
  if (numbers.size() != 1) {
    refuse(fmt::format("--resolution is {}; {} take one number, voxels are cubes", options.resolution,
                       name_of(options.structure)));
  }
  return numbers[0];
}

GridOptions grid_options(const StructureOptions& options) {
  GridOptions result;
  if (options.density > 0) result.density = options.density;
  if (options.resolution.empty()) return result;
  const std::vector<u32> numbers = numbers_of(options.resolution);
  if (numbers.size() != 1 && numbers.size() != 3) {
    refuse(fmt::format("--resolution is {}; a grid takes one number or three", options.resolution));
  }
  result.resolution = numbers.size() == 1 ? uvec3(numbers[0]) : uvec3(numbers[0], numbers[1], numbers[2]);
  // The library takes a resolution of 0 as "use the density".
  if (result.resolution == uvec3(0)) refuse("--resolution is 0; it takes 1 to 2048 cells along each axis");
  return result;
}

Json to_json(const uvec3& v) {
  return {v.x, v.y, v.z};
}
std::string in_words(const uvec3& v) {
  return fmt::format("{} x {} x {}", v.x, v.y, v.z);
}

/// The result of a build.
struct Built {
  Json statistics;
  Facts facts;
  double milliseconds = 0;  // of a rebuild in the same memory
  HostVoxels voxels;        // if there is something to write
  HostNanoGrid nano;        // the same, for a .nvdb
  std::variant<std::monostate, SahKdTree, KdTree, PointBvh> tree;
};

template <class Rebuild>
double timed(Context& context, const Rebuild& rebuild) {
  Stopwatch stopwatch(context);
  rebuild();
  return stopwatch.milliseconds();
}

Built build_uniform_grid(Context& context, const TriangleView& triangles, const StructureOptions& options) {
  const GridOptions how = grid_options(options);
  Grid grid = build_grid(context, triangles, how);
  Built built;
  built.milliseconds = timed(context, [&] { rebuild_grid(context, grid, triangles, how); });
  check_complete(grid);
  const GridStats s = stats(context, grid);
  built.statistics = {{"resolution", to_json(s.resolution)}, {"cells", s.cell_count},
                      {"occupied_cells", s.occupied_count},  {"largest_cell", s.largest_cell},
                      {"references", s.counts.stored_count}, {"occupancy", s.occupancy},
                      {"duplication", s.duplication},        {"bytes", s.size_bytes}};
  built.facts.add("cells", "{}: {}, {} of them occupied", in_words(s.resolution), grouped(s.cell_count),
                  grouped(s.occupied_count));
  built.facts.add("references", "{}: {:.2f} per occupied cell, {:.2f} per triangle, {} in the fullest cell",
                  grouped(s.counts.stored_count), s.occupancy, s.duplication, grouped(s.largest_cell));
  built.facts.add("memory", "{}", readable_bytes(s.size_bytes));
  return built;
}

FrustumGridOptions frustum_options(const StructureOptions& options) {
  if (options.resolution.empty()) return {};
  const std::vector<u32> numbers = numbers_of(options.resolution);
  if (numbers.size() == 3) return {.resolution = uvec3(numbers[0], numbers[1], numbers[2])};
  refuse(fmt::format("--resolution is {}; a frustum takes three numbers: tiles across, tiles down, slabs",
                     options.resolution));
}

Built build_frustum(Context& context, const TriangleView& triangles, const Aabb& box,
                    const StructureOptions& options) {
  const ViewFrustum frustum = view_frustum(place_camera(options.camera, box, 1));
  FrustumGrid grid = build_frustum_grid(context, triangles, frustum, frustum_options(options));
  Built built;
  built.milliseconds = timed(context, [&] { rebuild_frustum_grid(context, grid, triangles, frustum); });
  check_complete(grid.cells);
  const FrustumGridStats s = stats(context, grid);
  built.statistics = {{"resolution", to_json(s.resolution)},
                      {"cells", s.cell_count},
                      {"occupied_cells", s.occupied_count},
                      {"largest_cell", s.largest_cell},
                      {"references", s.counts.stored_count},
                      {"occupancy", s.occupancy},
                      {"duplication", s.duplication},
                      {"nearest", s.nearest},
                      {"farthest", s.farthest},
                      {"bytes", s.size_bytes}};
  built.facts.add("cells", "{} tiles and slabs: {}, {} of them occupied", in_words(s.resolution),
                  grouped(s.cell_count), grouped(s.occupied_count));
  built.facts.add("slabs", "between depths of {:.4g} and {:.4g}", s.nearest, s.farthest);
  built.facts.add("references", "{}: {:.2f} per occupied cell, {:.2f} per triangle, {} in the fullest cell",
                  grouped(s.counts.stored_count), s.occupancy, s.duplication, grouped(s.largest_cell));
  built.facts.add("memory", "{}", readable_bytes(s.size_bytes));
  return built;
}

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

/// What a build keeps to write it.
struct Kept {
  bool voxels, nano;
};

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
Built build_voxel_tree(Context& context, const TriangleView& triangles, const StructureOptions& options) {
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
  built.facts.add("nodes", "{} in {} levels, and {} leaves of 4 x 4 x 4 voxels", grouped(tree.nodes.size()),
                  tree.level_count, grouped(tree.leaves.size()));
  if (is_dag) {
    built.facts.add("octree", "{} nodes and {} leaves", grouped(tree.octree_node_count),
                    grouped(tree.octree_leaf_count));
  }
  built.facts.add("memory", "{}", readable_bytes(tree.size_bytes()));
  return built;
}

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
  built.facts.add("nodes", "{}, {} levels deep", grouped(nodes), tree.depth);
  built.facts.add("references", "{}: {:.2f} per triangle", grouped(references), duplication);
  built.facts.add("memory", "{}", readable_bytes(tree.size_bytes()));
  built.tree = std::move(tree);
  return built;
}

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

Built build_by(Context& context, const TriangleView& triangles, const Aabb& box, const StructureOptions& options,
               const Kept& keeps) {
  if (options.structure == Structure::grid) return build_uniform_grid(context, triangles, options);
  if (options.structure == Structure::frustum) return build_frustum(context, triangles, box, options);
  if (options.structure == Structure::kdtree) return build_kd_of_triangles(context, triangles);
  if (options.structure == Structure::points) return build_kd_of_points(context, triangles.positions);
  if (options.structure == Structure::point_bvh) return build_bvh_of_points(context, triangles.positions);
  if (options.structure == Structure::voxels) return build_dense(context, triangles, options, keeps.voxels);
  if (options.structure == Structure::bricks) return build_sparse(context, triangles, options, keeps);
  return build_voxel_tree(context, triangles, options);
}

}  // namespace

void add_structure(CLI::App& command, StructureOptions& options) {
  add_choice<Structure>(
      command, "--structure", options.structure,
      {{"bvh", Structure::bvh},
       {"grid", Structure::grid},
       {"frustum", Structure::frustum},
       {"voxels", Structure::voxels},
       {"bricks", Structure::bricks},
       {"octree", Structure::octree},
       {"dag", Structure::dag},
       {"kdtree", Structure::kdtree},
       {"points", Structure::points},
       {"point-bvh", Structure::point_bvh}},
      "What to build: a tree (default), a uniform grid, a grid over the view of a camera, dense voxels, sparse "
      "bricks of voxels, an octree of voxels, a DAG of voxels, a kd-tree of the triangles, a kd-tree of the "
      "vertices, or boxes over the vertices");
  command
      .add_option(
          "--resolution", options.resolution,
          "grid: cells along each axis; frustum: tiles across, tiles down and slabs, default 128x128x16; "
          "voxels, bricks, octree and dag: voxels along the longest edge, default 256 for voxels, else 1024")
      ->option_text("N|XxYxZ");
  add_real(command, "--density", options.density, 1e-6f, 1024, "grid: cells per triangle, default 4");
  add_choice<VoxelRule>(
      command, "--rule", options.rule,
      {{"touched", VoxelRule::touched}, {"crossed", VoxelRule::crossed}, {"inside", VoxelRule::inside}},
      "voxels: set those that the surface touches (default), that it crosses, or that are inside it");
  command.add_option("--slices", options.slices, "voxels and bricks: write a PNG for each layer into this folder")
      ->option_text("FOLDER");
  add_choice<NanoType>(command, "--nvdb", options.nano_type,
                       {{"mask", NanoType::mask}, {"index", NanoType::index}},
                       "A .nvdb: set voxels alone (default), or numbered as indices into arrays");
  add_choice<NanoCodec>(command, "--codec", options.nano_codec,
                        {{"none", NanoCodec::none}, {"zip", NanoCodec::zip}},
                        "A .nvdb: plain (default), or packed by zip");
  add_camera_options(command, options.camera);
}

void check_structure(const CLI::App& command, const StructureOptions& options) {
  const bool is_tree = options.structure == Structure::bvh, is_grid = options.structure == Structure::grid;
  const bool is_dense = options.structure == Structure::voxels,
             is_frustum = options.structure == Structure::frustum;
  const bool is_sparse = options.structure == Structure::bricks, is_voxels = is_dense || is_sparse;
  const bool is_voxel_tree = options.structure == Structure::octree || options.structure == Structure::dag;
  const bool is_written = !is_grid && !is_frustum && !is_voxel_tree;
  const auto only = [&](const char* option, bool is_right, const char* with) {
    if (is_right || command.count(option) == 0) return;
    refuse(fmt::format("{} is for {} only; the structure is {}", option, with, name_of(options.structure)));
  };
  for (const char* option : {"--builder", "--radius", "--morton-bits", "--max-leaf-size", "--top", "--splits",
                             "--reinsertion", "--layout", "--quality"}) {
    only(option, is_tree, "bvh");
  }
  only("--resolution", is_grid || is_frustum || is_voxels || is_voxel_tree,
       "grid, frustum, voxels, bricks, octree and dag");
  only("--density", is_grid, "grid");
  only("--rule", is_dense, "voxels");
  only("--slices", is_voxels, "voxels and bricks");
  only("--output", is_written, "bvh, voxels, bricks, kdtree, points and point-bvh");
  for (const char* option : {"--nvdb", "--codec"}) only(option, is_sparse, "bricks");
  for (const char* option : camera_option_names) only(option, is_frustum, "frustum");
  if (command.count("--resolution") > 0 && command.count("--density") > 0) {
    refuse(fmt::format("--resolution is {} and --density is {:g}; a grid takes one of them",
                       one_line(options.resolution), options.density));
  }
}

namespace {

void write(Session& session, Context& context, const Mesh& mesh, const std::string& output, const Built& built,
           NanoCodec nano_codec) {
  const CancelToken cancel = session.cancel_token();
  if (const auto* tree = std::get_if<SahKdTree>(&built.tree)) {
    save_tree(output, context, mesh, *tree, cancel);
  } else if (const auto* tree = std::get_if<KdTree>(&built.tree)) {
    save_tree(output, context, mesh.positions, *tree, cancel);
  } else if (const auto* bvh = std::get_if<PointBvh>(&built.tree)) {
    save_tree(output, context, mesh.positions, *bvh, cancel);
  } else if (has_ending(output, ".nvdb")) {
    save_nano_grid(output, built.nano, nano_codec, cancel);
  } else {
    save_voxels(output, built.voxels, cancel);
  }
  session.note("wrote {}", output);
}

}  // namespace

int build_structure(Session& session, const std::string& input, const std::string& output,
                    const StructureOptions& options) {
  const bool writes = !output.empty() || !options.slices.empty();
  check_mesh_input(input);
  const bool is_nano = options.structure == Structure::bricks && has_ending(output, ".nvdb");
  const bool is_voxels = options.structure == Structure::voxels || options.structure == Structure::bricks;
  if (!output.empty()) check_output(output, is_nano ? ".nvdb" : is_voxels ? ".voxels" : ".copse", input);
  if (!options.slices.empty()) check_output(options.slices + "/slice-0000.png", ".png", input);
  const auto context = session.make_context();
  session.progress().expect_stages(writes ? 3 : 2);

  session.begin("reading");
  const Mesh mesh = session.read_mesh(input);

  session.begin("building");
  const DeviceMesh device_mesh(*context, mesh);
  const Built built = build_by(*context, device_mesh.view(), bounds(mesh), options,
                               {.voxels = writes && !(is_nano && options.slices.empty()), .nano = is_nano});

  if (writes) session.begin("writing");
  if (!output.empty()) write(session, *context, mesh, output, built, options.nano_codec);
  if (!options.slices.empty()) {
    save_slices(options.slices, built.voxels, session.cancel_token());
    session.note("wrote {} slices to {}", built.voxels.shape.resolution.z, options.slices);
  }
  Facts facts;
  facts.add("mesh", "{}: {} triangles, {} vertices", one_line(input), grouped(mesh.triangles.size()),
            grouped(mesh.positions.size()));
  facts.add("device", "{}", describe_in_words(*context));
  const std::string build_time = fmt::format("{:<18}{:.3f} ms\n", "build", built.milliseconds);
  session.print({{"copse", describe(*context)},
                 {"input", input},
                 {"triangles", mesh.triangles.size()},
                 {"vertices", mesh.positions.size()},
                 {"structure", name_of(options.structure)},
                 {"statistics", built.statistics},
                 {"build_ms", built.milliseconds},
                 {"output", output.empty() ? Json() : Json(output)}},
                facts.text() + built.facts.text() + build_time);
  return exit_ok;
}

}  // namespace copse::cli
