#include "builders/io/file/zlib_block.h"

#include <zlib.h>

#include <string>

#include "primitives/core/error.h"

namespace copse::detail {

std::vector<char> pack_block(std::span<const char> bytes, u64 room) {
  uLongf size = compressBound(bytes.size());
  std::vector<char> packed(room + size);
  if (compress(reinterpret_cast<Bytef*>(packed.data() + room), &size, reinterpret_cast<const Bytef*>(bytes.data()),
               bytes.size()) != Z_OK) {
    throw Error(ErrorCode::out_of_memory, "no memory to pack " + std::to_string(bytes.size()) + " bytes");
  }
  packed.resize(room + size);
  return packed;
}

bool unpack_block(std::span<const char> packed, std::span<char> to) {
  uLongf size = to.size();
  const int result = uncompress(reinterpret_cast<Bytef*>(to.data()), &size,
                                reinterpret_cast<const Bytef*>(packed.data()), packed.size());
  if (result == Z_MEM_ERROR) {
    throw Error(ErrorCode::out_of_memory, "no memory to unpack " + std::to_string(to.size()) + " bytes");
  }
  return result == Z_OK && size == to.size();
}

}  // namespace copse::detail
