#pragma once

// Calls of the system on files, as both the reader and the writer of whole files use them.

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

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
  ~Descriptor() {
    if (file >= 0) ::close(file);
  }
};

}  // namespace copse::detail
