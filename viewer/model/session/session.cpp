#include "viewer/model/session/session.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "viewer/model/scene/placed_meshes.h"
#include "viewer/model/session/session_state.h"

namespace copse::viewer {

namespace fs = std::filesystem;

namespace {

constexpr u32 max_pixels = 16384;
/// While the scene plays, a pick follows it up to this many triangles.
constexpr u64 max_picked_triangles = 200000;

double now_ms() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

Session::State::State(const SessionOptions& session_options)
    : options(session_options), budget(session_options.budget_ms), geometry(join_meshes({})) {
  for (u32 side = 0; side < 2; ++side) sides[side].wanted = kept.structures[side];
}

Session::Session(const SessionOptions& options) : state_(std::make_unique<State>(options)) {}
Session::~Session() = default;

// ---- The frame loop -------------------------------------------------------------------------------------------

void Session::update(double seconds) {
  State& s = *state_;
  const bool whole = s.options.deterministic || s.recording;
  const double begin = now_ms();
  s.budget.begin(begin);
  for (u32 side = 0; side < 2; ++side) {
    if (s.sides[side].live) s.sides[side].timings.frame.add(seconds * 1000);
  }
  if (s.comparison == Comparison::off) s.hide_b();
  if (s.comparison != Comparison::off && !s.sides[1].live && !s.job && s.sides[0].live && !s.asked_for_b) {
    s.sides[1].build_pending = s.asked_for_b = true;
  }
  s.poll_job();
  s.advance_time(seconds);
  s.move_sides(whole);
  s.start_next_job();
  if (s.options.deterministic) s.finish_jobs();

  constexpr double min_budget_ms = 5;
  s.make_pictures(whole, std::max(s.picture_budget_ms(seconds) - (now_ms() - begin), min_budget_ms));
  if (whole) s.make_pictures(true, 0);  // by the scale that both heat maps share
  const bool follows = !s.playback.playing || s.geometry->mesh.triangles.size() <= max_picked_triangles;
  const Side& picked_side = s.sides[s.picked_side];
  if (s.picked && picked_side.live && picked_side.live->revision() != s.picked_structure && follows) {
    s.messages.guard("picking", [&] { s.pick_again(); });
  }
  for (u32 side = 0; side < 2; ++side) s.make_lines(side);
  s.budget.end(now_ms(), busy());
}

void Session::finish() {
  State& s = *state_;
  s.poll_job();
  if (s.comparison != Comparison::off && !s.sides[1].live) s.sides[1].build_pending = true;
  s.finish_jobs();
  const bool was = std::exchange(s.options.deterministic, true);
  s.advance_time(0);
  s.move_sides(true);
  s.finish_jobs();
  s.options.deterministic = was;
  s.make_pictures(true, 0);
  s.make_pictures(true, 0);  // by the scale that both heat maps share
  for (u32 side = 0; side < 2; ++side) s.make_lines(side);
}

bool Session::busy() const {
  const State& s = *state_;
  if (s.job || !s.openings.empty() || !s.cancelled_jobs.empty() || s.requested_frame) return true;
  if (s.playback.playing && (s.sequence || s.pile || s.playback.deformation != Deformation::none ||
                             s.update_mode == UpdateMode::rebuild)) {
    return true;
  }
  const Pose now = s.pose();
  for (u32 number = 0; number < 2; ++number) {
    const Side& side = s.sides[number];
    if (!s.builds(number)) continue;
    if (side.build_pending) return true;
    if (!side.live) continue;
    if (s.geometry->placed && side.live->scene().geometry() != s.geometry) return true;
    if (side.live->scene().pose() != now || s.lines_are_stale(number)) return true;
    if (!side.renderer.is_done(*side.live, s.request(false, s.options.budget_ms))) return true;
  }
  return s.comparison != Comparison::off && s.sides[0].live && !s.sides[1].live && !s.asked_for_b;
}

void Session::set_user_active(bool active) {
  state_->user_is_active = active;
}

void Session::leave_pictures_on_device(bool may_stay) {
  state_->pictures_on_device = may_stay;
}

void Session::set_picture_size(u32 width, u32 height) {
  state_->width = std::min(width, max_pixels);
  state_->height = std::min(height, max_pixels);
  if (width > 0 && height > 0) state_->camera.keep_framed(state_->geometry->bounds, state_->aspect());
}

// ---- Scene ----------------------------------------------------------------------------------------------------

void Session::open(const std::vector<fs::path>& paths, bool add, bool as_in_file) {
  state_->open(paths, add, as_in_file);
}
void Session::open_sequence(const fs::path& path) {
  state_->open_sequence(path);
}
void Session::show(Geometry geometry) {
  state_->replace_scene({.geometry = std::move(geometry)});
}

void Session::show_pile(u32 count) {
  State& s = *state_;
  auto pile = std::make_shared<Pile>(count);
  s.sides[0].wanted.kind = StructureKind::file;
  s.update_mode = UpdateMode::rebuild;
  s.playback.deformation = Deformation::none;
  s.playback.phase = 0;
  s.playback.period = float(Pile::seconds);
  s.playback.playing = true;
  s.replace_scene({.geometry = pile->scene(), .pile = pile});
}

void Session::place_instance(u32 number, const Instance& placed) {
  State& s = *state_;
  if (!s.geometry->placed || number >= s.geometry->placed->instances.size()) return;
  std::vector<Instance> instances = s.geometry->placed->instances;
  const u32 mesh = instances[number].accel;
  instances[number] = placed;
  instances[number].accel = mesh;
  if (!s.pile) s.by_hand.instances[number] = instances[number];
  s.geometry = moved(*s.geometry, std::move(instances));
}

const PlacedByHand& Session::placed_by_hand() const {
  return state_->by_hand;
}

void Session::place_by_hand(const PlacedByHand& wanted) {
  State& s = *state_;
  if (!s.placed_at_rest || wanted == s.by_hand) return;
  std::vector<Instance> instances = s.placed_at_rest->instances;
  for (const auto& [number, instance] : wanted.instances) instances[number] = instance;
  s.by_hand = wanted;
  s.geometry = moved(*s.geometry, std::move(instances));
}

std::optional<u32> Session::chosen_instance() const {
  return state_->chosen;
}

void Session::choose_instance(std::optional<u32> number) {
  const std::shared_ptr<const PlacedMeshes>& placed = state_->geometry->placed;
  const bool is_one = number && placed && *number < placed->instances.size();
  state_->chosen = is_one ? number : std::nullopt;
}

const Geometry& Session::geometry() const {
  return state_->geometry;
}
u32 Session::frame_count() const {
  return state_->sequence ? state_->sequence->frame_count() : 0;
}
u32 Session::frame() const {
  return state_->sequence ? state_->frame : 0;
}
Aabb Session::bounds() const {
  return state_->geometry->bounds;
}
Playback& Session::playback() {
  return state_->playback;
}

// ---- Structures -----------------------------------------------------------------------------------------------

StructureOptions& Session::wanted(u32 side) {
  return state_->sides[side_of(side)].wanted;
}
const StructureOptions& Session::built(u32 side) const {
  return state_->sides[side_of(side)].built;
}
bool Session::has_structure(u32 side) const {
  return state_->sides[side_of(side)].live != nullptr;
}

bool Session::differs(u32 side) const {
  const Side& one = state_->sides[side_of(side)];
  if (state_->job && state_->job->request().sides[side_of(side)]) {
    return *state_->job->request().sides[side_of(side)] != one.wanted;
  }
  return one.live && one.built != one.wanted;
}

void Session::build(u32 side) {
  State& s = *state_;
  const u32 number = side_of(side);
  s.sides[number].build_pending = true;
  const bool is_building = s.job && s.job->request().sides[number] && !s.job_is_load();
  if (is_building) {
    // This also cancels the build of the other side, which is then made again.
    s.sides[1 - number].build_pending |= s.job->request().sides[1 - number].has_value();
    s.cancel_job();
  }
  s.start_next_job();
}

void Session::cancel() {
  state_->cancel();
}

JobStatus Session::job() const {
  const State& s = *state_;
  JobStatus status;
  status.cancelled_count = u32(s.cancelled_jobs.size());
  const BuildJob* job = s.job.get();
  if (job == nullptr && !s.cancelled_jobs.empty()) {
    job = s.cancelled_jobs.back().get();
    status.cancelling = true;
  }
  if (job == nullptr) return status;
  status.running = true;
  status.stage = job->stage();
  status.seconds = job->seconds();
  status.side = job->request().sides[0] ? 0 : 1;
  return status;
}

void Session::refit_now(u32 side) {
  Side& one = state_->sides[side_of(side)];
  if (!one.live || !state_->builds(side_of(side))) return;
  state_->messages.guard("refit", [&] {
    one.live->refit_now();
    one.timings.refit.add(one.live->times().refit_ms);
  });
}

void Session::rebuild_now(u32 side) {
  Side& one = state_->sides[side_of(side)];
  if (!one.live || !state_->builds(side_of(side))) return;
  state_->messages.guard("rebuild", [&] {
    one.live->build_now();
    one.timings.build.add(one.live->times().build_ms);
  });
}

UpdateMode& Session::update_mode() {
  return state_->update_mode;
}

const Statistics& Session::statistics(u32 side) const {
  static const Statistics none;
  const Side& one = state_->sides[side_of(side)];
  return one.live ? one.live->statistics() : none;
}

std::optional<double> Session::sah_drift(u32 side) const {
  const Side& one = state_->sides[side_of(side)];
  if (!one.live || one.live->drift() <= 0) return std::nullopt;
  return one.live->drift();
}

const WorkTimes& Session::work_times(u32 side) const {
  static const WorkTimes none;
  const Side& one = state_->sides[side_of(side)];
  return one.live ? one.live->times() : none;
}

const Timings& Session::timings(u32 side) const {
  return state_->sides[side_of(side)].timings;
}

std::string Session::device_name(u32 side) const {
  const Side& one = state_->sides[side_of(side)];
  return one.live ? one.live->device_name() : "";
}

Backend Session::backend(u32 side) const {
  const Side& one = state_->sides[side_of(side)];
  return one.live ? one.live->backend() : one.wanted.backend;
}

Comparison& Session::comparison() {
  return state_->comparison;
}

}  // namespace copse::viewer
