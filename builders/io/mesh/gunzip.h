#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "primitives/core/cancel_token.h"
#include "primitives/core/types.h"

namespace copse::detail {

/// Returns true if a file begins with the magic bytes of gzip.
inline bool is_gzip(std::string_view bytes) {
  return bytes.starts_with("\x1f\x8b");
}

/// Returns what gzip packed into `bytes`, which may be several packed files, one after the other.
///   path: for error messages
///   max_bytes: the largest size of the result
/// Throws: Error bad_file for damaged or cut data, bytes behind them, and a larger result; Error cancelled; Error
/// out_of_memory.
std::string gunzip(const std::filesystem::path& path, std::string_view bytes, u64 max_bytes,
                   const CancelToken& cancel);

}  // namespace copse::detail
