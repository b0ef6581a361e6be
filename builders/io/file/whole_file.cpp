#include "builders/io/whole_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

namespace copse::detail {

namespace {

/// Linux moves at most 2^31 - 4096 bytes per call.
constexpr u64 max_bytes_per_call = u64{1} << 30;
constexpr u64 pending_bytes = u64{1} << 20;
/// Reading asks for a stop after so many bytes, so that it is heeded soon on a slow disk too.
constexpr u64 bytes_per_read = u64{1} << 23;

std::string error_text(int error) {
  return std::generic_category().message(error);
}

/// A file descriptor that closes itself.
struct Descriptor {
  int file;
  ~Descriptor() {
    if (file >= 0) ::close(file);
  }
};

int open_again(const char* path, int flags, mode_t mode = 0) {
  int file;
  do {
    file = ::open(path, flags | O_CLOEXEC, mode);
  } while (file < 0 && errno == EINTR);
  return file;
}

/// Makes a rename in `folder` durable. Some file systems cannot do so; the data are safe without it.
void sync_folder(const std::filesystem::path& folder) {
  const Descriptor descriptor{open_again(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY)};
  if (descriptor.file >= 0) ::fsync(descriptor.file);
}

}  // namespace

void throw_bad_file(const std::filesystem::path& path, const std::string& message) {
  throw Error(ErrorCode::bad_file, path.string() + ": " + message);
}

std::string in_quotes(std::string_view text) {
  constexpr size_t most = 40;
  std::string out = "'";
  for (const char c : text.substr(0, most)) out += c >= ' ' && c <= '~' ? c : '?';
  return out + (text.size() > most ? "...'" : "'");
}

FileBytes::FileBytes(u64 size) : size_(size) {
  const std::align_val_t align{alignment};
  data_.reset(static_cast<char*>(::operator new(std::max<u64>(size, 1), align, std::nothrow)));
  if (!data_) throw Error(ErrorCode::out_of_memory, "no memory for " + std::to_string(size) + " bytes of a file");
}

void throw_if_cancelled(const std::filesystem::path& path, const CancelToken& cancel) {
  if (cancel.stop_requested()) throw Error(ErrorCode::cancelled, path.string() + ": reading was cancelled");
}

FileBytes read_whole_file(const std::filesystem::path& path, const CancelToken& cancel) {
  // O_NONBLOCK, so that a pipe without a writer does not block.
  const Descriptor descriptor{open_again(path.c_str(), O_RDONLY | O_NONBLOCK)};
  if (descriptor.file < 0) throw_bad_file(path, "cannot be opened: " + error_text(errno));
  struct stat status;
  if (::fstat(descriptor.file, &status) != 0) throw_bad_file(path, "cannot be read: " + error_text(errno));
  if (S_ISDIR(status.st_mode)) throw_bad_file(path, "cannot be read: " + error_text(EISDIR));
  if (!S_ISREG(status.st_mode)) throw_bad_file(path, "is not a regular file");

  FileBytes bytes{u64(status.st_size)};
  u64 done = 0;
  while (done < bytes.size()) {
    throw_if_cancelled(path, cancel);
    const ssize_t n = ::read(descriptor.file, bytes.data() + done, std::min(bytes.size() - done, bytes_per_read));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw_bad_file(path, "cannot be read: " + error_text(errno));
    if (n == 0) {
      throw_bad_file(path, "ended after " + std::to_string(done) + " of " + std::to_string(bytes.size()) +
                               " bytes: it changed while it was read");
    }
    done += u64(n);
  }
  return bytes;
}

FileReplacement::FileReplacement(const std::filesystem::path& path) : path_(path), target_(path) {
  struct stat status;
  if (::stat(path.c_str(), &status) == 0) {
    if (!S_ISREG(status.st_mode)) {
      file_ = open_again(path.c_str(), O_WRONLY);
      if (file_ < 0) fail("cannot be written", errno);
      return;
    }
    if (::access(path.c_str(), W_OK) != 0) fail("cannot be written", errno);
    has_old_file_ = true;
    old_mode_ = status.st_mode & 07777;
  } else if (errno != ENOENT) {
    fail("cannot be written", errno);
  }
  std::error_code error;
  if (std::filesystem::is_symlink(path, error)) {
    target_ = std::filesystem::canonical(path, error);
    if (error) fail("cannot be written", error.value());
  }
  open_temporary();
}

void FileReplacement::open_temporary() {
  // Two writers of one file take different names; the last commit wins.
  for (u32 attempt = 0; file_ < 0; ++attempt) {
    const std::string ending = ".tmp-" + std::to_string(::getpid()) + "-" + std::to_string(attempt);
    temporary_ = target_;
    temporary_ += ending;
    file_ = open_again(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL, 0666);
    if (file_ < 0 && errno != EEXIST) {
      const int error = errno;
      temporary_.clear();
      fail("cannot be written", error);
    }
  }
}

FileReplacement::~FileReplacement() {
  if (file_ >= 0) ::close(file_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void FileReplacement::write(const void* data, u64 bytes) {
  if (pending_.size() + bytes > pending_bytes) flush();
  if (bytes > pending_bytes) return write_now(static_cast<const char*>(data), bytes);
  pending_.append(static_cast<const char*>(data), bytes);
}

void FileReplacement::flush() {
  write_now(pending_.data(), pending_.size());
  pending_.clear();
}

void FileReplacement::write_now(const char* data, u64 bytes) {
  for (u64 done = 0; done < bytes;) {
    const ssize_t written = ::write(file_, data + done, std::min(bytes - done, max_bytes_per_call));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("cannot be written", errno);
    done += u64(written);
  }
}

void FileReplacement::commit() {
  flush();
  if (temporary_.empty()) return close();
  if (has_old_file_ && ::fchmod(file_, mode_t(old_mode_)) != 0) fail("cannot be given the old file's mode", errno);
  if (::fsync(file_) != 0) fail("cannot be written", errno);
  close();
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail("cannot be replaced", errno);
  temporary_.clear();
  sync_folder(target_.parent_path());
}

void FileReplacement::close() {
  const int file = file_;
  file_ = -1;
  if (::close(file) != 0 && errno != EINTR) fail("cannot be written", errno);
}

void FileReplacement::fail(const char* what, int error) const {
  throw_bad_file(path_, std::string(what) + ": " + error_text(error));
}

}  // namespace copse::detail
