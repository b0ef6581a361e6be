#include "tests/trust/failing_system.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>

namespace copse::test {

namespace {

std::atomic<long long> calls_left = -1;  // until the one that fails; below 0: none does
std::atomic<int> fault_error = 0;
std::atomic<bool> fault_happened = false;

/// Returns true if this call is the one that fails.
bool fails_now() {
  if (calls_left.load() < 0 || calls_left.fetch_sub(1) != 0) return false;
  fault_happened = true;
  return true;
}

/// Returns true, and sets errno, if this call is the one that fails. It moves no bytes, so it does not move half of them.
///   may_wait: a signal may interrupt it
bool fails_with_error(bool may_wait) {
  if (!fails_now()) return false;
  if (fault_error == half_of_the_bytes || (fault_error == EINTR && !may_wait)) return false;
  errno = fault_error;
  return true;
}

}  // namespace

SystemFault::SystemFault(u64 k, int error) {
  fault_error = error;
  fault_happened = false;
  calls_left = i64(k);
}
SystemFault::~SystemFault() {
  calls_left = -1;
}
bool SystemFault::has_happened() const {
  return fault_happened;
}

}  // namespace copse::test

using copse::test::fails_with_error;

extern "C" {

ssize_t write(int file, const void* data, size_t bytes) {
  if (copse::test::fails_now()) {
    if (copse::test::fault_error != copse::test::half_of_the_bytes) {
      errno = copse::test::fault_error;
      return -1;
    }
    bytes = (bytes + 1) / 2;
  }
  return syscall(SYS_write, file, data, bytes);
}

ssize_t read(int file, void* data, size_t bytes) {
  if (copse::test::fails_now()) {
    if (copse::test::fault_error != copse::test::half_of_the_bytes) {
      errno = copse::test::fault_error;
      return -1;
    }
    bytes = (bytes + 1) / 2;
  }
  return syscall(SYS_read, file, data, bytes);
}

int openat(int folder, const char* path, int flags, ...) {
  mode_t mode = 0;
  va_list arguments;
  va_start(arguments, flags);
  if ((flags & (O_CREAT | O_TMPFILE)) != 0) mode = mode_t(va_arg(arguments, int));
  va_end(arguments);
  return fails_with_error(true) ? -1 : int(syscall(SYS_openat, folder, path, flags, mode));
}

int close(int file) {
  // As Linux does it, a close that fails has closed the file.
  const int result = int(syscall(SYS_close, file));
  return fails_with_error(true) ? -1 : result;
}

int fsync(int file) {
  return fails_with_error(true) ? -1 : int(syscall(SYS_fsync, file));
}

int fchmod(int file, mode_t mode) noexcept {
  return fails_with_error(false) ? -1 : int(syscall(SYS_fchmod, file, mode));
}

int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) noexcept {
  return fails_with_error(false) ? -1 : int(syscall(SYS_linkat, from_folder, from, to_folder, to, flags));
}

int renameat(int from_folder, const char* from, int to_folder, const char* to) noexcept {
  return fails_with_error(false) ? -1 : int(syscall(SYS_renameat2, from_folder, from, to_folder, to, 0));
}

}  // extern "C"
