#include <nvtx3/nvToolsExt.h>

#include <string>

#include "primitives/core/device.h"
#include "primitives/cuda/graph_branches.cuh"
#include "primitives/cuda/launch.cuh"
#include "primitives/cuda/memory_pool.cuh"
#include "primitives/cuda/no_gpu.h"

namespace copse::cuda {

namespace {

class EventMark final : public Mark {
 public:
  explicit EventMark(cudaStream_t stream) : EventMark() {
    check(cudaEventRecord(event_, stream), "recording an event");  // the destructor runs if this throws
  }
  ~EventMark() override { cudaEventDestroy(event_); }

  double milliseconds_since(const Mark& earlier) const override {
    check(cudaEventSynchronize(event_), "waiting for an event");
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, static_cast<const EventMark&>(earlier).event_, event_),
          "reading an event");
    return milliseconds;
  }
  bool has_passed() const override {
    const cudaError_t status = cudaEventQuery(event_);
    if (status == cudaErrorNotReady) cudaGetLastError();
    return status != cudaErrorNotReady;
  }

 private:
  EventMark() { check(cudaEventCreate(&event_), "creating an event"); }

  cudaEvent_t event_ = nullptr;
};

__global__ void probe_kernel() {}

int device_count() {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status == cudaSuccess && count > 0) return count;
  cudaGetLastError();
  std::string why = status == cudaSuccess ? "the driver lists none" : cudaGetErrorString(status);
  if (status == cudaErrorInsufficientDriver) {
    int driver_version = 0;
    cudaDriverGetVersion(&driver_version);
    why = insufficient_driver_text(driver_version, CUDART_VERSION);
  }
  throw Error(ErrorCode::no_device, "no GPU answers: " + why);
}

class GpuDevice final : public Device {
 public:
  GpuDevice(int ordinal, void* const* stream) : ordinal_(ordinal) {
    const int count = device_count();
    if (ordinal < 0 || ordinal >= count) {
      throw Error(ErrorCode::invalid_argument, "GPU " + std::to_string(ordinal) +
                                                   " was asked for, but the number of GPUs is " +
                                                   std::to_string(count) + ", and the first is GPU 0");
    }
    check(cudaSetDevice(ordinal), "choosing the GPU");
    check(cudaGetDeviceProperties(&properties_, ordinal), "reading the GPU's properties");
    require_kernels();
    pool_ = std::make_unique<MemoryPool>(ordinal);
    if (stream != nullptr) {
      stream_ = static_cast<cudaStream_t>(*stream);
    } else {
      check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "creating a stream");
      owns_stream_ = true;
    }
  }
  ~GpuDevice() override {
    cudaSetDevice(ordinal_);
    cudaStreamSynchronize(stream_);
    if (owns_stream_) cudaStreamDestroy(stream_);
  }

  std::string name() const override { return properties_.name; }
  void* stream() const override { return stream_; }
  MemoryResource& default_memory() override { return *pool_; }
  void make_current() override { check(cudaSetDevice(ordinal_), "choosing the GPU"); }

  void upload(void* to, const void* from, u64 bytes) override {
    copy_bytes(to, from, bytes, cudaMemcpyHostToDevice);
  }
  void download(void* to, const void* from, u64 bytes) override {
    copy_bytes(to, from, bytes, cudaMemcpyDeviceToHost);
    check(cudaStreamSynchronize(stream_), "downloading");
  }
  bool can_read(const void* memory) const override {
    cudaPointerAttributes attributes{};
    if (cudaPointerGetAttributes(&attributes, memory) != cudaSuccess) {
      cudaGetLastError();
      return false;
    }
    return attributes.devicePointer != nullptr || properties_.pageableMemoryAccess != 0;
  }
  void clear(void* memory, u64 bytes) override {
    make_current();
    check(cudaMemsetAsync(memory, 0, bytes, stream_), "clearing memory");
  }

  void wait(const char* last_label) override {
    const cudaError_t status = cudaStreamSynchronize(stream_);
    if (status == cudaSuccess) return;
    check(status, (std::string("work up to the launch '") + last_label + "' failed").c_str());
  }

  std::unique_ptr<Mark> mark() override {
    make_current();
    return std::make_unique<EventMark>(stream_);
  }
  void begin_range(const char* label) override { nvtxRangePushA(label); }
  void end_range() noexcept override { nvtxRangePop(); }

  bool capturing() const override {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    if (cudaStreamIsCapturing(stream_, &status) != cudaSuccess) cudaGetLastError();
    return status != cudaStreamCaptureStatusNone;
  }
  void begin_capture() override {
    make_current();
    check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "beginning a capture");
  }
  std::shared_ptr<void> end_capture() override {
    cudaGraph_t graph = nullptr;
    check(cudaStreamEndCapture(stream_, &graph), "ending a capture");
    cudaGraphExec_t executable = nullptr;
    const cudaError_t status = cudaGraphInstantiate(&executable, graph, 0);
    cudaGraphDestroy(graph);
    check(status, "making a captured graph executable");
    return {executable, [](cudaGraphExec_t e) { cudaGraphExecDestroy(e); }};
  }
  void abandon_capture() noexcept override {
    cudaGraph_t graph = nullptr;
    if (cudaStreamEndCapture(stream_, &graph) == cudaSuccess && graph != nullptr) cudaGraphDestroy(graph);
    cudaGetLastError();
  }
  void launch_captured(void* graph) override {
    make_current();
    check(cudaGraphLaunch(static_cast<cudaGraphExec_t>(graph), stream_), "launching a captured graph");
  }
  void* begin_branch(const u32* flag) override { return branches_.begin(stream_, flag); }
  void end_branch() override { branches_.end(); }
  void abandon_branch() noexcept override { branches_.abandon(); }

 private:
  /// Checks that this build has code for the GPU.
  /// Throws: Error no_device if it has none.
  void require_kernels() const {
    cudaFuncAttributes attributes{};
    const cudaError_t error = cudaFuncGetAttributes(&attributes, probe_kernel);
    if (error == cudaSuccess) return;
    cudaGetLastError();
    // After a fault on the GPU, every CUDA call of the process fails with the error of that fault.
    if (error != cudaErrorNoKernelImageForDevice && error != cudaErrorInvalidDeviceFunction) {
      check(error, "asking for a kernel");
    }
    throw Error(ErrorCode::no_device, no_kernels_text(properties_.name, 10 * properties_.major + properties_.minor,
                                                      {__CUDA_ARCH_LIST__}));
  }
  void copy_bytes(void* to, const void* from, u64 bytes, cudaMemcpyKind kind) {
    make_current();
    check(cudaMemcpyAsync(to, from, bytes, kind, stream_), "copying memory");
  }

  int ordinal_;
  cudaDeviceProp properties_{};
  std::unique_ptr<MemoryPool> pool_;
  cudaStream_t stream_ = nullptr;
  bool owns_stream_ = false;
  GraphBranches branches_;
};

}  // namespace

std::unique_ptr<Device> make_device(int ordinal, void* const* stream) {
  return std::make_unique<GpuDevice>(ordinal, stream);
}

int multiprocessor_count(int ordinal) {
  int count = 0;
  check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, ordinal), "counting multiprocessors");
  return count;
}

int capability(int ordinal) {
  int major = 0;
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, ordinal),
        "reading the compute capability");
  return major;
}

int max_shared_bytes(int ordinal) {
  int bytes = 0;
  check(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, ordinal),
        "reading the shared memory of a block");
  return bytes;
}

}  // namespace copse::cuda
