#include "builders/grid/frustum_check.h"
#include "builders/grid/grid_stats.h"
#include "builders/grid/uniform_grid.h"
#include "cli/options/structure_builds.h"
#include "trace/frustum_rays.h"

namespace copse::cli {

namespace {

GridOptions grid_options(const StructureOptions& options) {
  GridOptions result;
  if (options.density > 0) result.density = options.density;
  const std::vector<u32> numbers = resolution_of(options);
  if (numbers.size() == 1) result.resolution = uvec3(numbers[0]);
  if (numbers.size() == 3) result.resolution = uvec3(numbers[0], numbers[1], numbers[2]);
  return result;
}

FrustumGridOptions frustum_options(const StructureOptions& options) {
  const std::vector<u32> numbers = resolution_of(options);
  if (numbers.empty()) return {};
  return {.resolution = uvec3(numbers[0], numbers[1], numbers[2])};
}

}  // namespace

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

}  // namespace copse::cli
