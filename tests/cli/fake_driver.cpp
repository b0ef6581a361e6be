// A libcuda.so.1 for the tests of copse doctor: an NVIDIA driver of the version in COPSE_TEST_DRIVER, such as 12040,
// with one GPU, or with none if the version is negative.

#include <cstddef>
#include <cstdlib>
#include <cstring>

namespace {

int version() {
  const char* const text = std::getenv("COPSE_TEST_DRIVER");
  return text != nullptr ? std::atoi(text) : 0;
}

constexpr int success = 0, invalid_value = 1, no_device = 100;

}  // namespace

extern "C" {

int cuDriverGetVersion(int* result) {
  *result = std::abs(version());
  return success;
}

int cuInit(unsigned) {
  return version() < 0 ? no_device : success;
}

int cuDeviceGetCount(int* count) {
  *count = 1;
  return success;
}

int cuDeviceGet(int* device, int ordinal) {
  *device = 7;
  return ordinal == 0 ? success : invalid_value;
}

int cuDeviceGetName(char* name, int bytes, int device) {
  if (device != 7) return invalid_value;
  std::strncpy(name, "A GPU of the tests", std::size_t(bytes));
  return success;
}

int cuDeviceTotalMem_v2(std::size_t* bytes, int) {
  *bytes = std::size_t{8} << 30;
  return success;
}

int cuDeviceGetAttribute(int* value, int attribute, int) {
  *value = attribute == 75 ? 8 : attribute == 76 ? 9 : -1;
  return success;
}

int cuGetErrorString(int, const char** text) {
  *text = "no CUDA-capable device is detected";
  return success;
}

}  // extern "C"
