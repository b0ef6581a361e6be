#pragma once

#include <string>
#include <vector>

#include "builders/io/structure/structure_layout.h"
#include "builders/io/structure/voxel_layout.h"
#include "tests/builders/io/temporary_folder.h"

namespace copse::test {

/// Returns a structure, tree or voxel file of any version with its checksums made right, so that the checks after them
/// are tested.
inline std::string sealed(std::string bytes) {
  const u32 version = word_at(bytes, 8);
  const char kind = bytes[4];  // 'E', 'T' or 'V'
  const u64 at = kind == 'V' ? detail::voxel_checksum_at : detail::structure_checksum_at;
  const auto set = [&](u64 place, u64 value) { std::memcpy(bytes.data() + place, &value, sizeof value); };
  if (version < (kind == 'T' ? 2u : 4u)) {
    if (kind != 'V') set(at, detail::StructureChecksum::of_file(bytes));
    return bytes;
  }
  set(at, 0);
  const u64 content_bytes = detail::without_block_table(bytes.size());
  const detail::FilePiece content{0, std::span<const char>(bytes).first(content_bytes)};
  const std::vector<u64> sums = detail::block_sums("sealed", {&content, 1}, content_bytes, {}, "writing");
  for (u64 block = 0; block < sums.size(); ++block) set(content_bytes + block * sizeof(u64), sums[block]);
  set(at, detail::sum_of_table(std::span<const char>(bytes).subspan(content_bytes)));
  return bytes;
}

/// The same for a file in which four bytes are changed.
inline std::string sealed_with_word(std::string bytes, u64 at, u32 value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
  return sealed(std::move(bytes));
}

}  // namespace copse::test
