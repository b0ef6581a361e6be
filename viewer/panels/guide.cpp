// A guide for users who have never seen an acceleration structure. Each step explains one thing and shows it.

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <iterator>

#include "viewer/panels/panels.h"

namespace copse::viewer {

namespace {

/// Resets the session to what each step begins with: the scene at rest, one tree, no lines.
void start_over(Session& session) {
  session.view().view = View::shaded;
  session.view().slice.on = false;
  session.overlay() = OverlaySettings{};
  session.overlay().picked_path = false;
  session.comparison() = Comparison::off;
  session.playback().playing = false;
  session.playback().deformation = Deformation::none;
}

void build_tree(Session& session, u32 side, Builder builder) {
  StructureOptions& wanted = session.wanted(side);
  wanted.kind = StructureKind::bvh;
  wanted.builder = builder;
  wanted.layout = Layout::bvh2;
  if (session.differs(side)) session.build(side);
}

void show_triangles(Session& session) {
  start_over(session);
  build_tree(session, 0, Builder::lbvh);
  session.view().view = View::primitives;
}

void show_boxes(Session& session) {
  start_over(session);
  session.overlay().boxes = true;
  session.overlay().level = 2;
  session.overlay().levels_above = true;
}

void show_levels(Session& session) {
  start_over(session);
  session.overlay().boxes = true;
  session.overlay().level = std::min(8u, session.deepest_level(0));
}

void show_leaves(Session& session) {
  start_over(session);
  session.view().view = View::leaves;
}

void show_ray(Session& session) {
  start_over(session);
  session.overlay().picked_path = true;
  session.overlay().on_top = true;
  session.pick(0.5f, 0.5f);
}

void show_heat(Session& session) {
  start_over(session);
  session.view().view = View::heat;
}

void show_curve(Session& session) {
  start_over(session);
  session.overlay().curve = true;
}

void show_builders(Session& session) {
  start_over(session);
  build_tree(session, 0, Builder::lbvh);
  session.comparison() = Comparison::side_by_side;
  build_tree(session, 1, Builder::sah);
  session.view().view = View::heat;
}

/// Plays a deformation with a binary tree, which keeps no triangles of its own: left as it is, its picture breaks.
void play(Session& session, UpdateMode update_mode) {
  start_over(session);
  build_tree(session, 0, Builder::lbvh);
  session.overlay().boxes = true;
  session.overlay().level = 6;
  session.update_mode() = update_mode;
  session.playback().deformation = Deformation::twist;
  session.playback().loops = true;
  session.playback().playing = true;
}

void show_broken(Session& session) {
  play(session, UpdateMode::nothing);
}
void show_refit(Session& session) {
  play(session, UpdateMode::refit);
}
void show_rebuild(Session& session) {
  play(session, UpdateMode::rebuild);
}

struct Step {
  const char* heading;
  const char* text;
  void (*show)(Session&);
};

constexpr Step steps[] = {
    {"Triangles",
     "A scene is a large set of triangles. Here each has its own colour. Which triangle does the ray through a "
     "pixel hit first? To test all of them for every pixel takes far too long. An acceleration structure lets a "
     "ray skip nearly all of them.",
     show_triangles},
    {"Boxes",
     "Triangles that are near each other go into a box. A ray that misses the box misses everything in it. Here "
     "are the box of the whole scene, the two boxes in it, and the two boxes in each of those.",
     show_boxes},
    {"A tree of boxes",
     "Every box holds two smaller boxes, down to leaves with a few triangles. This is a bounding volume "
     "hierarchy, or BVH. Walk through its levels with [ and ], or with the slider under Overlays.",
     show_levels},
    {"Leaves",
     "Each leaf has its own colour. Leaf size, under Structure, is the maximum number of triangles per leaf. Try "
     "other values.",
     show_leaves},
    {"The path of a ray",
     "A ray starts at the root and goes down into the boxes that it enters, the nearer one first. You see the "
     "boxes that the ray through the middle visited. Picked pixel lists them. Click anywhere to pick another ray.",
     show_ray},
    {"What rays cost",
     "The more boxes and triangles a ray visits, the hotter its pixel. Edges are hot: rays that pass close to a "
     "surface enter many boxes and hit nothing.",
     show_heat},
    {"How a tree is built: along a curve",
     "LBVH sorts the triangles along the Morton curve, a curve that fills space. Then it reads the tree from the "
     "sorted keys. This takes only a few passes over the data, so it is the fastest way to build.",
     show_curve},
    {"How a tree is built: with care",
     "SAH tries many ways to split each box and takes the one with the least expected work for rays. On the left "
     "is LBVH, on the right SAH. The SAH tree took longer to build, and its picture is colder: its rays do less "
     "work. H-PLOC is between the two.",
     show_builders},
    {"Broken",
     "The scene moves, but the boxes stay where they were. Rays look for triangles where there are none any more.",
     show_broken},
    {"Refitted",
     "Refit moves the boxes with the triangles and keeps the shape of the tree. That is fast, but triangles that "
     "were close may move apart, and then rays cost more. Watch SAH drift, under Structure.",
     show_refit},
    {"Rebuilt",
     "The other way is a new tree for every frame, which never gets worse. The curves below show what each way "
     "costs. Now it is your turn: press H for a list of all keys.",
     show_rebuild},
};

constexpr int fixed_window = ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoCollapse |
                             ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                             ImGuiWindowFlags_NoFocusOnAppearing;
void heading_and_text(const char* heading, const char* text) {
  ImGui::TextColored(heading_colour(), "%s", heading);
  ImGui::PushTextWrapPos(ImGui::GetWindowContentRegionMax().x);
  ImGui::TextUnformatted(text);
  ImGui::PopTextWrapPos();
  ImGui::Spacing();
}

/// Without a mesh there is nothing to see of what the steps speak of.
void explain_empty_scene(Desk& desk) {
  heading_and_text(
      "First, a mesh",
      "The guide explains what you see, so it needs a scene. Drop an OBJ or PLY file on the window, or "
      "press one of these buttons. The first step comes once the mesh is there.");
  first_mesh_buttons(desk);
}

void explain_step(PanelState& state) {
  const u32 count = u32(std::size(steps));
  const Step& step = steps[std::min(state.guide_step, count - 1)];
  heading_and_text(step.heading, step.text);
  ImGui::BeginDisabled(state.guide_step == 0);
  if (button("Back")) --state.guide_step;
  ImGui::EndDisabled();
  ImGui::SameLine();
  ImGui::BeginDisabled(state.guide_step + 1 >= count);
  if (button("Next")) ++state.guide_step;
  ImGui::EndDisabled();
  ImGui::SameLine();
  ImGui::AlignTextToFramePadding();
  ImGui::TextDisabled("%u of %u", state.guide_step + 1, count);
  ImGui::SameLine();
  if (button("Show again", "Sets the view to that of this step again")) state.guide_shown.reset();
}

}  // namespace

void guide_offer(Desk& desk, const Rectangle& place) {
  PanelState& state = desk.state;
  state.guide_offer &= !state.guide;
  if (!state.guide_offer) return;
  const WidgetScope scope("Offer");
  const float width = std::min(ImGui::GetFontSize() * 20, place.width - 24);
  if (width < ImGui::GetFontSize() * 8) return;
  const float below_names = place.y + ImGui::GetFrameHeight() * 2;
  ImGui::SetNextWindowPos(ImVec2(place.x + place.width - 12, below_names), ImGuiCond_Always, ImVec2(1, 0));
  ImGui::SetNextWindowSizeConstraints(ImVec2(width, 0), ImVec2(width, place.height - 24));
  ImGui::SetNextWindowBgAlpha(0.94f);
  if (ImGui::Begin("New here?", &state.guide_offer, fixed_window)) {
    ImGui::PushTextWrapPos(width - ImGui::GetStyle().WindowPadding.x);
    ImGui::TextUnformatted("A guide explains in eleven steps what you see. Each step sets the view up anew.");
    ImGui::PopTextWrapPos();
    if (button("Start the guide", "/ opens it at any time")) {
      state.guide = true;
      state.guide_offer = false;
    }
    ImGui::SameLine();
    if (button("No, thanks", "Esc")) state.guide_offer = false;
  }
  ImGui::End();
}

void guide(Desk& desk, const Rectangle& place) {
  PanelState& state = desk.state;
  if (!state.guide) {
    state.guide_shown.reset();
    return;
  }
  const WidgetScope scope("Guide");
  const float width = std::min(ImGui::GetFontSize() * 25, place.width - 24);
  if (width < ImGui::GetFontSize() * 8) return;
  const float height = place.height - state.scale_height - 24;  // a colour scale stays in sight
  ImGui::SetNextWindowPos(ImVec2(place.x + place.width - 12, place.y + height + 12), ImGuiCond_Always,
                          ImVec2(1, 1));
  ImGui::SetNextWindowSizeConstraints(ImVec2(width, 0), ImVec2(width, std::max(height, 1.0f)));
  ImGui::SetNextWindowBgAlpha(0.94f);
  if (ImGui::Begin("Guide", &state.guide, fixed_window)) {
    const ImVec2 corner = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
    note_place("Window", {corner.x, corner.y, size.x, size.y});
    if (desk.session.geometry()->parts.empty()) {
      explain_empty_scene(desk);
    } else {
      explain_step(state);
    }
  }
  ImGui::End();
  if (state.guide_shown == state.guide_step || desk.session.geometry()->parts.empty()) return;
  state.guide_shown = state.guide_step;
  steps[state.guide_step].show(desk.session);
}

}  // namespace copse::viewer
