// Measures grids, voxels and bricks that are built anew in memory that is there already. The bytes of a row: the
// mesh is read once, and the result is written once.

#include <memory>

#include "bench/grids/rows.h"
#include "copse.h"
#include "copse/grids.h"

namespace copse::bench {

namespace {

/// A mesh in the memory of a comparison's context.
struct SourceMesh {
  Buffer<vec3> positions;
  Buffer<uvec3> triangles;

  SourceMesh(Context& context, const Mesh& mesh)
      : positions(context, mesh.positions), triangles(context, mesh.triangles) {}
  TriangleView view() const { return {.positions = positions.span(), .triangles = triangles.span()}; }
  double bytes() const { return double(positions.size_bytes() + triangles.size_bytes()); }
};

double bytes_of(const Grid& grid) {
  const GridCounts counts = grid.counts.download()[0];
  return 4.0 * double(counts.stored_count + grid.cell_capacity() + 1);
}

void add_uniform_grid(Comparison& c, const Mesh& mesh, const GridOptions& options) {
  const auto source = std::make_shared<SourceMesh>(c.context, mesh);
  const auto grid = std::make_shared<Grid>(build_grid(c.context, source->view(), options));
  c.ours = [&c, source, grid, options] { rebuild_grid(c.context, *grid, source->view(), options); };
  c.bytes = source->bytes() + bytes_of(*grid);
  const GridStats s = stats(c.context, *grid);
  c.add_counter("cells", double(s.cell_count));
  c.add_counter("references", double(s.counts.stored_count));
  c.add_counter("bytes", c.bytes);
}

void add_frustum_grid(Comparison& c, const Mesh& mesh, const Camera& camera) {
  const auto source = std::make_shared<SourceMesh>(c.context, mesh);
  const ViewFrustum frustum = view_frustum(camera);
  const auto grid = std::make_shared<FrustumGrid>(build_frustum_grid(c.context, source->view(), frustum));
  c.ours = [&c, source, grid, frustum] { rebuild_frustum_grid(c.context, *grid, source->view(), frustum); };
  c.bytes = source->bytes() + bytes_of(grid->cells);
  const FrustumGridStats s = stats(c.context, *grid);
  c.add_counter("cells", double(s.cell_count));
  c.add_counter("references", double(s.counts.stored_count));
  c.add_counter("bytes", c.bytes);
}

void add_voxels(Comparison& c, const Mesh& mesh, u32 resolution) {
  const auto source = std::make_shared<SourceMesh>(c.context, mesh);
  const auto voxels = std::make_shared<Voxels>(build_voxels(c.context, source->view(), resolution));
  c.ours = [&c, source, voxels] { voxelize(c.context, *voxels, source->view()); };
  c.bytes = source->bytes() + double(voxels->words.size_bytes());
  c.add_counter("voxels", double(count_voxels(c.context, *voxels)));
  c.add_counter("bytes", c.bytes);
}

void add_bricks(Comparison& c, const Mesh& mesh, u32 resolution) {
  const auto source = std::make_shared<SourceMesh>(c.context, mesh);
  const auto bricks =
      std::make_shared<Bricks>(build_bricks(c.context, source->view(), {.resolution = resolution}));
  c.ours = [&c, source, bricks] { rebuild_bricks(c.context, *bricks, source->view()); };
  c.bytes = source->bytes() + double(bricks->size_bytes());
  c.add_counter("bricks", double(bricks->brick_capacity()));
  c.add_counter("bytes", c.bytes);
}

/// From triangles to a grid of NanoVDB that numbers its voxels. The memory of the grid is new each time.
void add_nano_grid(Comparison& c, const Mesh& mesh, u32 resolution) {
  const auto source = std::make_shared<SourceMesh>(c.context, mesh);
  const auto bricks =
      std::make_shared<Bricks>(build_bricks(c.context, source->view(), {.resolution = resolution}));
  c.ours = [&c, source, bricks] {
    rebuild_bricks(c.context, *bricks, source->view());
    (void)build_nano_grid(c.context, *bricks, NanoType::index);
  };
  c.bytes = source->bytes() + double(build_nano_grid(c.context, *bricks, NanoType::index).size_bytes());
  c.add_counter("bricks", double(bricks->brick_capacity()));
  c.add_counter("bytes", c.bytes);
}

/// From triangles to distances. The memory is new each time. The bytes: the mesh, and bricks with their values.
void add_distance_field(Comparison& c, const Mesh& mesh, u32 resolution) {
  const auto source = std::make_shared<SourceMesh>(c.context, mesh);
  const DistanceField field = build_distance_field(c.context, source->view(), {.resolution = resolution});
  c.ours = [&c, source, resolution] {
    (void)build_distance_field(c.context, source->view(), {.resolution = resolution});
  };
  c.bytes = source->bytes() + double(field.size_bytes());
  c.add_counter("bricks", double(field.brick_count()));
  c.add_counter("voxels", double(count_voxels(c.context, field.bricks)));
  c.add_counter("bytes", c.bytes);
}

/// An octree over bricks that are there already, or the DAG of an octree.
void add_voxel_tree(Comparison& c, const Mesh& mesh, u32 resolution, bool is_dag) {
  const auto bricks = [&] {
    const SourceMesh source(c.context, mesh);
    auto built = std::make_shared<Bricks>(build_bricks(c.context, source.view(), {.resolution = resolution}));
    c.context.wait();
    return built;
  }();
  const auto octree = std::make_shared<VoxelTree>(build_octree(c.context, *bricks));
  const VoxelTree dag = build_dag(c.context, *octree);
  if (is_dag) {
    c.ours = [&c, octree] { (void)build_dag(c.context, *octree); };
    c.bytes = double(octree->size_bytes() + dag.size_bytes());
  } else {
    c.ours = [&c, bricks] { (void)build_octree(c.context, *bricks); };
    c.bytes = double(bricks->words.size_bytes() + bricks->keys.size_bytes() + octree->size_bytes());
  }
  c.add_counter("octree_nodes", double(octree->nodes.size()));
  c.add_counter("octree_leaves", double(octree->leaves.size()));
  c.add_counter("nodes", double(is_dag ? dag.nodes.size() : octree->nodes.size()));
  c.add_counter("leaves", double(is_dag ? dag.leaves.size() : octree->leaves.size()));
  c.add_counter("bytes", c.bytes);
}

Mesh million() {
  return generate_random(1'000'000, 0.005f);
}

/// A camera that sees the unit cube from outside.
Camera camera_on_cube() {
  return frame_box({vec3(0), vec3(1)}, 40, 1);
}

}  // namespace

void add_structure_rows(Rows& rows, const std::string& testball) {
  rows.add("grid/uniform/128x128x16", 1'000'000,
           [](Comparison& c) { add_uniform_grid(c, million(), {.resolution = uvec3(128, 128, 16)}); });
  rows.add("grid/frustum/128x128x16/random", 1'000'000,
           [](Comparison& c) { add_frustum_grid(c, million(), camera_on_cube()); });
  rows.add("grid/frustum/128x128x16/inside", 1'000'000, [](Comparison& c) {
    add_frustum_grid(c, million(), look_at(vec3(0.5f), vec3(1, 0.6f, 0.7f), vec3(0, 1, 0), 60, 1));
  });
  rows.add("grid/frustum/128x128x16/sphere", 1'310'720, [](Comparison& c) {
    add_frustum_grid(c, generate_sphere(8), frame_box({vec3(-1), vec3(1)}, 40, 1));
  });
  rows.add("grid/uniform/density_4/random_10M", 10'000'000,
           [](Comparison& c) { add_uniform_grid(c, generate_random(10'000'000, 0.002f), {}); });
  if (testball.empty()) return;
  const Mesh mesh = load_mesh(testball);
  const u64 n = mesh.triangles.size();
  rows.add("voxels/touched/2048", n, [mesh](Comparison& c) { add_voxels(c, mesh, 2048); });
  rows.add("bricks/4096/testball-x64", 64 * n, [mesh](Comparison& c) { add_bricks(c, subdivide(mesh, 3), 4096); });
  rows.add_on_stream("bricks/8192/testball-x64", 64 * n,
                     [mesh](Comparison& c) { add_bricks(c, subdivide(mesh, 3), 8192); });
  rows.add_on_stream("bricks/32768/testball-x64", 64 * n,
                     [mesh](Comparison& c) { add_bricks(c, subdivide(mesh, 3), 32768); });
  rows.add_on_stream("bricks/65536/testball-x64", 64 * n,
                     [mesh](Comparison& c) { add_bricks(c, subdivide(mesh, 3), 65536); });
  rows.add_on_stream("octree/8192/testball-x64", 64 * n,
                     [mesh](Comparison& c) { add_voxel_tree(c, subdivide(mesh, 3), 8192, false); });
  rows.add_on_stream("dag/8192/testball-x64", 64 * n,
                     [mesh](Comparison& c) { add_voxel_tree(c, subdivide(mesh, 3), 8192, true); });
  rows.add_on_stream("nano/index/4096/testball-x64", 64 * n,
                     [mesh](Comparison& c) { add_nano_grid(c, subdivide(mesh, 3), 4096); });
  rows.add_on_stream("distance/512/testball", n, [mesh](Comparison& c) { add_distance_field(c, mesh, 512); });
  rows.add_on_stream("distance/2048/testball-x64", 64 * n,
                     [mesh](Comparison& c) { add_distance_field(c, subdivide(mesh, 3), 2048); });
  rows.add_on_stream("distance/4096/testball-x64", 64 * n,
                     [mesh](Comparison& c) { add_distance_field(c, subdivide(mesh, 3), 4096); });
}

}  // namespace copse::bench
