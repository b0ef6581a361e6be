#include "cli/session.h"

#include <algorithm>
#include <cstdio>
#include <thread>

#include "cli/files.h"
#include "cli/thread_limits.h"
#include "copse_commit.h"
#include "scene/scene_file.h"

namespace copse::cli {

namespace {

CommonOptions options_of_rank(CommonOptions options, const RankGroup* ranks) {
  if (ranks != nullptr && ranks->comm.rank() > 0) options.quiet = true;
  return options;
}

/// Returns the threads of each rank, so that those of a host have one thread per core together.
u32 threads_of_rank(const RankGroup& ranks) {
  return std::max(std::thread::hardware_concurrency() / ranks.ranks_on_host, 1u);
}

/// Throws: as load_scene; an error about the number of the scene names --scene.
SceneFile load_chosen_scene(const std::string& path, const LoadSceneOptions& options) {
  try {
    return load_scene(path, options);
  } catch (const Error& error) {
    throw_with_option(error, "the scene asked for", "--scene");
  }
}

}  // namespace

Session::Session(const CommonOptions& options, RankGroup* ranks)
    : options_(options_of_rank(options, ranks)), ranks_(ranks), progress_(options_.quiet) {
  if (ranks != nullptr && options_.threads == 0) options_.threads = threads_of_rank(*ranks);
}

LoadMeshOptions Session::mesh_options() const {
  const u32 threads = std::min(options_.threads, std::max(std::thread::hardware_concurrency(), 1u));
  return {.cancel = interrupts_.token(), .workers = threads};
}

MappedMesh Session::map_mesh(const std::string& path) {
  return MappedMesh(path, mesh_options());
}

Mesh Session::read_mesh(const std::string& path, MeshReport* report) {
  const LoadMeshOptions options = mesh_options();
  const bool is_pipe = is_standard_stream(path);
  const std::string name = is_pipe ? "standard input" : path;
  MeshReport left_out;
  Mesh mesh = is_pipe ? parse_mesh(read_standard_input(options.cancel), options, &left_out, name)
                      : load_mesh(path, options, &left_out);
  if (!left_out.is_complete()) note("{}: {}", name, left_out.message());
  if (report != nullptr) *report = left_out;
  return mesh;
}

SceneFile Session::read_scene(const std::string& path, u32 number) {
  LoadSceneOptions options{.cancel = interrupts_.token()};
  if (number != default_scene) options.scene = number;
  SceneFile file = load_chosen_scene(path, options);
  if (!file.left_out.is_complete()) note("{}: {}", path, file.left_out.message());
  return file;
}

std::unique_ptr<Context> Session::make_context(Backend backend) {
  const u32 gpus = ranks_ != nullptr && backend != Backend::cpu ? gpu_count() : 0;
  auto context =
      std::make_unique<Context>(ContextOptions{.backend = backend,
                                               .device = gpus > 0 ? int(ranks_->rank_on_host % gpus) : 0,
                                               .workers = options_.threads,
                                               .cancel = interrupts_.token()});
  const u32 workers = context->worker_count();
  if (context->backend() == Backend::cpu && workers < options_.threads) {
    note("--threads is {}; this machine runs {} at once; {} {} used", options_.threads, workers, workers,
         workers == 1 ? "is" : "are");
  }
  if (workers > 1) check_threads(workers - 1);
  return context;
}

ContextOrDevices Session::make_contexts(u32 gpus) {
  if (gpus == 0) return {make_context(), nullptr};
  const bool on_cpu = options_.backend == Backend::cpu;
  const u32 available = gpu_count();
  if (!on_cpu && available > 0 && gpus > available) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("--gpus is {}, but the number of GPUs is {}", gpus, available));
  }
  auto devices = std::make_unique<Devices>(DevicesOptions{.backend = on_cpu ? Backend::cpu : Backend::cuda,
                                                          .count = gpus,
                                                          .workers = options_.threads,
                                                          .cancel = interrupts_.token()});
  if (on_cpu && devices->first().worker_count() > 1) check_threads(devices->first().worker_count() - 1);
  return {nullptr, std::move(devices)};
}

void Session::write_note(const std::string& text) {
  if (options_.quiet) return;
  progress_.hide();
  std::fprintf(stderr, "copse: %s\n", one_line(text).c_str());
}

void Session::print(const Json& object, const std::string& text) {
  interrupts_.throw_if_interrupted();
  progress_.finish();
  if (!is_first_rank()) return;
  if (json()) {
    print_json(object);
  } else {
    print_data(text);
  }
}

Json describe(const Context& context) {
  return {{"version", COPSE_VERSION},
          {"commit", COPSE_COMMIT},
          {"backend", name_of(context.backend())},
          {"device", context.device_name()},
          {"workers", context.worker_count()}};
}

std::string describe_in_words(const Context& context) {
  if (context.backend() == Backend::cuda) return fmt::format("{} (cuda)", context.device_name());
  const u32 workers = context.worker_count();
  return fmt::format("{}, {} (cpu)", context.device_name(), counted(workers, "threads"));
}

}  // namespace copse::cli
