#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <utility>

#include "builders/io/file/descriptor.h"
#include "builders/io/file/temporary_name.h"
#include "builders/io/whole_file.h"

namespace copse::detail {

namespace {

/// Linux moves at most 2^31 - 4096 bytes per call.
constexpr u64 max_bytes_per_call = u64{1} << 24;  // so that a cancelled write ends soon
constexpr u64 pending_bytes = u64{1} << 20;

/// The path by which the system gives a name to a file that has none.
std::string path_of(int file) {
  return "/proc/self/fd/" + std::to_string(file);
}

/// Opens a new file without a name. Returns -1 if the kernel, the file system or a missing /proc does not allow it.
int open_unnamed(int folder) {
  const int file = open_file(folder, ".", O_WRONLY | O_TMPFILE, 0666);
  if (file < 0 || ::access(path_of(file).c_str(), F_OK) == 0) return file;
  ::close(file);
  return -1;
}

/// Makes a new name in the folder durable. Some file systems cannot do so; the data are safe without it.
void sync_folder(int folder) {
  const Descriptor descriptor{open_file(folder, ".", O_RDONLY | O_DIRECTORY)};
  if (descriptor.file >= 0) ::fsync(descriptor.file);
}

}  // namespace

FileReplacement::FileReplacement(const std::filesystem::path& path, CancelToken cancel)
    : path_(path), cancel_(std::move(cancel)) {
  struct stat status;
  if (::stat(path.c_str(), &status) == 0) {
    if (!S_ISREG(status.st_mode)) {
      file_ = open_file(AT_FDCWD, path.c_str(), O_WRONLY);
      if (file_ < 0) fail("cannot be written", errno);
      return;
    }
    if (::access(path.c_str(), W_OK) != 0) fail("cannot be written", errno);
    has_old_file_ = true;
    old_mode_ = status.st_mode & 07777;
  } else if (errno != ENOENT) {
    fail("cannot be written", errno);
  }
  find_target();
  try {
    open_new_file();
  } catch (...) {
    ::close(folder_);
    throw;
  }
}

void FileReplacement::find_target() {
  std::error_code error;
  std::filesystem::path target = path_;
  if (std::filesystem::is_symlink(path_, error)) {
    target = std::filesystem::canonical(path_, error);
    if (error) fail("cannot be written", error.value());
  }
  target_ = target.filename().string();
  if (target_.empty()) fail("cannot be written", EISDIR);
  const std::filesystem::path folder = target.has_parent_path() ? target.parent_path() : ".";
  folder_ = open_file(AT_FDCWD, folder.c_str(), O_PATH | O_DIRECTORY);
  if (folder_ < 0) fail("cannot be written", errno);
}

void FileReplacement::open_new_file() {
  file_ = open_unnamed(folder_);
  if (file_ < 0) open_named();
}

void FileReplacement::open_named() {
  do {
    name_.reset();
    name_ = std::make_unique<TemporaryName>(folder_);
    file_ = open_file(folder_, name_->text(), O_WRONLY | O_CREAT | O_EXCL, 0666);
  } while (file_ < 0 && errno == EEXIST);
  if (file_ < 0) {
    const int error = errno;
    name_.reset();
    fail("cannot be written", error);
  }
}

FileReplacement::~FileReplacement() {
  if (file_ >= 0) ::close(file_);
  if (name_) ::unlinkat(folder_, name_->text(), 0);
  name_.reset();
  if (folder_ >= 0) ::close(folder_);
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
    throw_if_cancelled(path_, cancel_, "writing");
    const ssize_t written = ::write(file_, data + done, std::min(bytes - done, max_bytes_per_call));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("cannot be written", errno);
    done += u64(written);
  }
}

void FileReplacement::commit() {
  throw_if_cancelled(path_, cancel_, "writing");
  flush();
  if (folder_ < 0) return close_file();
  if (has_old_file_ && ::fchmod(file_, mode_t(old_mode_)) != 0) fail("cannot be given the old file's mode", errno);
  sync();
  if (!name_) give_name();
  // After the sync all bytes are safe: a close that fails, as one of a network file system may, loses none of them.
  ::close(std::exchange(file_, -1));
  if (name_) {
    if (::renameat(folder_, name_->text(), folder_, target_.c_str()) != 0) fail("cannot be replaced", errno);
    name_.reset();
  }
  sync_folder(folder_);
}

void FileReplacement::sync() const {
  int result;
  do {
    result = ::fsync(file_);
  } while (result != 0 && errno == EINTR);
  if (result != 0) fail("cannot be written", errno);
}

/// Gives the new file its name, or, as a link cannot replace an old file, a temporary one.
void FileReplacement::give_name() {
  if (!has_old_file_ && link_to(target_.c_str())) return;
  do {
    name_.reset();
    name_ = std::make_unique<TemporaryName>(folder_);
  } while (!link_to(name_->text()));
}

/// Returns false if the name is there already.
bool FileReplacement::link_to(const char* name) const {
  if (::linkat(AT_FDCWD, path_of(file_).c_str(), folder_, name, AT_SYMLINK_FOLLOW) == 0) return true;
  if (errno != EEXIST) fail("cannot be given its name", errno);
  return false;
}

void FileReplacement::close_file() {
  const int file = file_;
  file_ = -1;
  if (::close(file) != 0 && errno != EINTR) fail("cannot be written", errno);
}

void FileReplacement::fail(const char* what, int error) const {
  throw_bad_file(path_, std::string(what) + ": " + error_text(error));
}

}  // namespace copse::detail
