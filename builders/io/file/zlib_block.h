#pragma once

#include <span>
#include <vector>

#include "primitives/core/types.h"

namespace copse::detail {

/// Returns `bytes` packed by zlib, with `room` bytes left free before them.
/// Throws: Error out_of_memory; Error invalid_argument if Copse was built without zlib.
std::vector<char> pack_block(std::span<const char> bytes, u64 room);

/// Unpacks what zlib packed. Returns false if `packed` is damaged or does not have exactly the bytes of `to`.
/// Throws: Error out_of_memory; Error bad_file if Copse was built without zlib.
bool unpack_block(std::span<const char> packed, std::span<char> to);

}  // namespace copse::detail
