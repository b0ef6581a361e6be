#include <algorithm>
#include <utility>

#include "viewer/model/scene/geometry.h"
#include "viewer/model/session/session_state.h"

namespace copse::viewer {

namespace fs = std::filesystem;

namespace {

/// Replaces a folder by all meshes in it, in the order of their names.
std::vector<fs::path> meshes_in(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.is_regular_file() && is_mesh_name(entry.path())) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  if (files.empty())
    throw Error(ErrorCode::bad_file, folder.string() + ": no mesh (" + mesh_endings + ") in this folder");
  return files;
}

}  // namespace

void Session::State::open(const std::vector<fs::path>& paths, bool add, bool as_in_file) {
  std::vector<fs::path> files;
  for (const fs::path& path : paths) {
    messages.guard("opening", [&] {
      std::error_code error;
      if (!fs::is_directory(path, error)) {
        files.push_back(path);
      } else {
        for (fs::path& mesh : meshes_in(path)) files.push_back(std::move(mesh));
      }
    });
  }
  if (files.empty()) return;
  Opening opening{.files = std::move(files), .add = add, .as_in_file = as_in_file};
  if (!add) return replace_scene(std::move(opening));
  openings.push_back(std::move(opening));
  start_next_job();
}

void Session::State::open_sequence(const fs::path& path) {
  messages.guard("opening", [&] {
    std::vector<fs::path> files = find_sequence(path);
    const auto own = std::find(files.begin(), files.end(), path);
    if (own == files.end()) {
      throw Error(ErrorCode::bad_file, path.string() + ": there is no such file to begin a sequence with");
    }
    Opening opening{.files = {path}, .frame = u32(own - files.begin())};
    if (files.size() > 1) {
      opening.sequence = std::move(files);
    } else {
      messages.add(Severity::note,
                   path.string() + ": there is no other file of this numbered sequence; it is shown alone");
    }
    replace_scene(std::move(opening));
  });
}

/// The scene that is shown and played stays until the new one is ready.
void Session::State::replace_scene(Opening opening) {
  openings.clear();
  if (job_is_load()) cancel_job();
  openings.push_back(std::move(opening));
  start_next_job();
}

void Session::State::cancel() {
  openings.clear();
  for (Side& side : sides) side.build_pending = false;
  if (job) cancel_job();
}

void Session::State::cancel_job() {
  job->cancel();
  job_opens.reset();
  cancelled_jobs.push_back(std::move(job));
}

/// What is built for B now is built when it is shown again.
void Session::State::hide_b() {
  asked_for_b = false;
  if (!job || !job->request().sides[1]) return;
  job->leave_out(1);
  sides[1].build_pending = true;
}

bool Session::State::has_work() const {
  return !openings.empty() || sides[0].build_pending || (sides[1].build_pending && builds(1));
}

/// Loads come before builds. A pending build is made over the scene that was loaded.
void Session::State::start_next_job() {
  if (job || cancelled_jobs.size() >= max_cancelled_jobs) return;
  BuildRequest request;
  request.geometry = geometry;
  request.pose = pose();
  request.workers = options.workers;
  job_opens.reset();
  if (!openings.empty()) {
    job_opens = std::move(openings.front());
    openings.erase(openings.begin());
    request.files = job_opens->files;
    request.add = job_opens->add;
    request.as_in_file = job_opens->as_in_file;
    if (job_opens->geometry) request.geometry = job_opens->geometry;
    for (u32 side = 0; side < 2; ++side) sides[side].build_pending |= builds(side);
  }
  bool builds_any = false;
  for (u32 side = 0; side < 2; ++side) {
    if (!sides[side].build_pending || !builds(side)) continue;
    sides[side].build_pending = false;
    request.sides[side] = sides[side].wanted;
    builds_any = true;
    // If it is rebuilt for every frame, one build is enough.
    if (update_mode == UpdateMode::rebuild && playback.playing) request.repeat_below_ms = 0;
  }
  if (builds_any) job = std::make_unique<BuildJob>(std::move(request));
}

void Session::State::poll_job() {
  std::erase_if(cancelled_jobs, [](const auto& one) { return one->is_done(); });
  if (!job || !job->is_done()) return;
  std::unique_ptr<BuildJob> ended = std::move(job);
  const std::optional<Opening> opened = std::exchange(job_opens, std::nullopt);
  BuildResult result = ended->take();
  deferred_delete.add(std::move(ended));
  for (const std::string& note : result.notes) messages.add(Severity::note, note);
  for (const BuildError& error : result.errors) messages.add(Severity::error, error.text, error.code);
  if (!result.geometry) return;
  if (opened) take_scene(result, *opened);
  take_structures(result, opened.has_value());
}

/// A scene is known by its first mesh, or by the first of a sequence. Meshes that are added do not change that.
std::string Session::State::name_of(const Opening& opened) const {
  const std::vector<fs::path>& files = opened.sequence.empty() ? opened.files : opened.sequence;
  if (files.empty()) return geometry->parts.empty() ? "" : geometry->parts.front().name;
  std::error_code error;
  const fs::path whole = fs::weakly_canonical(files.front(), error);
  return (error ? files.front() : whole).string();
}

std::vector<Bookmark> Session::State::all_bookmarks() const {
  std::vector<Bookmark> all = camera.bookmarks;
  all.insert(all.end(), other_bookmarks.begin(), other_bookmarks.end());
  return all;
}

/// Shows those of the scene, and keeps the others.
void Session::State::choose_bookmarks(std::vector<Bookmark> all) {
  const auto others = std::stable_partition(all.begin(), all.end(), [&](const Bookmark& bookmark) {
    return bookmark.scene.empty() || bookmark.scene == scene_name;
  });
  camera.bookmarks.assign(all.begin(), others);
  other_bookmarks.assign(others, all.end());
}

void Session::State::take_scene(const BuildResult& result, const Opening& opened) {
  geometry = result.geometry;
  placed_at_rest = geometry->placed;
  by_hand = {by_hand.scene + 1, {}};
  chosen.reset();
  if (!opened.add) {
    scene_name = name_of(opened);
    choose_bookmarks(all_bookmarks());
  }
  picked.reset();
  ++pick_revision;
  overlay.subtree = 0;
  if (frames_next_scene && !opened.add) camera.frame(geometry->bounds, aspect());
  camera.set_scene(geometry->bounds);
  frames_next_scene = true;
  if (opened.add) {
    pile.reset();  // the objects are a part of a larger scene now
    if (!sequence) return;
    companions = companions ? join_scenes(*companions, *result.read) : result.read;
    sequence->set_companions(companions);
    return;
  }
  sequence.reset();
  pile = opened.pile;
  companions.reset();
  requested_frame.reset();
  lost_frames.clear();
  if (opened.sequence.empty()) return;
  sequence = std::make_unique<SequenceReader>(opened.sequence);
  const float count = float(opened.sequence.size());
  frame = opened.frame;
  playback.period = std::max(count / 24.0f, 0.1f);
  playback.phase = (float(frame) + 0.5f) / count;
}

/// Structures over another scene cannot stay.
void Session::State::take_structures(BuildResult& result, bool is_other_scene) {
  for (u32 number = 0; number < 2; ++number) {
    Side& side = sides[number];
    if (side.live && (is_other_scene || result.sides[number])) deferred_delete.add(std::move(side.live));
    if (result.sides[number]) {
      side.live = std::move(result.sides[number]);
      side.built = side.live->options();
      // Opening a file may change the kind: see BuildJob::options_of.
      const bool is_of_file = side.built.kind == StructureKind::file,
                 is_wanted = side.wanted.kind == StructureKind::file;
      if (is_other_scene && is_of_file != is_wanted) side.wanted.kind = side.built.kind;
      side.timings.build.add(side.live->times().build_ms);
    }
    side.renderer.forget();
    side.lines_key = {};
    side.node_costs.clear();
  }
}

void Session::State::finish_jobs() {
  start_next_job();
  while (job || has_work()) {
    (job ? *job : *cancelled_jobs.front()).wait();
    poll_job();
    start_next_job();
  }
}

}  // namespace copse::viewer
