#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

namespace copse::fuzz {

/// A file in memory, which has a name.
class MemoryFile {
 public:
  MemoryFile() : file_(::memfd_create("copse-fuzz", MFD_CLOEXEC)) {
    if (file_ < 0) throw std::runtime_error("memfd_create failed");
  }
  ~MemoryFile() { ::close(file_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::filesystem::path path() const { return "/proc/self/fd/" + std::to_string(file_); }
  std::filesystem::path write(std::string_view bytes) const {
    const ssize_t size = ssize_t(bytes.size());
    const bool is_done = ::ftruncate(file_, size) == 0 && ::pwrite(file_, bytes.data(), bytes.size(), 0) == size;
    if (!is_done) throw std::runtime_error("the file in memory cannot be written");
    return path();
  }

 private:
  int file_;
};

}  // namespace copse::fuzz
