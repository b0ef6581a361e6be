#include "viewer/model/session/build_job.h"

#include <new>

#include "viewer/model/scene/scene_file.h"

namespace copse::viewer {

namespace {

/// Calls `work`. An exception becomes a line of `errors`; a cancelled work sets `cancelled`.
template <class Work>
void collect(BuildResult& result, const std::string& what, const Work& work) {
  try {
    work();
  } catch (const Error& error) {
    if (error.code() == ErrorCode::cancelled) {
      result.cancelled = true;
    } else {
      result.errors.push_back({what + error.what(), error.code()});
    }
  } catch (const std::bad_alloc&) {
    result.errors.push_back({what + "the host's memory does not suffice", ErrorCode::out_of_memory});
  } catch (const std::exception& error) {
    result.errors.push_back({what + error.what(), std::nullopt});
  }
}

}  // namespace

BuildJob::BuildJob(BuildRequest request) : request_(std::move(request)), thread_([this] { run(); }) {}

// Contexts of a result that was taken keep checking the token.
BuildJob::~BuildJob() {
  if (!is_done()) cancel();
  thread_.join();
}

void BuildJob::cancel() {
  is_cancelling_ = true;
  cancel_reading_.request_stop();
  for (std::stop_source& side : cancel_) side.request_stop();
}

void BuildJob::run() {
  result_.geometry = request_.geometry;
  if (!request_.files.empty()) read_files();
  for (u32 side = 0; side < 2 && result_.geometry; ++side) {
    if (!request_.sides[side]) continue;
    if (is_cancelling()) {
      result_.cancelled = true;
    } else {
      build_side(side);
    }
  }
  done_.store(true, std::memory_order_release);
  done_.notify_all();
}

void BuildJob::read_files() {
  std::vector<NamedMesh> meshes;
  std::optional<SceneFile> with_structure;
  const bool alone = request_.files.size() == 1 && !request_.add;
  u64 read_count = 0;
  for (const std::filesystem::path& file : request_.files) {
    if (is_cancelling()) {
      result_.cancelled = true;
      break;
    }
    begin_stage("reading " + file.filename().string());
    collect(result_, "", [&] {
      SceneFile read = load_scene_file(file, alone, cancel_reading_.get_token());
      if (!read.left_out.empty()) result_.notes.push_back(read.left_out);
      ++read_count;
      if (read.structure.empty()) {
        meshes.push_back(std::move(read.mesh));
      } else {
        with_structure = std::move(read);
      }
    });
  }
  result_.geometry = nullptr;
  if (read_count == 0 || result_.cancelled) return;
  collect(result_, "", [&] {
    const Geometry read = with_structure ? scene_of(std::move(*with_structure)) : join_meshes(std::move(meshes));
    result_.geometry = request_.add ? join_scenes(*request_.geometry, *read) : read;
    result_.read = read;
  });
}

/// The structure of a file that was opened is A, unless another one is asked for. Without such a file there is none
/// to show, and a tree is built.
StructureOptions BuildJob::options_of(u32 side) const {
  StructureOptions options = *request_.sides[side];
  const bool has_file = result_.geometry->has_structure();
  if (has_file && side == 0 && !request_.files.empty() && request_.as_in_file) options.kind = StructureKind::file;
  if (!has_file && options.kind == StructureKind::file) options.kind = StructureKind::bvh;
  return options;
}

void BuildJob::build_side(u32 side) {
  const StructureOptions options = options_of(side);
  const auto begin = [&](const char* stage) { begin_stage(std::string(stage) + " " + in_words(options)); };
  collect(result_, in_words(options) + ": ", [&] {
    result_.sides[side] =
        std::make_unique<LiveStructure>(options, result_.geometry, request_.pose, request_.workers,
                                        cancel_[side].get_token(), request_.repeat_below_ms, begin);
  });
}

void BuildJob::begin_stage(const std::string& stage) {
  const std::lock_guard lock(mutex_);
  stage_ = stage;
}

std::string BuildJob::stage() const {
  const std::lock_guard lock(mutex_);
  return stage_;
}

double BuildJob::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
}

BuildResult BuildJob::take() {
  wait();
  return std::move(result_);
}

}  // namespace copse::viewer
