#include "builders/io/structure/structure_writer.h"

#include <algorithm>
#include <cstring>

namespace copse::detail {

void write_structure(const std::filesystem::path& path, StructureHeader header, const StructureWideHeader& wide,
                     std::span<const FileArray> arrays, const CancelToken& cancel) {
  std::copy_n(structure_magic, sizeof header.magic, header.magic);
  header.version = structure_version;
  header.header_bytes = u32(sizeof header + sizeof wide);
  header.file_bytes = StructureLayout::of(header, wide).file_bytes;
  char bytes[sizeof header + sizeof wide];
  std::memcpy(bytes, &header, sizeof header);
  std::memcpy(bytes + sizeof header, &wide, sizeof wide);
  write_in_blocks(path, bytes, structure_checksum_at, StructureLayout::alignment, arrays, cancel);
}

}  // namespace copse::detail
