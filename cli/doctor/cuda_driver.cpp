#include "cli/doctor/cuda_driver.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <memory>

namespace copse::cli {

namespace {

// The calls of the driver, as its header cuda.h declares them. A result of 0 is success.
using Initialise = int(unsigned flags);
using GetNumber = int(int* number);
using GetDevice = int(int* device, int ordinal);
using GetName = int(char* name, int bytes, int device);
using GetMemory = int(size_t* bytes, int device);
using GetAttribute = int(int* value, int attribute, int device);
using GetErrorText = int(int error, const char** text);

constexpr int attribute_major = 75, attribute_minor = 76;

/// The library of the driver.
class Library {
 public:
  Library() : handle_(::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr) problem_ = ::dlerror();
  }
  ~Library() {
    if (handle_ != nullptr) ::dlclose(handle_);
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  bool is_open() const { return handle_ != nullptr; }
  const std::string& problem() const { return problem_; }

  /// Calls a function of the library. Returns its result, or -1 if there is none of this name.
  template <class Function, class... Arguments>
  int call(const char* name, Arguments... arguments) const {
    auto* const function = reinterpret_cast<Function*>(::dlsym(handle_, name));
    return function != nullptr ? function(arguments...) : -1;
  }

  std::string error_text(int error) const {
    const char* text = nullptr;
    if (call<GetErrorText>("cuGetErrorString", error, &text) != 0 || text == nullptr) text = "an unknown error";
    return fmt::format("{} (error {})", text, error);
  }

 private:
  void* handle_;
  std::string problem_;
};

Gpu describe_gpu(const Library& library, int ordinal) {
  Gpu gpu;
  int device = 0;
  if (library.call<GetDevice>("cuDeviceGet", &device, ordinal) != 0) return gpu;
  char name[256] = "";
  if (library.call<GetName>("cuDeviceGetName", name, int(sizeof name), device) == 0) gpu.name = name;
  size_t bytes = 0;
  if (library.call<GetMemory>("cuDeviceTotalMem_v2", &bytes, device) == 0) gpu.memory_bytes = bytes;
  library.call<GetAttribute>("cuDeviceGetAttribute", &gpu.major, attribute_major, device);
  library.call<GetAttribute>("cuDeviceGetAttribute", &gpu.minor, attribute_minor, device);
  return gpu;
}

}  // namespace

CudaDriver ask_cuda_driver() {
  CudaDriver driver;
  const Library library;
  if (!library.is_open()) {
    driver.problem = "there is no NVIDIA driver: " + library.problem();
    return driver;
  }
  if (library.call<GetNumber>("cuDriverGetVersion", &driver.version) != 0) {
    driver.problem = "the NVIDIA driver does not tell its version";
    return driver;
  }
  if (const int error = library.call<Initialise>("cuInit", 0u); error != 0) {
    driver.problem = "the NVIDIA driver does not start: " + library.error_text(error);
    return driver;
  }
  int count = 0;
  if (const int error = library.call<GetNumber>("cuDeviceGetCount", &count); error != 0) {
    driver.problem = "the NVIDIA driver does not list its GPUs: " + library.error_text(error);
  } else if (count == 0) {
    driver.problem = "the NVIDIA driver lists no GPU";
  }
  for (int i = 0; i < count; ++i) driver.gpus.push_back(describe_gpu(library, i));
  return driver;
}

std::string cuda_version_text(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

}  // namespace copse::cli
