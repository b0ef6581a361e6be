#include <algorithm>
#include <cctype>

#include "viewer/model/session_state.h"

namespace copse::viewer {

namespace fs = std::filesystem;

namespace {

bool is_mesh_name(const fs::path& path) {
  std::string ending = path.extension().string();
  for (char& c : ending) c = char(std::tolower(static_cast<unsigned char>(c)));
  return ending == ".obj" || ending == ".ply";
}

/// All meshes in place of a folder, in the order of their names.
std::vector<fs::path> meshes_in(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.is_regular_file() && is_mesh_name(entry.path())) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  if (files.empty()) throw Error(ErrorCode::bad_file, folder.string() + ": no .obj or .ply file in this folder");
  return files;
}

}  // namespace

void Session::State::open(std::vector<fs::path> paths, bool add) {
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
  if (!add) {
    openings.clear();
    if (job_is_load()) cancel();
    sequence.reset();
    requested_frame.reset();
  }
  openings.push_back({std::move(files), add, nullptr});
  start_next_job();
}

void Session::State::open_sequence(const fs::path& path) {
  messages.guard("opening", [&] {
    std::vector<fs::path> files = find_sequence(path);
    const auto own = std::find(files.begin(), files.end(), path);
    if (own == files.end()) {
      throw Error(ErrorCode::bad_file, path.string() + ": no such file, and so no sequence");
    }
    const u32 number = u32(own - files.begin());
    const u32 count = u32(files.size());
    open({files[number]}, false);
    if (count == 1) {
      messages.add(Severity::note, path.string() + ": no other file is numbered as this one; it is shown alone");
      return;
    }
    sequence = std::make_unique<SequenceReader>(std::move(files));
    lost_frames.clear();
    frame = number;
    playback.period = std::max(float(count) / 24.0f, 0.1f);
    playback.phase = (float(number) + 0.5f) / float(count);
  });
}

void Session::State::show(Geometry shown) {
  openings.clear();
  if (job_is_load()) cancel();
  sequence.reset();
  requested_frame.reset();
  openings.push_back({{}, false, std::move(shown)});
  start_next_job();
}

void Session::State::cancel() {
  openings.clear();
  for (Side& side : sides) side.build_pending = false;
  if (!job) return;
  job->cancel();
  cancelled_jobs.push_back(std::move(job));
}

/// Reads before it builds; a build that is pending is made over what was read.
void Session::State::start_next_job() {
  if (job) return;
  BuildRequest request;
  request.geometry = geometry;
  request.pose = pose();
  request.workers = options.workers;
  job_replaces_scene = false;
  if (!openings.empty()) {
    Opening next = std::move(openings.front());
    openings.erase(openings.begin());
    request.files = std::move(next.files);
    request.add = next.add;
    job_replaces_scene = next.geometry != nullptr;
    if (next.geometry) request.geometry = std::move(next.geometry);
    for (u32 side = 0; side < 2; ++side) sides[side].build_pending |= builds(side);
  }
  bool builds_any = false;
  for (u32 side = 0; side < 2; ++side) {
    if (!sides[side].build_pending) continue;
    sides[side].build_pending = false;
    request.sides[side] = sides[side].wanted;
    builds_any = true;
    // Where it is built again and again, once must do.
    if (upkeep == Upkeep::rebuild && playback.playing) request.repeat_below_ms = 0;
  }
  if (builds_any) job = std::make_unique<BuildJob>(std::move(request));
}

void Session::State::poll_job() {
  std::erase_if(cancelled_jobs, [](const auto& one) { return one->is_done(); });
  if (!job || !job->is_done()) return;
  const std::unique_ptr<BuildJob> ended = std::move(job);
  const bool replaces = !ended->request().files.empty() || job_replaces_scene;
  BuildResult result = ended->take();
  for (const BuildError& error : result.errors) messages.add(Severity::error, error.text, error.code);
  if (!result.geometry) return;
  if (replaces) {
    geometry = result.geometry;
    picked.reset();
    ++pick_revision;
    overlay.subtree = 0;
    if (frames_next_scene && !ended->request().add) camera.frame(geometry->bounds, aspect());
    camera.set_scene(geometry->bounds);
    frames_next_scene = true;
  }
  for (u32 number = 0; number < 2; ++number) {
    Side& side = sides[number];
    // What stands over another scene cannot stay.
    if (replaces) side.live.reset();
    if (result.sides[number]) {
      side.live = std::move(result.sides[number]);
      side.built = side.live->options();
      side.timings.build.add(side.live->times().build_ms);
    }
    side.renderer.forget();
    side.lines_key = {};
  }
}

void Session::State::finish_jobs() {
  start_next_job();
  while (job) {
    job->wait();
    poll_job();
    start_next_job();
  }
}

}  // namespace copse::viewer
