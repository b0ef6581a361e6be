#include "primitives/core/context.h"

#include "primitives/core/dispatch.h"
#include "primitives/cpu/workers.h"

namespace copse {

namespace {

constexpr u32 max_workers = 4096;

struct ChosenDevice {
  Backend backend;
  std::unique_ptr<Device> device;
};

ChosenDevice choose_device(const ContextOptions& options) {
  if (options.backend == Backend::cpu) return {Backend::cpu, cpu::make_device()};
  try {
    return {Backend::cuda, make_cuda_device(options.device, options.stream ? &*options.stream : nullptr)};
  } catch (const Error& error) {
    if (options.backend == Backend::cuda || error.code() != ErrorCode::no_device) throw;
    return {Backend::cpu, cpu::make_device()};
  }
}

}  // namespace

const char* name_of(Backend backend) {
  switch (backend) {
    case Backend::automatic: return "automatic";
    case Backend::cpu: return "cpu";
    case Backend::cuda: return "cuda";
  }
  return "unknown";
}

Context::Context(const ContextOptions& options) {
  if (options.workers > max_workers) {
    throw Error(ErrorCode::invalid_argument,
                "workers is " + std::to_string(options.workers) + ", at most 4096 are possible");
  }
  auto [backend, device] = choose_device(options);
  backend_ = backend;
  device_ = std::move(device);
  memory_ = options.memory ? options.memory : &device_->default_memory();
  scratch_ = std::make_unique<ScratchArena>(*device_, *memory_);
  profile_ = std::make_unique<Profile>(*device_, options.profile);
  const ExecutorBase base{*device_, *scratch_, *profile_, options.cancel};
  if (backend_ == Backend::cuda) {
    zeroed_ = std::make_unique<ZeroedMemory>(*device_, *memory_);
    cuda_executor_ = std::make_unique<cuda::Executor>(
        cuda::Executor{base, *zeroed_, device_->stream(), cuda_multiprocessor_count(options.device),
                       cuda_capability(options.device), options.check_every_launch});
  } else {
    workers_ = std::make_unique<cpu::Workers>(options.workers);
    cpu_executor_ = std::make_unique<cpu::Executor>(cpu::Executor{base, *workers_});
  }
}

Context::~Context() = default;

bool built_with_cuda() {
  return has_cuda_half;
}

std::string Context::device_name() const {
  return device_->name();
}
u32 Context::worker_count() const {
  return workers_ ? workers_->count() : 0;
}
void* Context::stream() const {
  return device_->stream();
}
void Context::wait() {
  device_->wait(profile_->last_label());
}
void Context::reserve_scratch(u64 bytes) {
  scratch_->reserve(bytes);
}
void Context::release_scratch() {
  scratch_->release();
}
u64 Context::scratch_bytes() const {
  return scratch_->reserved_bytes();
}
Profile& Context::profile() {
  return *profile_;
}

Graph Context::capture(std::function<void()> work) {
  if (backend_ == Backend::cpu) return Graph(*this, nullptr, std::move(work));
  device_->begin_capture();
  try {
    work();
  } catch (...) {
    device_->abandon_capture();
    throw;
  }
  return Graph(*this, device_->end_capture(), nullptr);
}

void Graph::launch() {
  if (work_) {
    work_();
  } else {
    context_->device().launch_captured(captured_.get());
  }
}

}  // namespace copse
