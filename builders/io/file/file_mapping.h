#pragma once

// Files whose pages are memory.

#include <filesystem>
#include <span>

#include "primitives/core/types.h"

namespace copse::detail {

/// What a program may do with the pages of a mapped file. Writing changes copies of the pages, never the file.
enum class PageAccess { read, read_and_write };

/// The bytes of a file in memory, page by page as they are used. If another program cuts the file short, reading the lost
/// part ends this program with SIGBUS.
class FileMapping {
 public:
  /// Throws: Error bad_file if the file cannot be opened or is not a regular file; Error out_of_memory if there is no
  /// room for it among the addresses.
  FileMapping(const std::filesystem::path& path, PageAccess access);
  ~FileMapping();
  FileMapping(const FileMapping&) = delete;
  FileMapping& operator=(const FileMapping&) = delete;

  std::span<char> bytes() const { return {data_, size_}; }

 private:
  char* data_ = nullptr;
  u64 size_ = 0;
};

}  // namespace copse::detail
