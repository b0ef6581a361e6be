#include "builders/io/structure/block_sums.h"

// The functions are compiled into this file, so there is nothing to link.
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cstring>

#include "builders/io/mesh/reader_threads.h"
#include "builders/io/whole_file.h"

namespace copse::detail {

namespace {

using std::to_string;

constexpr char zero_bytes[256] = {};

/// Calls `f` with the bytes [begin, end) of an array in order.
template <class F>
void for_each_run_of(const FileArray& array, u64 begin, u64 end, const F& f) {
  const u64 element = array.element_bytes;
  if (element == array.stride) return f(array.data + begin, end - begin);
  char run[4096] = {};
  while (begin < end) {
    u64 used = 0;
    while (begin < end && used + element <= sizeof run) {
      const u64 from = begin % element, count = std::min(element - from, end - begin);
      std::memcpy(run + used, array.data + begin / element * array.stride + from, count);
      begin += count;
      used += count;
    }
    f(run, used);
  }
}

/// Calls `f` with all bytes of [begin, end) in order: those of the pieces, and zeros between them.
template <class F>
void for_each_piece_of(std::span<const FilePiece> pieces, u64 begin, u64 end, const F& f) {
  const auto fill = [&](u64 to) {
    for (; begin < to; begin += std::min<u64>(to - begin, sizeof zero_bytes))
      f(zero_bytes, std::min<u64>(to - begin, sizeof zero_bytes));
  };
  for (const FilePiece& piece : pieces) {
    const u64 piece_end = piece.at + piece.bytes.size;
    if (piece_end <= begin) continue;
    if (piece.at >= end) break;
    fill(std::min(piece.at, end));
    const u64 count = std::min(piece_end, end) - begin;
    for_each_run_of(piece.bytes, begin - piece.at, begin - piece.at + count, f);
    begin += count;
  }
  fill(end);
}

struct StreamedSum {
  StreamedSum() { XXH3_64bits_reset(&state); }
  void add(const char* bytes, u64 count) { XXH3_64bits_update(&state, bytes, count); }

  XXH3_state_t state;
};

u64 sum_of_block(std::span<const FilePiece> pieces, u64 begin, u64 end) {
  StreamedSum sum;
  for_each_piece_of(pieces, begin, end, [&](const char* bytes, u64 count) { sum.add(bytes, count); });
  return XXH3_64bits_digest(&sum.state);
}

u64 rounded_up(u64 bytes, u64 alignment) {
  return (bytes + alignment - 1) / alignment * alignment;
}

}  // namespace

std::vector<u64> block_sums(const std::filesystem::path& path, std::span<const FilePiece> pieces,
                            u64 content_bytes, const CancelToken& cancel, const char* work) {
  std::vector<u64> sums((content_bytes + bytes_per_block - 1) / bytes_per_block);
  for_each_on_threads(sums.size(), 0, [&](u64 block) {
    throw_if_cancelled(path, cancel, work);
    const u64 begin = block * bytes_per_block;
    sums[block] = sum_of_block(pieces, begin, std::min(begin + bytes_per_block, content_bytes));
  });
  return sums;
}

u64 sum_of_table(std::span<const char> table) {
  return XXH3_64bits(table.data(), table.size());
}

void check_block_sums(const std::filesystem::path& path, std::string_view file, u64 content_bytes, u64 checksum_at,
                      u64 checksum, const CancelToken& cancel) {
  const std::string_view table = file.substr(content_bytes);
  if (const u64 sum = sum_of_table(table); sum != checksum) {
    throw_bad_file(path, "its table of checksums has the checksum " + to_string(sum) + "; its header says " +
                             to_string(checksum) + ": the file is damaged");
  }
  const u64 after = checksum_at + sizeof(u64);
  const FilePiece pieces[] = {{0, file.substr(0, checksum_at)},
                              {after, file.substr(after, content_bytes - after)}};
  const std::vector<u64> sums = block_sums(path, pieces, content_bytes, cancel, "reading");
  for (u64 block = 0; block < sums.size(); ++block) {
    u64 expected;
    std::memcpy(&expected, table.data() + block * sizeof expected, sizeof expected);
    if (sums[block] == expected) continue;
    throw_bad_file(path, "block " + to_string(block) + " of " + to_string(sums.size()) + ", from byte " +
                             to_string(block * bytes_per_block) + " on, has the checksum " +
                             to_string(sums[block]) + "; its table says " + to_string(expected) +
                             ": the file is damaged");
  }
}

void write_in_blocks(const std::filesystem::path& path, std::span<char> header, u64 checksum_at, u64 alignment,
                     std::span<const FileArray> arrays, const CancelToken& cancel) {
  std::memset(header.data() + checksum_at, 0, sizeof(u64));
  std::vector<FilePiece> pieces = {{0, std::span<const char>(header)}};
  u64 end = rounded_up(header.size(), alignment);
  for (const FileArray& array : arrays) {
    if (array.size > 0) pieces.push_back({end, array});
    end = rounded_up(end + array.size, alignment);
  }
  const std::vector<u64> sums = block_sums(path, pieces, end, cancel, "writing");
  const std::span<const char> table(reinterpret_cast<const char*>(sums.data()), sums.size() * sizeof(u64));
  const u64 checksum = sum_of_table(table);
  std::memcpy(header.data() + checksum_at, &checksum, sizeof checksum);

  FileReplacement file(path, cancel);
  for_each_piece_of(pieces, 0, end, [&](const char* bytes, u64 count) { file.write(bytes, count); });
  file.write(table.data(), table.size());
  file.commit();
}

}  // namespace copse::detail
