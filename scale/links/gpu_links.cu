// Links between GPUs, by peer access and events, and copies through page-locked memory.

#include <algorithm>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "primitives/core/device.h"
#include "primitives/cuda/launch.cuh"
#include "primitives/cuda/memory_pool.cuh"
#include "scale/devices.h"
#include "scale/links/links.h"
#include "scale/links/staged_copies.h"

namespace copse {

namespace detail {

namespace {

using cuda::check;

/// An event without timing, which orders streams.
class StreamEvent {
 public:
  StreamEvent() { check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "creating an event"); }
  ~StreamEvent() { cudaEventDestroy(event_); }
  StreamEvent(const StreamEvent&) = delete;
  StreamEvent& operator=(const StreamEvent&) = delete;

  void record(cudaStream_t stream) { check(cudaEventRecord(event_, stream), "recording an event"); }
  void delay(cudaStream_t stream) { check(cudaStreamWaitEvent(stream, event_), "waiting for an event"); }
  void wait() { check(cudaEventSynchronize(event_), "waiting for a copy"); }

 private:
  cudaEvent_t event_ = nullptr;
};

bool can_access(u32 device, u32 other) {
  int can = 0;
  check(cudaDeviceCanAccessPeer(&can, int(device), int(other)), "asking for peer access");
  return can != 0;
}

/// Returns the GPU on which this memory is.
int device_of(const void* memory) {
  cudaPointerAttributes attributes{};
  check(cudaPointerGetAttributes(&attributes, memory), "asking for the GPU of an address");
  return attributes.device;
}

/// Lets kernels of `device`, the current GPU, use memory of another one. The setting holds for the process. CUDA
/// reports an error if it is set twice, also if the caller has set it.
void enable_access(u32 device, u32 other) {
  static std::mutex mutex;
  static std::set<std::pair<u32, u32>> enabled;
  const std::lock_guard lock(mutex);
  if (!enabled.emplace(device, other).second) return;
  const cudaError_t status = cudaDeviceEnablePeerAccess(int(other), 0);
  if (status == cudaErrorPeerAccessAlreadyEnabled) {
    cudaGetLastError();
  } else {
    check(status, "enabling peer access");
  }
}

class GpuLinks final : public Links {
 public:
  explicit GpuLinks(bool peer_access) : peer_access_(peer_access) {}

  void join(std::span<const std::unique_ptr<Context>> contexts) override {
    for (u32 device = 0; device < contexts.size(); ++device) {
      Device& gpu = contexts[device]->device();
      gpu.make_current();
      events_.push_back(std::make_unique<StreamEvent>());
      devices_.push_back(&gpu);
      reaches_first_.push_back(device == 0 || (peer_access_ && can_access(device, 0)));
    }
    open(0);
  }

  void open_all() override {
    for (u32 owner = 0; owner < devices_.size(); ++owner) open(owner);
  }

  bool has_peer_access(u32 device) const override { return reaches_first_[device]; }

  /// Memory that the caller allocated may be closed to peers, such as that of another pool. Then CUDA has no address
  /// for it on this GPU.
  bool reaches(u32 device, const void* memory) const override {
    if (!reaches_first_[device]) return false;
    devices_[device]->make_current();
    cudaPointerAttributes attributes{};
    const cudaError_t status = cudaPointerGetAttributes(&attributes, memory);
    if (status != cudaSuccess) cudaGetLastError();
    return status == cudaSuccess && attributes.devicePointer != nullptr;
  }

  void copy(Context& context, void* to, const void* from, u64 bytes) override {
    context.device().make_current();
    const cudaStream_t stream = static_cast<cudaStream_t>(context.stream());
    check(cudaMemcpyPeerAsync(to, device_of(to), from, device_of(from), bytes, stream), "copying between devices");
  }

  void begin() override {
    devices_[0]->make_current();
    events_[0]->record(stream_of(0));
    for (u32 device = 1; device < devices_.size(); ++device) {
      devices_[device]->make_current();
      events_[0]->delay(stream_of(device));
    }
  }

  void end() override {
    for (u32 device = 1; device < devices_.size(); ++device) {
      devices_[device]->make_current();
      events_[device]->record(stream_of(device));
    }
    devices_[0]->make_current();
    for (u32 device = 1; device < devices_.size(); ++device) events_[device]->delay(stream_of(0));
  }

 private:
  /// Opens the memory of a device to all others that have peer access.
  void open(u32 owner) {
    if (!peer_access_) return;
    std::vector<int> peers;
    for (u32 device = 0; device < devices_.size(); ++device) {
      if (device == owner || !can_access(device, owner)) continue;
      devices_[device]->make_current();
      enable_access(device, owner);
      peers.push_back(int(device));
    }
    static_cast<cuda::MemoryPool&>(devices_[owner]->default_memory()).share_with(peers);
  }

  cudaStream_t stream_of(u32 device) const { return static_cast<cudaStream_t>(devices_[device]->stream()); }

  bool peer_access_;
  std::vector<Device*> devices_;
  std::vector<std::unique_ptr<StreamEvent>> events_;
  std::vector<bool> reaches_first_;
};

/// Page-locked memory of a piece, with the event after its last copy.
class StagedPiece {
 public:
  static constexpr u64 bytes = u64{24} << 20;  // a multiple of 24 and of 32

  StagedPiece() { check(cudaHostAlloc(&memory_, bytes, cudaHostAllocDefault), "allocating page-locked memory"); }
  ~StagedPiece() { cudaFreeHost(memory_); }
  StagedPiece(const StagedPiece&) = delete;
  StagedPiece& operator=(const StagedPiece&) = delete;

  void* memory() { return memory_; }
  void wait() { copied_.wait(); }
  void copy(void* to, const void* from, u64 count, cudaStream_t stream) {
    check(cudaMemcpyAsync(to, from, count, cudaMemcpyDefault, stream), "copying between the host and a GPU");
    copied_.record(stream);
  }

 private:
  void* memory_ = nullptr;
  StreamEvent copied_;
};

class GpuCopies final : public StagedCopies {
 public:
  explicit GpuCopies(Context& context) : device_(context.device()) {
    device_.make_current();
    check(cudaStreamCreateWithFlags(&upload_stream_, cudaStreamNonBlocking), "creating a stream");
  }
  /// Copies may still be on the streams after an error.
  ~GpuCopies() override {
    cudaStreamSynchronize(upload_stream_);
    cudaStreamSynchronize(download_stream());
    cudaStreamDestroy(upload_stream_);
  }

  void upload(void* to, u64 bytes, const WritePiece& write) override {
    device_.make_current();
    for (u64 begin = 0, k = 0; begin < bytes; begin += StagedPiece::bytes, ++k) {
      const u64 end = std::min(begin + StagedPiece::bytes, bytes);
      StagedPiece& piece = up_[k % 2];
      piece.wait();  // until the copy before the last one has ended
      write(piece.memory(), begin, end);
      piece.copy(static_cast<u8*>(to) + begin, piece.memory(), end - begin, upload_stream_);
    }
    check(cudaStreamSynchronize(upload_stream_), "uploading");
  }

  void download(const void* from, u64 bytes, const ReadPiece& read) override {
    device_.make_current();
    const auto begin_copy = [&](u64 begin, u64 k) {
      const u64 count = std::min(StagedPiece::bytes, bytes - begin);
      down_[k % 2].copy(down_[k % 2].memory(), static_cast<const u8*>(from) + begin, count, download_stream());
    };
    if (bytes > 0) begin_copy(0, 0);
    for (u64 begin = 0, k = 0; begin < bytes; begin += StagedPiece::bytes, ++k) {
      const u64 end = std::min(begin + StagedPiece::bytes, bytes);
      if (end < bytes) begin_copy(end, k + 1);
      down_[k % 2].wait();
      read(down_[k % 2].memory(), begin, end);
    }
  }

 private:
  cudaStream_t download_stream() const { return static_cast<cudaStream_t>(device_.stream()); }

  Device& device_;
  StagedPiece up_[2], down_[2];
  cudaStream_t upload_stream_ = nullptr;
};

}  // namespace

std::unique_ptr<StagedCopies> make_gpu_copies(Context& context) {
  context.device().make_current();
  return std::make_unique<GpuCopies>(context);
}

std::unique_ptr<Links> make_gpu_links(bool peer_access) {
  return std::make_unique<GpuLinks>(peer_access);
}

}  // namespace detail

u32 gpu_count() {
  int count = 0;
  if (cudaGetDeviceCount(&count) == cudaSuccess) return u32(count);
  cudaGetLastError();
  return 0;
}

}  // namespace copse
