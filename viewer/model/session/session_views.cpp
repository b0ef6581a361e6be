// The functions of Session for pictures, picking and files.

#include <utility>

#include "viewer/model/session/session.h"
#include "viewer/model/session/session_state.h"
#include "viewer/model/settings/settings.h"
#include "viewer/model/settings/statistics_json.h"

namespace copse::viewer {

namespace fs = std::filesystem;

// ---- Picture --------------------------------------------------------------------------------------------------

ViewSettings& Session::view() {
  return state_->view;
}
CameraRig& Session::camera() {
  return state_->camera;
}
void Session::frame_scene() {
  state_->camera.frame(state_->geometry->bounds, state_->aspect());
}
void Session::add_bookmark() {
  std::vector<Bookmark>& bookmarks = state_->camera.bookmarks;
  bookmarks.push_back({"View " + std::to_string(bookmarks.size() + 1), state_->camera.pose(), state_->scene_name});
}

const Picture& Session::picture(u32 side) const {
  return state_->sides[side_of(side)].renderer.picture();
}
const Picture& Session::difference() const {
  return state_->difference;
}
OverlaySettings& Session::overlay() {
  return state_->overlay;
}
const Lines& Session::lines(u32 side) const {
  return state_->sides[side_of(side)].lines;
}
u64 Session::lines_revision(u32 side) const {
  return state_->sides[side_of(side)].lines_revision;
}
u32 Session::deepest_level(u32 side) const {
  return statistics(side).depth.value_or(0);
}

// ---- Picking --------------------------------------------------------------------------------------------------

void Session::pick(float x, float y, u32 side) {
  state_->pick(x, y, side);
}
void Session::clear_pick() {
  state_->picked.reset();
  ++state_->pick_revision;
}
u64 Session::pick_revision() const {
  return state_->pick_revision;
}

const TreeNodes* Session::tree(u32 side) {
  Side& one = state_->sides[side_of(side)];
  const TreeNodes* tree = nullptr;
  if (one.live) state_->messages.guard("the nodes", [&] { tree = one.live->host_copy().tree(); });
  return tree;
}

const std::vector<NodeCost>& Session::node_costs(u32 side) {
  Side& one = state_->sides[side_of(side)];
  const TreeNodes* const nodes = tree(side);
  const u64 revision = one.live ? one.live->form_revision() : 0;
  if (nodes == nullptr) {
    one.node_costs.clear();
  } else if (one.costs_revision != revision || one.node_costs.size() != nodes->nodes.size()) {
    double total = 0;
    one.node_costs = viewer::node_costs(*nodes, total);
  }
  one.costs_revision = revision;
  return one.node_costs;
}

const std::optional<Pick>& Session::picked() const {
  return state_->picked;
}
u32 Session::picked_side() const {
  return state_->picked_side;
}

// ---- Files ----------------------------------------------------------------------------------------------------

void Session::start_recording(const fs::path& path) {
  state_->recording = make_sink(path);
}
void Session::stop_recording() {
  const std::unique_ptr<PictureSink> ended = std::move(state_->recording);
  if (ended) ended->finish();
}
bool Session::recording() const {
  return state_->recording != nullptr;
}
u32 Session::recorded_frames() const {
  return state_->recording ? state_->recording->count() : 0;
}

void Session::record(const Image& image) {
  if (!state_->recording) return;
  try {
    state_->recording->add(image);
  } catch (...) {
    state_->recording.reset();
    throw;
  }
}

std::string Session::statistics_json() const {
  const State& s = *state_;
  SessionReport report;
  for (const ScenePart& part : s.geometry->parts) report.meshes.push_back(part.name);
  report.triangle_count = s.geometry->mesh.triangles.size();
  report.vertex_count = s.geometry->mesh.positions.size();
  for (u32 number = 0; number < 2; ++number) {
    const Side& side = s.sides[number];
    if (!side.live || !s.builds(number)) continue;
    report.structures.push_back({side.built, side.live->device_name(), side.live->backend(), statistics(number),
                                 work_times(number), sah_drift(number), &side.timings});
  }
  return to_json(report);
}

void Session::save_statistics(const fs::path& file) {
  save_text(file, statistics_json());
}

Settings Session::settings() const {
  const State& s = *state_;
  Settings settings = s.kept;
  settings.camera = s.camera.pose();
  settings.camera_mode = s.camera.mode;
  settings.move_speed = s.camera.move_speed;
  settings.bookmarks = s.all_bookmarks();
  for (u32 side = 0; side < 2; ++side) settings.structures[side] = s.sides[side].wanted;
  settings.update_mode = s.update_mode;
  settings.view = s.view;
  settings.overlay = s.overlay;
  return settings;
}

void Session::use(const Settings& settings, bool with_camera) {
  State& s = *state_;
  s.kept = settings;
  s.camera.mode = settings.camera_mode;
  s.camera.move_speed = settings.move_speed;
  s.choose_bookmarks(settings.bookmarks);
  for (u32 side = 0; side < 2; ++side) s.sides[side].wanted = settings.structures[side];
  s.update_mode = settings.update_mode;
  s.view = settings.view;
  s.overlay = settings.overlay;
  if (!with_camera) return;
  s.messages.guard("the camera of the settings", [&] {
    s.camera.set_pose(settings.camera);
    s.frames_next_scene = false;
  });
}

Messages& Session::messages() {
  return state_->messages;
}
const Messages& Session::messages() const {
  return state_->messages;
}

}  // namespace copse::viewer
