#pragma once

// Reads files in one piece, and writes files so that no half-written file is ever seen.

#include <filesystem>
#include <memory>
#include <new>
#include <string>
#include <string_view>

#include "primitives/core/cancel_token.h"
#include "primitives/core/error.h"
#include "primitives/core/macros.h"
#include "primitives/core/types.h"

namespace copse::detail {

/// Throws Error bad_file: "PATH: MESSAGE".
[[noreturn]] COPSE_API void throw_bad_file(const std::filesystem::path& path, const std::string& message);

/// Returns a piece of a file for an error message: in quotes, cut to 40 characters, with '?' for characters that
/// are not ASCII.
COPSE_API std::string in_quotes(std::string_view text);

/// The bytes of a file, aligned for any plain record.
class COPSE_API FileBytes {
 public:
  static constexpr size_t alignment = 64;

  /// Throws: Error out_of_memory.
  explicit FileBytes(u64 size);

  char* data() { return data_.get(); }
  const char* data() const { return data_.get(); }
  u64 size() const { return size_; }
  std::string_view text() const { return {data(), size()}; }

 private:
  struct Free {
    void operator()(char* p) const { ::operator delete (p, std::align_val_t{alignment}); }
  };
  std::unique_ptr<char, Free> data_;
  u64 size_;
};

/// Throws Error cancelled, "PATH: reading was cancelled", if a stop is requested.
///   work: what is cancelled
COPSE_API void throw_if_cancelled(const std::filesystem::path& path, const CancelToken& cancel,
                                  const char* work = "reading");

/// Returns the bytes of a regular file.
/// Throws: Error bad_file if it cannot be opened or read, is not a regular file or changes its size meanwhile;
/// Error cancelled; Error out_of_memory.
COPSE_API FileBytes read_whole_file(const std::filesystem::path& path, const CancelToken& cancel = {});

class TemporaryName;

/// Writes a new file and puts it in the place of the old one on commit, so that the old file survives every
/// failure. Until then the new file has no name where the system can do so (Linux, O_TMPFILE), so that it is gone
/// however the program ends. Elsewhere it has a temporary name in the same folder; see remove_temporary_files.
/// Follows symbolic links and keeps the mode of an old file. Files that are not regular, such as /dev/stdout, are
/// written directly.
class COPSE_API FileReplacement {
 public:
  ///   cancel: once a stop is requested, write throws Error cancelled soon, also in the middle of a large array
  /// Throws: Error bad_file.
  explicit FileReplacement(const std::filesystem::path& path, CancelToken cancel = {});
  ~FileReplacement();
  FileReplacement(const FileReplacement&) = delete;
  FileReplacement& operator=(const FileReplacement&) = delete;

  /// Throws: Error bad_file, for example on a full disk; Error cancelled.
  void write(const void* data, u64 bytes);

  /// Puts the bytes on the disk and the new file in the place of the old one. May be called once, as the last
  /// call.
  /// Throws: Error bad_file, Error cancelled.
  void commit();

 private:
  void find_target();
  void open_new_file();
  void open_named();
  void give_name();
  bool link_to(const char* name) const;
  void flush();
  void write_now(const char* data, u64 bytes);
  void sync() const;
  void close_file();
  [[noreturn]] void fail(const char* what, int error) const;

  std::filesystem::path path_;  // as the caller gave it
  CancelToken cancel_;
  std::string target_;                   // the name in the folder, behind symbolic links
  int folder_ = -1;                      // of the target; -1 for a file that is written directly
  int file_ = -1;                        // the new file
  std::unique_ptr<TemporaryName> name_;  // of the new file, while it has one
  u32 old_mode_ = 0;
  bool has_old_file_ = false;
  std::string pending_;
};

/// Removes the files that FileReplacements have written under temporary names and not yet committed. For a program
/// that is about to end without unwinding: it may be called in a signal handler.
COPSE_API void remove_temporary_files() noexcept;

}  // namespace copse::detail
