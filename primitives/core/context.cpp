#include "primitives/core/context.h"

#include <atomic>
#include <memory>

#include "primitives/core/dispatch.h"
#include "primitives/core/stopwatch.h"
#include "primitives/cpu/usable_workers.h"
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

struct Context::Parts {
  std::unique_ptr<cpu::Workers> workers;
  std::unique_ptr<Device> device;
  std::unique_ptr<ScratchArena> scratch;
  std::unique_ptr<ZeroedMemory> zeroed;  // on CUDA
  std::unique_ptr<Profile> profile;
  std::unique_ptr<cpu::Executor> cpu_executor;
  std::unique_ptr<cuda::Executor> cuda_executor;
};

Context::Context(const ContextOptions& options) {
  if (options.workers > max_workers) {
    throw Error(ErrorCode::invalid_argument,
                "workers is " + std::to_string(options.workers) + ", at most 4096 are possible");
  }
  auto parts = std::make_unique<Parts>();
  auto [backend, device] = choose_device(options);
  backend_ = backend;
  parts->device = std::move(device);
  device_ = parts->device.get();
  memory_ = options.memory ? options.memory : &device_->default_memory();
  parts->scratch = std::make_unique<ScratchArena>(*device_, *memory_);
  parts->profile = std::make_unique<Profile>(*device_, options.profile);
  profile_ = parts->profile.get();
  const ExecutorBase base{*device_, *parts->scratch, *profile_, options.cancel};
  if (backend_ == Backend::cuda) {
    parts->zeroed = std::make_unique<ZeroedMemory>(*device_, *memory_);
    parts->cuda_executor = std::make_unique<cuda::Executor>(
        cuda::Executor{base, *parts->zeroed, device_->stream(), cuda_multiprocessor_count(options.device),
                       cuda_capability(options.device), options.check_every_launch});
    cuda_executor_ = parts->cuda_executor.get();
  } else {
    parts->workers = std::make_unique<cpu::Workers>(cpu::usable_workers(options.workers));
    parts->cpu_executor = std::make_unique<cpu::Executor>(cpu::Executor{base, *parts->workers});
    cpu_executor_ = parts->cpu_executor.get();
  }
  parts_ = parts.release();
}

Context::~Context() {
  delete parts_;
}

bool is_capturing(const ExecutorBase& ex) {
  return ex.device.capturing();
}

bool built_with_cuda() {
  return has_cuda_half;
}

std::string Context::device_name() const {
  return device_->name();
}
u32 Context::worker_count() const {
  return parts_->workers ? parts_->workers->count() : 0;
}
void* Context::stream() const {
  return device_->stream();
}
void Context::wait() {
  device_->wait(profile_->last_label());
}
void Context::reserve_scratch(u64 bytes) {
  parts_->scratch->reserve(bytes);
}
void Context::release_scratch() {
  parts_->scratch->release();
}
u64 Context::scratch_bytes() const {
  return parts_->scratch->reserved_bytes();
}

struct Graph::Recorded {
  Context& context;
  std::shared_ptr<void> captured;      // cudaGraphExec_t
  std::unique_ptr<detail::Work> work;  // the CPU's
  std::atomic<u32> owner_count = 1;
};

Graph Context::capture_work(detail::Work* owned) {
  std::unique_ptr<detail::Work> work(owned);
  if (backend_ == Backend::cpu) return Graph(new Graph::Recorded{*this, nullptr, std::move(work)});
  device_->begin_capture();
  try {
    work->run();
  } catch (...) {
    device_->abandon_capture();
    throw;
  }
  return Graph(new Graph::Recorded{*this, device_->end_capture(), nullptr});
}

Graph::Graph(const Graph& other) : recorded_(other.recorded_) {
  recorded_->owner_count.fetch_add(1, std::memory_order_relaxed);
}
Graph& Graph::operator=(const Graph& other) {
  Graph copy(other);
  std::swap(recorded_, copy.recorded_);
  return *this;
}
Graph::~Graph() {
  if (recorded_->owner_count.fetch_sub(1, std::memory_order_acq_rel) == 1) delete recorded_;
}

void Graph::launch() {
  if (recorded_->work) {
    recorded_->work->run();
  } else {
    recorded_->context.device().launch_captured(recorded_->captured.get());
  }
}

Stopwatch::~Stopwatch() {
  delete begin_;
}
void Stopwatch::start() {
  delete begin_;
  begin_ = nullptr;
  begin_ = context_.device().mark().release();
}
double Stopwatch::milliseconds() {
  return context_.device().mark()->milliseconds_since(*begin_);
}

}  // namespace copse
