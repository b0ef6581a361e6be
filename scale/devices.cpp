#include "scale/devices.h"

#include <algorithm>
#include <span>
#include <string>

#include "primitives/core/check.h"
#include "scale/links/links.h"
#include "scale/shares/learned_shares.h"
#include "scale/team/team.h"

namespace copse {

namespace {

constexpr u32 max_cpu_contexts = 64;

/// Returns the number of devices that the options ask for. Throws if there are fewer.
u32 device_count(const DevicesOptions& options, bool on_gpus, u32 gpus) {
  if (!on_gpus) {
    if (options.count > max_cpu_contexts) {
      detail::refuse("Devices", std::to_string(options.count) + " contexts of the CPU were asked for, at most " +
                                    std::to_string(max_cpu_contexts) + " are possible");
    }
    return std::max(options.count, 1u);
  }
  if (gpus == 0) return 1;  // its context reports why no GPU answers
  if (options.count > gpus) {
    detail::refuse("Devices", std::to_string(options.count) + " GPUs were asked for, but the number of GPUs is " +
                                  std::to_string(gpus));
  }
  return options.count == 0 ? gpus : options.count;
}

/// Throws the first of the errors, if there is one. A copse::Error gets the name of the device before its message.
void throw_first(const std::vector<std::exception_ptr>& errors,
                 std::span<const std::unique_ptr<Context>> contexts) {
  for (size_t device = 0; device < errors.size(); ++device) {
    if (!errors[device]) continue;
    if (errors.size() == 1) std::rethrow_exception(errors[device]);
    try {
      std::rethrow_exception(errors[device]);
    } catch (const Error& error) {
      throw Error(error.code(), "device " + std::to_string(device) + " (" + contexts[device]->device_name() +
                                    "): " + error.what());
    }
  }
}

}  // namespace

Devices::Devices(const DevicesOptions& options) {
  const u32 gpus = options.backend == Backend::cpu ? 0 : gpu_count();
  const bool on_gpus = options.backend == Backend::cuda || gpus > 0;
  const u32 count = device_count(options, on_gpus, gpus);
  if (!options.memory.empty()) {
    detail::check_one_each("Devices", options.memory.size(), "memory resources", count, "devices");
  }
  links_ = on_gpus ? detail::make_gpu_links(options.peer_access) : detail::make_host_links(options.peer_access);
  for (u32 device = 0; device < count; ++device) {
    contexts_.push_back(std::make_unique<Context>(
        ContextOptions{.backend = on_gpus ? Backend::cuda : Backend::cpu,
                       .device = int(device),
                       .memory = options.memory.empty() ? nullptr : options.memory[device],
                       .workers = options.workers,
                       .profile = options.profile,
                       .cancel = options.cancel}));
  }
  links_->join(contexts_);
  shares_ = std::make_unique<detail::LearnedShares>(count);
  team_ = std::make_unique<detail::Team>(count);
}

Devices::~Devices() = default;

u32 Devices::count() const {
  return u32(contexts_.size());
}

Context& Devices::context(u32 device) {
  if (device >= contexts_.size()) {
    detail::refuse("Devices::context", "device " + std::to_string(device) + " was asked for, but there are " +
                                           std::to_string(contexts_.size()) + ", counted from 0");
  }
  return *contexts_[device];
}

bool Devices::has_peer_access(u32 device) const {
  return links_->has_peer_access(device);
}

void Devices::run(const std::function<void(Context&, u32)>& work) {
  if (count() == 1) return work(*contexts_[0], 0);
  throw_first(team_->run([&](u32 device) { work(*contexts_[device], device); }), contexts_);
}

void Devices::submit(const std::function<void(Context&, u32)>& work) {
  if (contexts_[0]->backend() == Backend::cpu) return run(work);
  std::vector<std::exception_ptr> errors;
  for (u32 device = 0; device < count(); ++device) {
    try {
      work(*contexts_[device], device);
      errors.push_back(nullptr);
    } catch (...) {
      errors.push_back(std::current_exception());
    }
  }
  throw_first(errors, contexts_);
}

void Devices::wait() {
  run([](Context& context, u32) { context.wait(); });
}

}  // namespace copse
