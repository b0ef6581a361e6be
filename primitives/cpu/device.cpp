#include <chrono>
#include <cstring>
#include <new>
#include <string>

#include "primitives/core/device.h"
#include "primitives/core/error.h"

namespace copse::cpu {

namespace {

class Heap final : public MemoryResource {
 public:
  void* allocate(u64 bytes, void*) override {
    void* memory = ::operator new(bytes, std::align_val_t(alignment), std::nothrow);
    if (memory == nullptr) {
      throw Error(ErrorCode::out_of_memory, "the heap could not allocate " + std::to_string(bytes) + " bytes");
    }
    return memory;
  }
  void deallocate(void* memory, u64, void*) noexcept override {
    ::operator delete(memory, std::align_val_t(alignment));
  }
};

class WallClockMark final : public Mark {
 public:
  double milliseconds_since(const Mark& earlier) const override {
    const auto& begin = static_cast<const WallClockMark&>(earlier);
    return std::chrono::duration<double, std::milli>(time_ - begin.time_).count();
  }
  bool has_passed() const override { return true; }

 private:
  std::chrono::steady_clock::time_point time_ = std::chrono::steady_clock::now();
};

/// Runs on the host. All work is done when its call returns, so there is nothing to wait for and nothing to
/// capture.
class HostDevice final : public Device {
 public:
  std::string name() const override { return "CPU"; }
  void* stream() const override { return nullptr; }
  MemoryResource& default_memory() override { return heap_; }
  void make_current() override {}
  void upload(void* to, const void* from, u64 bytes) override { std::memcpy(to, from, bytes); }
  void download(void* to, const void* from, u64 bytes) override { std::memcpy(to, from, bytes); }
  bool can_read(const void*) const override { return true; }
  void clear(void* memory, u64 bytes) override { std::memset(memory, 0, bytes); }
  void wait(const char*) override {}
  std::unique_ptr<Mark> mark() override { return std::make_unique<WallClockMark>(); }
  void begin_range(const char*) override {}
  void end_range() noexcept override {}
  bool capturing() const override { return false; }
  void begin_capture() override {}
  std::shared_ptr<void> end_capture() override { return nullptr; }
  void abandon_capture() noexcept override {}
  void launch_captured(void*) override {}
  void* begin_branch(const u32*) override { return nullptr; }
  void end_branch() override {}
  void abandon_branch() noexcept override {}

 private:
  Heap heap_;
};

}  // namespace

std::unique_ptr<Device> make_device() {
  return std::make_unique<HostDevice>();
}

}  // namespace copse::cpu
