#include "primitives/core/context.h"

#include <cstdlib>
#include <memory>
#include <string_view>

#include "primitives/core/context_parts.h"
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

/// True if COPSE_VALIDATE is set to anything but 0.
bool environment_validates() {
  const char* value = std::getenv("COPSE_VALIDATE");
  return value != nullptr && std::string_view(value) != "0" && std::string_view(value) != "";
}

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

namespace detail {

ContextParts::ContextParts() = default;
ContextParts::~ContextParts() = default;

void hold(ContextParts& parts) noexcept {
  parts.owner_count.fetch_add(1, std::memory_order_relaxed);
}
void release(ContextParts& parts) noexcept {
  if (parts.owner_count.fetch_sub(1, std::memory_order_acq_rel) == 1) delete &parts;
}

CallOfOneThread::CallOfOneThread(Context& context) : parts_(context.parts()) {
  static thread_local const char this_thread = 0;  // its address tells threads apart
  if (parts_.user.load(std::memory_order_relaxed) != &this_thread) {
    const void* none = nullptr;
    if (!parts_.user.compare_exchange_strong(none, &this_thread, std::memory_order_acquire)) {
      throw Error(ErrorCode::invalid_argument,
                  "two threads use one context at the same time: give each thread a context of its own");
    }
  }
  ++parts_.call_depth;
}
CallOfOneThread::~CallOfOneThread() {
  if (--parts_.call_depth == 0) parts_.user.store(nullptr, std::memory_order_release);
}

}  // namespace detail

Context::Context(const ContextOptions& options) {
  if (options.workers > max_workers) {
    throw Error(ErrorCode::invalid_argument,
                "workers is " + std::to_string(options.workers) + ", at most 4096 are possible");
  }
  auto parts = std::make_unique<detail::ContextParts>();
  auto [backend, device] = choose_device(options);
  backend_ = backend;
  parts->device = std::move(device);
  device_ = parts->device.get();
  memory_ = parts->memory = options.memory ? options.memory : &device_->default_memory();
  validate_ = options.validate || environment_validates();
  parts->scratch = std::make_unique<ScratchArena>(*device_, *memory_);
  parts->profile = std::make_unique<Profile>(*device_, options.profile);
  profile_ = parts->profile.get();
  const ExecutorBase base{*device_, *parts->scratch, *profile_, parts->memos, options.cancel};
  if (backend_ == Backend::cuda) {
    parts->zeroed = std::make_unique<ZeroedMemory>(*device_, *memory_);
    parts->cuda_executor = std::make_unique<cuda::Executor>(cuda::Executor{
        base, *parts->zeroed, device_->stream(), cuda_multiprocessor_count(options.device),
        cuda_capability(options.device), cuda_max_shared_bytes(options.device), options.check_every_launch});
    cuda_executor_ = parts->cuda_executor.get();
  } else {
    parts->workers = std::make_unique<cpu::Workers>(cpu::usable_workers(options.workers));
    parts->cpu_executor = std::make_unique<cpu::Executor>(cpu::Executor{base, *parts->workers});
    cpu_executor_ = parts->cpu_executor.get();
  }
  parts_ = parts.release();
}

Context::~Context() {
  if (parts_->owner_count.load(std::memory_order_relaxed) > 1) parts_->scratch->release();
  parts_->has_context = false;
  detail::release(*parts_);
}

bool Context::validates() const {
  return validate_ && !device_->capturing();
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
  const detail::CallOfOneThread call(*this);
  parts_->scratch->reserve(bytes);
}
void Context::release_scratch() {
  const detail::CallOfOneThread call(*this);
  parts_->scratch->release();
}
u64 Context::scratch_bytes() const {
  return parts_->scratch->reserved_bytes();
}

struct Graph::Recorded {
  detail::ContextParts& parts;
  std::shared_ptr<void> captured;      // cudaGraphExec_t
  std::unique_ptr<detail::Work> work;  // the CPU's
  std::atomic<u32> owner_count = 1;

  Recorded(detail::ContextParts& of, std::shared_ptr<void> graph, std::unique_ptr<detail::Work> function)
      : parts(of), captured(std::move(graph)), work(std::move(function)) {
    detail::hold(parts);
  }
  ~Recorded() {
    captured.reset();
    work.reset();
    detail::release(parts);
  }
};

Graph Context::capture_work(detail::Work* owned) {
  std::unique_ptr<detail::Work> work(owned);
  if (backend_ == Backend::cpu) return Graph(new Graph::Recorded(*parts_, nullptr, std::move(work)));
  device_->begin_capture();
  try {
    work->run();
  } catch (...) {
    device_->abandon_capture();
    throw;
  }
  return Graph(new Graph::Recorded(*parts_, device_->end_capture(), nullptr));
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
  if (!recorded_->parts.has_context) {
    throw Error(ErrorCode::invalid_argument, "the context of the graph was destroyed before this launch");
  }
  if (recorded_->work) {
    recorded_->work->run();
  } else {
    recorded_->parts.device->launch_captured(recorded_->captured.get());
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
