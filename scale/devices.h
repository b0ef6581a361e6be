#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "primitives/core/context.h"

namespace copse {

namespace detail {

class LearnedShares;
class Links;
class Team;

}  // namespace detail

/// Returns how many GPUs answer; 0 also in a build without CUDA.
COPSE_API u32 gpu_count();

struct DevicesOptions {
  /// automatic: GPUs if one answers, else the CPU. cuda: Error no_device if none answers.
  Backend backend = Backend::automatic;

  /// The number of devices. Default 0: all GPUs; on the CPU one context. On the CPU, 1 to 64 contexts share its cores.
  /// They do not make it faster: they show on any machine what a program does on several devices.
  u32 count = 0;

  /// The number of CPU threads of each context, as ContextOptions::workers.
  u32 workers = 0;

  /// Lets each device read and write the memory of the others directly, where the hardware can. Default: true. false:
  /// what another device needs is copied. Answers are the same.
  bool peer_access = true;

  /// The source of the memory of each device, as ContextOptions::memory. Default: none, for a pool or the heap. Else
  /// there is one per device, and it opens its memory to the other GPUs if it can.
  std::vector<MemoryResource*> memory = {};

  /// As ContextOptions::cancel, for all devices.
  CancelToken cancel = {};
};

/// Several GPUs of one machine, each with a context and a thread of its own, that share work.
///
///   copse::Devices gpus;                                                        // all of them
///   copse::ReplicatedAccel scene = copse::replicate(gpus, copse::build(gpus.first(), triangles));
///   copse::closest_hits(gpus, scene, rays.span(), hits.span());                 // scale/replicated_rays.h
///
/// What work takes and gives is in the memory of the first device. A call that shares work is ordered after all work
/// that is on the stream of first() then, and before what is put there later, so it does not wait.
///
/// One thread at a time may use it and its contexts, but the contexts may work at once in run().
class COPSE_API Devices {
 public:
  /// Throws: Error no_device; Error invalid_argument for more devices than there are, or another number of memory
  /// resources; Error out_of_memory if the system does not start a thread for each.
  explicit Devices(const DevicesOptions& options = {});
  explicit Devices(u32 count) : Devices(DevicesOptions{.count = count}) {}
  ~Devices();
  Devices(const Devices&) = delete;
  Devices& operator=(const Devices&) = delete;

  u32 count() const;

  /// Returns the context of a device, counted from 0. On CUDA this is the ordinal of the GPU.
  /// Throws: Error invalid_argument if there is no such device.
  Context& context(u32 device);
  Context& first() { return context(0); }

  /// Returns whether a device can read and write the memory of the first one. What is false for a GPU works too, but
  /// goes by copies, which are slower.
  bool has_peer_access(u32 device) const;

  /// Calls work(context, device) for all devices at once, each in its own thread; device 0 has that of the caller. It
  /// returns when all calls have returned. It does not wait for the work that they put on streams.
  ///   work: must not call run() of the same Devices
  /// Throws: what the call of the first device that failed threw, once all have ended. A copse::Error then names the
  /// device.
  void run(const std::function<void(Context&, u32)>& work);

  /// Waits for all work of all devices.
  /// Throws: Error device_failure, as Context::wait.
  void wait();

  /// As run(), but on GPUs the thread of the caller makes all calls, one after another. For work that only puts
  /// launches on streams: to wake a thread takes longer.
  void submit(const std::function<void(Context&, u32)>& work);

  detail::Links& links() { return *links_; }
  detail::LearnedShares& shares() { return *shares_; }

 private:
  std::unique_ptr<detail::Links> links_;
  std::vector<std::unique_ptr<Context>> contexts_;
  std::unique_ptr<detail::LearnedShares> shares_;
  std::unique_ptr<detail::Team> team_;
};

}  // namespace copse
