#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "builders/grid/frustum_layout.h"
#include "viewer/panels/panels.h"

namespace copse::viewer {

namespace {

/// The options of one builder alone.
bool builder_options(StructureOptions& options) {
  bool changed = false;
  if (options.builder != Builder::sah) {
    u32 bits = options.morton_bits == 0 ? 29 : options.morton_bits;
    const bool moved =
        slider("Morton bits", bits, 29, 63,
               "Bits of the Morton keys. More bits tell close triangles of large scenes apart; auto: as "
               "many as sort fastest",
               false, bits == 29 ? "auto" : "%u");
    if (moved) options.morton_bits = bits == 29 ? 0 : bits;
    changed |= moved;
  }
  if (options.builder == Builder::hploc) {
    changed |= slider("Radius", options.radius, 1, 8,
                      "How many clusters on each side are searched for the nearest neighbour");
  }
  if (options.builder == Builder::sah) {
    changed |= slider("Bins", options.bin_count, 2, 32, "Bins along each axis, between which a node may be split");
    changed |= slider("Rotations", options.rotation_passes, 0, 8,
                      "Passes that swap nodes which the greedy splits placed badly");
  }
  return changed;
}

/// The options of wide layouts, and the cost that splits and merges weigh.
bool wide_options(StructureOptions& options, u32 largest_leaf) {
  bool changed = false;
  if (options.layout != Layout::bvh2) {
    options.wide_leaf_size = std::min(options.wide_leaf_size, largest_leaf);
    changed |= slider("Merged leaves", options.wide_leaf_size, 0, largest_leaf,
                      "Wide nodes merge subtrees of up to so many triangles into one leaf, where that costs less",
                      false, options.wide_leaf_size == 0 ? "auto" : "up to %u");
  }
  if (options.builder == Builder::sah || options.layout != Layout::bvh2) {
    changed |=
        slider("Node cost", options.traversal_cost, 0.1f, 10, "%.2f",
               "Cost of visiting a node, where testing a triangle costs 1. The more a node costs, the larger "
               "the leaves that splits and merges choose",
               true);
  }
  return changed;
}

bool tree_options(StructureOptions& options) {
  bool changed =
      choice("Builder", options.builder,
             "fast, balanced, best: the library's Accel, which chooses all other options; fast for scenes "
             "that are rebuilt in every frame, best for scenes that do not change. By hand: lbvh sorts by "
             "Morton keys and builds fastest; hploc merges neighbours by their area; sah splits from the "
             "root down by the surface area heuristic and makes the best trees");
  changed |=
      slider("Splits", options.splits, 1, 2, options.splits > 1 ? "%.2f per triangle" : "none",
             "Room for references per triangle. Triangles that fill their boxes badly are split, so that rays "
             "pass by them sooner; rays at large walls become slower; the build and the tree grow by the factor");
  if (quality_of(options.builder)) return changed;
  changed |= choice("Layout", options.layout,
                    "bvh2: two children per node; bvh4: four; cbvh4 and cbvh8: four and eight, boxes compressed "
                    "to 8 bits per plane");
  const u32 largest_leaf = options.layout == Layout::cbvh8 ? 3 : 32;
  options.max_leaf_size = std::min(options.max_leaf_size, largest_leaf);
  changed |= slider("Leaf size", options.max_leaf_size, 1, largest_leaf, "Maximum triangles per leaf");
  changed |= builder_options(options);
  changed |= slider("Reinsertion", options.reinsertion_passes, 0, 16,
                    "Passes that move subtrees to better places, after the builder. They lower the SAH cost most "
                    "where boxes of uneven size overlap; each pass gains less",
                    false, options.reinsertion_passes == 0 ? "none" : "%u passes");
  changed |= wide_options(options, largest_leaf);
  changed |=
      checkbox("Measure overlap (EPO)", options.overlap,
               "The end-point overlap of nodes predicts tracing times better than the SAH cost. To measure it "
               "takes longer than the build");
  return changed;
}

bool grid_options(StructureOptions& options) {
  bool changed = slider("Density", options.density, 0.1f, 64, "%.2f", "Cells per triangle", true);
  u32 resolution = options.grid_resolution.x;
  if (slider("Resolution", resolution, 0, 1024, "Cells along each axis; 0: from the density", false,
             resolution == 0 ? "from density" : "%u")) {
    options.grid_resolution = uvec3(resolution);
    changed = true;
  }
  return changed;
}

bool voxel_options(StructureOptions& options) {
  bool changed = slider("Resolution", options.voxel_resolution, 1, 512, "Voxels along the longest edge", true);
  changed |= choice("Rule", options.rule,
                    "touched: every voxel that a triangle touches; crossed: a thin shell without holes; inside: "
                    "the solid of a closed mesh");
  return changed;
}

bool frustum_options(StructureOptions& options) {
  uvec3& resolution = options.frustum_resolution;
  bool changed = slider("Tiles across", resolution.x, 1, max_frustum_tiles, "Tiles of the picture", true);
  changed |= slider("Tiles down", resolution.y, 1, max_frustum_tiles, "Tiles of the picture", true);
  changed |= slider("Slabs", resolution.z, 1, max_frustum_slabs, "Depth ranges per tile", true);
  changed |= checkbox("Follow the camera", options.frustum_follows,
                      "Builds a new grid for every picture. Else the grid stays with its first camera: move away "
                      "and look at its cells (G); rays from elsewhere traverse a tree");
  return changed;
}

bool points_options(StructureOptions& options) {
  bool changed = slider("Points per cell", options.points_per_cell, 0.1f, 64, "%.2f",
                        "If they were spread evenly over their box", true);
  float size = options.point_cell_size * 100;
  if (slider("Cell size", size, 0, 20, size == 0 ? "from points" : "%.2f %%",
             "Edge of a cell in hundredths of the scene's diagonal; 0: from points per cell")) {
    options.point_cell_size = size == 0 ? 0 : std::max(size / 100, min_point_cell);
    changed = true;
  }
  float radius = options.ball_radius * 100;
  if (slider("Ball radius", radius, 0.01f, 10, "%.2f %%",
             "Rays see points as balls. Their radius in hundredths of the scene's diagonal, at most half a cell",
             true)) {
    options.ball_radius = radius / 100;
    changed = true;
  }
  return changed;
}

bool kind_options(StructureOptions& options) {
  switch (options.kind) {
    case StructureKind::bvh: return tree_options(options);
    case StructureKind::grid: return grid_options(options);
    case StructureKind::frustum: return frustum_options(options);
    case StructureKind::voxels: return voxel_options(options);
    case StructureKind::points: return points_options(options);
    case StructureKind::kdtree:
      return slider("Traversal cost", options.traversal_cost, 0.1f, 10, "%.2f",
                    "Cost of a node, for a triangle's 1. More gives fewer cells and longer lists", true);
    case StructureKind::file: return false;
    case StructureKind::bricks:
    case StructureKind::octree:
    case StructureKind::dag:
      return slider("Resolution", options.brick_resolution, 1, 4096, "Voxels along the longest edge", true);
  }
  return false;
}

/// Only a scene of a .copse or .voxels file, or of instances, has the last kind.
bool kind_choice(Session& session, StructureOptions& options) {
  const auto kinds = names<StructureKind>();
  const bool has_file = session.geometry()->has_structure();
  u64 chosen = u64(options.kind);
  if (!choice(
          "Kind", kinds.data(), has_file ? kinds.size() : kinds.size() - 1, chosen,
          "bvh: a tree of boxes. grid: cells of equal size over the scene. frustum: a grid over what the camera "
          "sees. voxels, bricks: small cubes, all of them or only those near triangles. points: the vertices, in "
          "a hash grid. kdtree: planes that cut the scene into cells. octree: a tree of voxels; dag: the same, "
          "with equal subtrees stored once. file: the structure that the file holds, or both levels of a scene of "
          "instances")) {
    return false;
  }
  options.kind = StructureKind(chosen);
  return true;
}

void side_tabs(Desk& desk) {
  if (!ImGui::BeginTabBar("sides")) return;
  const char* labels[] = {"A", "B"};
  for (u32 side = 0; side < 2; ++side) {
    const int flags = ImGuiTabItemFlags_None;
    if (ImGui::BeginTabItem(labels[side], nullptr, flags)) {
      desk.state.side = side;
      ImGui::EndTabItem();
    }
    note_widget(labels[side]);
    explain(side == 0 ? "The structure that is shown" : "A second structure, to compare with");
  }
  ImGui::EndTabBar();
}

void build_buttons(Desk& desk) {
  const u32 side = desk.state.side;
  Session& session = desk.session;
  const float half = (ImGui::GetContentRegionAvail().x - ImGui::GetStyle().ItemSpacing.x) / 2;
  const bool differs = session.differs(side);
  if (differs) ImGui::PushStyleColor(ImGuiCol_Button, ImGui::GetStyleColorVec4(ImGuiCol_ButtonHovered));
  if (button(differs ? "Build" : "Rebuild", "Builds the structure again (R)", half))
    desk.commands.push_back(Command::rebuild);
  if (differs) ImGui::PopStyleColor();
  ImGui::SameLine();
  const bool refits = session.has_structure(side) && can_refit(session.built(side));
  ImGui::BeginDisabled(!refits);
  if (button("Refit", "Fits the boxes to the triangles; the tree keeps its shape (T)", half)) {
    desk.commands.push_back(Command::refit);
  }
  ImGui::EndDisabled();
}

void drift(Session& session, u32 side) {
  const std::optional<double> drift = session.sah_drift(side);
  if (!drift) return;
  fact("SAH drift", fmt::format("{:+.1f} %", (*drift - 1) * 100),
       "SAH cost of the refitted tree divided by that of the last build");
}

}  // namespace

void structure_panel(Desk& desk) {
  const WidgetScope scope("Structure");
  Session& session = desk.session;
  choice("Compare", session.comparison(),
         "Shows two structures with the same camera: side by side, or the difference of their heat maps (C)");
  side_tabs(desk);
  const u32 side = desk.state.side;
  StructureOptions& options = session.wanted(side);
  bool changed = choice("Backend", options.backend, "automatic: the GPU if there is one");
  changed |= kind_choice(session, options);
  changed |= kind_options(options);
  desk.state.build_waits |= changed;

  // After a change by a slider, the build starts when the slider is released.
  if (desk.state.build_waits && desk.state.build_changes && !ImGui::IsAnyItemActive()) {
    desk.state.build_waits = false;
    session.build(side);
  }
  build_buttons(desk);
  if (side == 1 && session.comparison() == Comparison::off) quiet_text("B is built once Compare shows it.");
  checkbox("Build on every change", desk.state.build_changes);
  drift(session, side);
}

}  // namespace copse::viewer
