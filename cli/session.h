#pragma once

#include <fmt/format.h>

#include <functional>
#include <memory>

#include "builders/io/mapped_mesh.h"
#include "builders/io/mesh_file.h"
#include "cli/interrupt.h"
#include "cli/options/options.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "primitives/core/context.h"
#include "scale/communicator.h"
#include "scale/devices.h"

namespace copse {
struct SceneFile;
}

namespace copse::cli {

/// The value of --scene where it is not given: the file decides.
inline constexpr u32 default_scene = ~u32{0};

/// This process among those that mpirun has started, which run one command together.
struct RankGroup {
  Communicator comm;
  u32 rank_on_host = 0, ranks_on_host = 1;
};

/// A context, or devices that share work. One of the two is there.
struct ContextOrDevices {
  std::unique_ptr<Context> alone;
  std::unique_ptr<Devices> devices;

  /// The context, or the first one of the devices.
  Context& context() const { return devices ? devices->first() : *alone; }
};

/// The services that every command uses while it runs: options, progress, output, signals.
class Session {
 public:
  /// Of several ranks, the first one alone writes.
  ///   ranks: null if this process runs the command alone
  explicit Session(const CommonOptions& options, RankGroup* ranks = nullptr);

  bool json() const { return options_.json; }

  /// Null if this process runs the command alone.
  RankGroup* ranks() const { return ranks_; }
  bool is_first_rank() const { return ranks_ == nullptr || ranks_->comm.rank() == 0; }

  /// Calls work(). If there are ranks, all of them do, and throw the error of the first one that fails.
  void together(const std::function<void()>& work) { ranks_ != nullptr ? ranks_->comm.agree(work) : work(); }
  Progress& progress() { return progress_; }

  /// Begins a stage and names it on the progress bar.
  /// Throws: Error cancelled after Ctrl-C.
  void begin(const std::string& stage) {
    interrupts_.throw_if_interrupted();
    progress_.begin(stage);
  }

  /// Throws: Error cancelled after Ctrl-C.
  void throw_if_interrupted() { interrupts_.throw_if_interrupted(); }

  /// Tells work that takes long of Ctrl-C.
  CancelToken cancel_token() const { return interrupts_.token(); }

  /// Returns the mesh in a file, or that on standard input for "-", and notes what was left out of it. Ctrl-C cancels
  /// the reading.
  /// Throws: as load_mesh.
  Mesh read_mesh(const std::string& path, MeshReport* report = nullptr);

  /// Returns the mesh in the pages of a PLY file. Ctrl-C cancels the check of it.
  /// Throws: as MappedMesh.
  MappedMesh map_mesh(const std::string& path);

  /// Returns the scene in a .glb or .gltf file, and notes what was left out of it.
  ///   number: of the scene to read; default_scene where the file decides
  /// Throws: as load_scene.
  SceneFile read_scene(const std::string& path, u32 number);

  /// Returns the context that the options describe. Ctrl-C cancels its work. Ranks on one host share its GPUs or cores.
  /// Throws: as Context; Error out_of_memory if the system does not start its threads.
  std::unique_ptr<Context> make_context() { return make_context(options_.backend); }

  /// Returns a context of the CPU with the threads that the options name. Ctrl-C cancels its work.
  /// Throws: as make_context.
  std::unique_ptr<Context> make_host_context() { return make_context(Backend::cpu); }

  /// Returns the context that the options describe, or `gpus` devices that share work: GPUs, or with --backend cpu
  /// contexts of the CPU. Ctrl-C cancels their work.
  ///   gpus: 0 for a context alone
  /// Throws: as make_context; Error invalid_argument if there are not so many GPUs.
  ContextOrDevices make_contexts(u32 gpus);

  /// Writes a line to stderr, unless --quiet is given.
  template <class... Args>
  void note(fmt::format_string<Args...> format, Args&&... args) {
    write_note(fmt::format(format, std::forward<Args>(args)...));
  }

  /// Prints the result of the command: the object with --json, else the text.
  /// Throws: Error cancelled after Ctrl-C.
  void print(const Json& object, const std::string& text);

 private:
  LoadMeshOptions mesh_options() const;
  std::unique_ptr<Context> make_context(Backend backend);
  void write_note(const std::string& text);

  CommonOptions options_;
  RankGroup* ranks_;
  InterruptWatch interrupts_;  // first member: constructed before any thread starts
  Progress progress_;
};

/// Describes what made a result: {"version", "commit", "backend", "device", "workers"}.
Json describe(const Context& context);
/// The same in words.
std::string describe_in_words(const Context& context);

}  // namespace copse::cli
