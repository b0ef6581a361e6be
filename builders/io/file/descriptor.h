#pragma once

// Calls of the system on files, as both the reader and the writer of whole files use them.

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "primitives/core/types.h"

namespace copse::detail {

inline std::string error_text(int error) {
  return std::generic_category().message(error);
}

/// Opens a path that may be relative to the folder, and tries again after a signal. Returns -1 on failure.
inline int open_file(int folder, const char* path, int flags, mode_t mode = 0) {
  int file;
  do {
    file = ::openat(folder, path, flags | O_CLOEXEC, mode);
  } while (file < 0 && errno == EINTR);
  return file;
}

/// A file descriptor that closes itself.
struct Descriptor {
  int file;
  explicit Descriptor(int opened) : file(opened) {}
  ~Descriptor() {
    if (file >= 0) ::close(file);
  }
  Descriptor(Descriptor&& other) noexcept : file(std::exchange(other.file, -1)) {}
};

/// A regular file, open for reading, and its size.
struct OpenedFile {
  Descriptor descriptor;
  u64 bytes;
};

/// Throws: Error bad_file.
OpenedFile open_regular_file(const std::filesystem::path& path);

}  // namespace copse::detail
