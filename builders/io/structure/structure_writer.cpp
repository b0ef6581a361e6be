#include "builders/io/structure/structure_writer.h"

#include <algorithm>
#include <cstring>

#include "builders/io/whole_file.h"

namespace copse::detail {

namespace {

/// Calls `f` with the bytes and the zeros behind them, in pieces of whole 8-byte words.
template <class F>
void for_each_piece(std::span<const char> bytes, const F& f) {
  constexpr u64 alignment = StructureLayout::alignment;
  const u64 whole = bytes.size() / alignment * alignment;
  if (whole > 0) f(bytes.first(whole));
  if (whole == bytes.size()) return;
  char last[alignment] = {};
  std::memcpy(last, bytes.data() + whole, bytes.size() - whole);
  f(std::span<const char>(last));
}

/// Calls `f` with all bytes of the file in order.
template <class F>
void for_each_piece(std::span<const char> header, std::span<const std::span<const char>> arrays, const F& f) {
  for_each_piece(header, f);
  for (const std::span<const char>& array : arrays) for_each_piece(array, f);
}

}  // namespace

void write_with_checksum(const std::filesystem::path& path, std::span<char> header,
                         std::span<const std::span<const char>> arrays, const CancelToken& cancel) {
  char* const checksum = header.data() + structure_checksum_at;
  std::memset(checksum, 0, sizeof(u64));
  StructureChecksum sum;
  for_each_piece(header, arrays, [&](std::span<const char> bytes) { sum.add(bytes); });
  const u64 value = sum.value();
  std::memcpy(checksum, &value, sizeof value);

  FileReplacement file(path, cancel);
  for_each_piece(header, arrays, [&](std::span<const char> bytes) { file.write(bytes.data(), bytes.size()); });
  file.commit();
}

void write_structure(const std::filesystem::path& path, StructureHeader header, const StructureWideHeader& wide,
                     std::span<const std::span<const char>> arrays, const CancelToken& cancel) {
  std::copy_n(structure_magic, sizeof header.magic, header.magic);
  header.header_bytes = u32(sizeof header + (header.version > 1 ? sizeof wide : 0));
  header.file_bytes = StructureLayout::of(header, wide).file_bytes;
  char bytes[sizeof header + sizeof wide];
  std::memcpy(bytes, &header, sizeof header);
  std::memcpy(bytes + sizeof header, &wide, sizeof wide);
  write_with_checksum(path, std::span(bytes).first(header.header_bytes), arrays, cancel);
}

}  // namespace copse::detail
