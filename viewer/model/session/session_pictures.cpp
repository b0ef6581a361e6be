#include <algorithm>
#include <chrono>

#include "viewer/model/inspect/overlay_lines.h"
#include "viewer/model/picture/comparison.h"
#include "viewer/model/scene/hand.h"
#include "viewer/model/session/session_state.h"

namespace copse::viewer {

PictureRequest Session::State::request(bool whole, double budget_ms) const {
  PictureRequest request;
  request.width = width;
  request.height = height;
  request.budget_ms = budget_ms;
  request.whole = whole;
  request.on_device = pictures_on_device && !whole && comparison != Comparison::difference;
  request.shot.view = view;
  request.shot.box = geometry->bounds;
  request.shot.camera = camera.camera(aspect());
  if (recording) request.shot.view.smooth_samples = 1;  // every frame moves
  if (comparison == Comparison::difference) {
    request.shot.view.view = View::heat;
    request.keeps_values = true;
  }
  // One scale for both heat maps, so that their colours can be compared.
  const u32 own[2] = {sides[0].renderer.picture().own_heat_limit, sides[1].renderer.picture().own_heat_limit};
  if (comparison != Comparison::off && view.heat_limit == 0) {
    request.shot.view.heat_limit = std::max(own[0], own[1]);
  }
  return request;
}

/// The time of this update, which comes `seconds` after the last one.
double Session::State::picture_budget_ms(double seconds) {
  const bool stays = camera.pose() == last_pose && !playback.playing && !user_is_active;
  still_seconds = stays ? still_seconds + seconds : 0;
  last_pose = camera.pose();
  // A user who stops for a moment goes on to move without a long update between.
  constexpr double pause_seconds = 0.1;
  const double ms = still_seconds > pause_seconds ? budget.resting_ms() : budget.moving_ms();
  // A job's threads share the processors with those of the picture.
  constexpr double share_beside_job = 0.6;
  return job ? ms * share_beside_job : ms;
}

void Session::State::make_pictures(bool whole, double budget_ms) {
  const auto needs_time = [&](u32 number) {
    const Side& side = sides[number];
    return side.live && builds(number) && !side.renderer.is_done(*side.live, request(whole, budget_ms));
  };
  const double share = needs_time(0) && needs_time(1) ? budget_ms / 2 : budget_ms;
  for (u32 number = 0; number < 2; ++number) {
    Side& side = sides[number];
    if (!side.live || !builds(number)) continue;
    messages.guard("the picture", [&] { side.renderer.advance(*side.live, request(whole, share)); });
    if (const std::optional<double> ms = side.renderer.take_trace_ms()) side.timings.trace.add(*ms);
    if (side.renderer.take_aimed()) side.timings.build.add(side.live->times().build_ms);
  }
  make_difference();
}

void Session::State::make_difference() {
  const Renderer &a = sides[0].renderer, &b = sides[1].renderer;
  const Image& image = a.picture().image;
  const bool is_there = comparison == Comparison::difference && sides[0].live && sides[1].live &&
                        !a.values().empty() && a.values().size() == b.values().size() &&
                        image.width == b.picture().image.width;
  if (!is_there) {
    if (comparison != Comparison::difference && difference.image.width != 0) {
      const u64 revision = difference.revision + 1;
      difference = {};
      difference.revision = revision;
      difference_of[0] = difference_of[1] = 0;
    }
    return;
  }
  const u64 revisions[2] = {a.picture().revision, b.picture().revision};
  if (std::equal(revisions, revisions + 2, difference_of)) return;
  std::copy(revisions, revisions + 2, difference_of);
  const u64 revision = difference.revision + 1;
  difference = a.picture();
  const u32 limit = view.heat_limit != 0 ? view.heat_limit
                                         : difference_limit(a.values(), b.values(), double(view.heat_percentile));
  difference.image = heat_difference(a.values(), b.values(), image.width, image.height, limit);
  difference.scale_rows = view.heat_legend ? draw_difference_scale(difference.image, limit) : 0;
  difference.revision = revision;
}

Side::LinesKey Session::State::lines_key_of(u32 side) const {
  const u64 pick = picked && picked_side == side ? pick_revision : 0;
  return {overlay, sides[side].live->form_revision(), pick, chosen ? geometry->placed : nullptr, chosen};
}

bool Session::State::lines_are_stale(u32 side) const {
  const Side& one = sides[side];
  return one.live && one.lines_key != lines_key_of(side);
}

void Session::State::make_lines(u32 number) {
  Side& side = sides[number];
  if (!side.live || !builds(number)) {
    if (side.lines.empty()) return;
    side.lines.clear();
    ++side.lines_revision;
    return;
  }
  if (!lines_are_stale(number)) return;
  const bool has_pick = picked && picked_side == number;
  side.lines_key = lines_key_of(number);
  ++side.lines_revision;
  side.lines.clear();
  const auto add_chosen = [&] {
    if (chosen) add_cell(side.lines, corners_of(*geometry->placed, *chosen), Rgba8{255, 176, 64, 255});
  };
  if (!needs_copy(overlay, has_pick)) {
    if (overlay.bounds) add_box(side.lines, geometry->bounds, Rgba8{90, 110, 140, 255});
    return add_chosen();
  }
  messages.guard("the lines", [&] {
    OverlayLines made = make_overlay(overlay, side.live->host_copy(), side.live->host_triangles(),
                                     has_pick ? &*picked : nullptr, geometry->bounds);
    side.lines = std::move(made.lines);
    if (!made.note.empty() && made.note != side.lines_note) messages.add(Severity::note, made.note);
    side.lines_note = made.note;
  });
  add_chosen();
}

void Session::State::pick(float x, float y, u32 number) {
  Side& side = sides[std::min(number, 1u)];
  if (!side.live || width == 0 || height == 0 || !(x >= 0 && x <= 1 && y >= 0 && y <= 1)) return;
  messages.guard("picking", [&] {
    const Picture& picture = side.renderer.picture();
    const Camera shown = picture.image.width > 0 ? picture.camera : camera.camera(aspect());
    const u32 column = std::min(u32(x * float(width)), width - 1),
              row = std::min(u32(y * float(height)), height - 1);
    const Ray ray = half_space(view.slice, geometry->bounds).clip(camera_ray(shown, column, row, width, height));
    picked.emplace().ray = ray;
    picked_side = std::min(number, 1u);
    pick_again();
  });
}

/// Traces the picked ray through the current structure.
void Session::State::pick_again() {
  Side& side = sides[picked_side];
  if (!picked || !side.live) return;
  const HostCopy& copy = side.live->host_copy();
  picked = copy.walk(side.live->host_triangles(), picked->ray);
  picked->target = copy.target();
  picked_structure = side.live->revision();
  ++pick_revision;
  if (!is_hit(picked->hit)) return;
  const u32 triangle = picked->hit.primitive;
  const bool has_part = copy.target() == Target::triangle && triangle < geometry->mesh.triangles.size();
  if (!has_part) return;
  const ScenePart& part = geometry->part_of(triangle);
  picked->part = part.name;
  picked->part_id = u32(&part - geometry->parts.data());
}

}  // namespace copse::viewer
