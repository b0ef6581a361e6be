// A guide through the structures for those who have never seen one: each step says a thing and shows it.

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <iterator>

#include "viewer/panels/panels.h"

namespace copse::viewer {

namespace {

/// The scene at rest, one tree, no lines: what each step begins with.
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

void play(Session& session, UpdateMode update_mode) {
  start_over(session);
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
     "A scene is a heap of triangles, each in its colour here. Which of them does a ray through a pixel meet "
     "first? To "
     "test them all, for every pixel, takes far too long. A structure lets rays leave out nearly all of them.",
     show_triangles},
    {"Boxes",
     "Triangles that are near each other go into a box. A ray that misses the box misses all that is in it. Here "
     "are the "
     "box of everything, the two boxes in it, and the two in each of those.",
     show_boxes},
    {"A tree of boxes",
     "Every box holds two smaller ones, down to leaves of a few triangles: a bounding volume hierarchy. Walk its "
     "levels with [ and ], or with the slider under Overlays.",
     show_levels},
    {"Leaves",
     "Each leaf in its colour. Leaf size, under Structure, says how many triangles one may have; try it.",
     show_leaves},
    {"The way of a ray",
     "A ray begins at the root and goes down into the boxes that it enters, the nearer one first. These are the "
     "boxes "
     "that the ray through the middle visited, and Picked pixel lists them. Click anywhere for another ray.",
     show_ray},
    {"What rays cost",
     "The more boxes and triangles a ray has to visit, the hotter its pixel. Edges are hot: rays that pass close "
     "by "
     "enter many boxes for nothing.",
     show_heat},
    {"How a tree is made: by a curve",
     "LBVH sorts the triangles along a curve that fills space, the Morton curve, and reads the tree off the "
     "sorted keys. "
     "That takes a few passes over the data: it is the fastest way.",
     show_curve},
    {"How a tree is made: with care",
     "SAH tries many ways to split every box, and takes the one that lets rays do the least. Left LBVH, right "
     "SAH: the "
     "tree took longer to build, and its picture is colder. H-PLOC stands between them.",
     show_builders},
    {"Broken",
     "The scene moves, and the boxes stay where they were: rays look for triangles where there are none any more.",
     show_broken},
    {"Refitted",
     "Refit moves the boxes along with the triangles and keeps the tree's shape. That is fast, but what was close "
     "may come to lie apart: watch SAH drift, under Structure.",
     show_refit},
    {"Rebuilt",
     "Or a fresh tree every frame, which never gets worse. The curves below say what either costs. The rest is "
     "yours: H "
     "lists all keys.",
     show_rebuild},
};

}  // namespace

void guide(Desk& desk, const Rectangle& place) {
  PanelState& state = desk.state;
  if (!state.guide) {
    state.guide_shown.reset();
    return;
  }
  const WidgetScope scope("Guide");
  const u32 count = u32(std::size(steps));
  const float width = std::min(ImGui::GetFontSize() * 25, place.width - 24);
  if (width < ImGui::GetFontSize() * 8) return;
  ImGui::SetNextWindowPos(ImVec2(place.x + place.width - 12, place.y + place.height - 12), ImGuiCond_Always,
                          ImVec2(1, 1));
  ImGui::SetNextWindowSizeConstraints(ImVec2(width, 0), ImVec2(width, place.height - 24));
  ImGui::SetNextWindowBgAlpha(0.94f);
  constexpr int flags = ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoMove |
                        ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoFocusOnAppearing;
  if (ImGui::Begin("Guide", &state.guide, flags)) {
    const Step& step = steps[std::min(state.guide_step, count - 1)];
    ImGui::TextColored(ImVec4(0.45f, 0.8f, 0.68f, 1), "%s", step.heading);
    ImGui::PushTextWrapPos(width - ImGui::GetStyle().WindowPadding.x);
    ImGui::TextUnformatted(step.text);
    ImGui::PopTextWrapPos();
    ImGui::Spacing();
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
    if (button("Show again", "Sets the view up as this step has it")) state.guide_shown.reset();
  }
  ImGui::End();
  if (state.guide_shown == state.guide_step || desk.session.geometry()->parts.empty()) return;
  state.guide_shown = state.guide_step;
  steps[state.guide_step].show(desk.session);
}

}  // namespace copse::viewer
