#include "builders/io/whole_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "builders/io/file/descriptor.h"
#include "primitives/core/counted.h"

namespace copse::detail {

namespace {

/// Reading polls the cancel token after this many bytes, so that it stops soon on a slow disk too.
constexpr u64 bytes_per_read = u64{1} << 23;

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

void throw_if_cancelled(const std::filesystem::path& path, const CancelToken& cancel, const char* work) {
  if (cancel.stop_requested()) throw Error(ErrorCode::cancelled, path.string() + ": " + work + " was cancelled");
}

OpenedFile open_regular_file(const std::filesystem::path& path) {
  // O_NONBLOCK, so that a pipe without a writer does not block.
  OpenedFile file{Descriptor(open_file(AT_FDCWD, path.c_str(), O_RDONLY | O_NONBLOCK)), 0};
  const int descriptor = file.descriptor.file;
  if (descriptor < 0) throw_bad_file(path, "cannot be opened: " + error_text(errno));
  struct stat status;
  if (::fstat(descriptor, &status) != 0) throw_bad_file(path, "cannot be read: " + error_text(errno));
  if (S_ISDIR(status.st_mode)) throw_bad_file(path, "cannot be read: " + error_text(EISDIR));
  if (!S_ISREG(status.st_mode)) throw_bad_file(path, "is not a regular file");
  file.bytes = u64(status.st_size);
  return file;
}

FileBytes read_whole_file(const std::filesystem::path& path, const CancelToken& cancel) {
  const OpenedFile file = open_regular_file(path);
  FileBytes bytes{file.bytes};
  u64 done = 0;
  while (done < bytes.size()) {
    throw_if_cancelled(path, cancel);
    const ssize_t n =
        ::read(file.descriptor.file, bytes.data() + done, std::min(bytes.size() - done, bytes_per_read));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw_bad_file(path, "cannot be read: " + error_text(errno));
    if (n == 0) {
      throw_bad_file(path, "ended after " + std::to_string(done) + " of " + counted(bytes.size(), "bytes") +
                               ": it changed while it was read");
    }
    done += u64(n);
  }
  return bytes;
}

}  // namespace copse::detail
