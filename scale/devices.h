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

  /// The number of devices. Default 0: all GPUs; on the CPU one context. On the CPU, 1 to 64 contexts share its
  /// cores. That is not faster: it serves to test on any machine what a program does with several devices.
  u32 count = 0;

  /// The number of CPU threads of each context, as ContextOptions::workers.
  u32 workers = 0;

  /// Lets each device read and write the memory of the others directly, if the hardware can. Default: true. false:
  /// data for another device is copied. Answers are the same.
  bool peer_access = true;

  /// The source of the memory of each device, as ContextOptions::memory. Default: empty, for a pool or the heap.
  /// Otherwise one per device, which opens its memory to the other GPUs if it can.
  std::vector<MemoryResource*> memory = {};

  /// As ContextOptions::profile, for each device.
  bool profile = false;

  /// As ContextOptions::cancel, for all devices.
  CancelToken cancel = {};
};

/// Several GPUs of one machine that share work. Each has a context and a thread of its own.
///
///   copse::Devices gpus;                                                        // all of them
///   copse::ReplicatedAccel scene = copse::replicate(gpus, copse::build(gpus.first(), triangles));
///   copse::closest_hits(gpus, scene, rays.span(), hits.span());                 // scale/replicated_rays.h
///
/// Inputs and results of shared work are in the memory of the first device. A call that shares work comes after all
/// work that is then on the stream of first(), and before later work there. So it does not wait.
///
/// One thread at a time may use the object and its contexts. In run() the contexts work at the same time.
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

  /// Returns true if a device can read and write the memory of the first one. Other GPUs work too, by copies, which
  /// are slower.
  bool has_peer_access(u32 device) const;

  /// Calls work(context, device) for all devices at once, each in its own thread; device 0 uses the thread of the
  /// caller. It returns when all calls have returned. It does not wait for the work that they put on streams.
  ///   work: must not call run() of the same Devices
  /// Throws: the error of the call of the first device that failed, once all calls have ended. A copse::Error then
  /// names the device.
  void run(const std::function<void(Context&, u32)>& work);

  /// Waits for all work of all devices.
  /// Throws: Error device_failure, as Context::wait.
  void wait();

  /// As run(), but on GPUs the thread of the caller makes all calls, one after another. For work that only puts
  /// launches on streams, as waking a thread takes longer than that.
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
