#pragma once

// Checksums of a file by blocks of 1 MiB, so that threads compute and check them in parallel. The table of these sums
// stands at the end of the file, and the header has the checksum of the table.

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "primitives/core/cancel_token.h"
#include "primitives/core/types.h"

namespace copse::detail {

inline constexpr u64 bytes_per_block = u64{1} << 20;

/// Returns the size of a file: its content, then 8 bytes per block of it.
constexpr u64 with_block_table(u64 content_bytes) {
  return content_bytes + (content_bytes + bytes_per_block - 1) / bytes_per_block * sizeof(u64);
}

/// Returns the size of the content of a file of so many bytes.
constexpr u64 without_block_table(u64 file_bytes) {
  constexpr u64 step = bytes_per_block + sizeof(u64);
  const u64 table_bytes = (file_bytes + step - 1) / step * sizeof(u64);
  return file_bytes - (table_bytes < file_bytes ? table_bytes : file_bytes);
}

/// The bytes of elements that go into a file without gaps. In memory they may stand at a stride.
struct FileArray {
  const char* data = nullptr;
  u64 size = 0;           // of all elements, in bytes
  u64 element_bytes = 0;  // of one, up to 64; 0 if there is no stride
  u64 stride = 0;         // from one element to the next in memory

  FileArray(std::span<const char> bytes) : data(bytes.data()), size(bytes.size()) {}
  FileArray(std::string_view bytes) : data(bytes.data()), size(bytes.size()) {}
  FileArray(const char* first, u64 count, u64 bytes, u64 stride)
      : data(first), size(count * bytes), element_bytes(bytes), stride(stride) {}
};

/// Bytes of a file and their place in it. Bytes that no piece covers are 0.
struct FilePiece {
  u64 at;
  FileArray bytes;
};

/// Returns XXH3 (64 bits) of each block of a file.
///   pieces: in the order of the file, without overlaps
///   work:   "reading" or "writing", for the error
/// Throws: Error cancelled.
std::vector<u64> block_sums(const std::filesystem::path& path, std::span<const FilePiece> pieces,
                            u64 content_bytes, const CancelToken& cancel, const char* work);

/// Returns the checksum of a table, XXH3 too.
u64 sum_of_table(std::span<const char> table);

/// Refuses a file that its checksums do not fit. It names the first block that is damaged.
///   file:          the content, whose own checksum at `checksum_at` counts as 0, and the table
///   content_bytes: with_block_table(content_bytes) is the size of the file
/// Throws: Error bad_file, Error cancelled.
void check_block_sums(const std::filesystem::path& path, std::string_view file, u64 content_bytes, u64 checksum_at,
                      u64 checksum, const CancelToken& cancel);

/// Writes a file with the checksums of its blocks. The file appears under its name when it is complete.
///   header: its checksum at `checksum_at` is filled in
///   arrays: each begins at the next multiple of `alignment` in the file. So does the table
/// Throws: Error bad_file, Error cancelled.
void write_in_blocks(const std::filesystem::path& path, std::span<char> header, u64 checksum_at, u64 alignment,
                     std::span<const FileArray> arrays, const CancelToken& cancel);

}  // namespace copse::detail
