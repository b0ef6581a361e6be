#pragma once

// What the public functions check that move records, or tell elements apart by indices of 32 bits.

#include <string>

#include "primitives/core/error.h"
#include "primitives/core/types.h"

namespace copse {

inline constexpr u64 max_record_bytes = 65536;
inline constexpr u64 max_indices = u64{1} << 32;

/// Throws: Error invalid_argument where no record may have that size.
inline void check_record_bytes(const char* what, u64 record_bytes) {
  if (record_bytes >= 1 && record_bytes <= max_record_bytes) return;
  throw Error(ErrorCode::invalid_argument, std::string(what) + ": records of " + std::to_string(record_bytes) +
                                               " bytes, 1 to " + std::to_string(max_record_bytes) +
                                               " are possible");
}

/// Throws: Error invalid_argument where `byte_count` bytes end inside a record.
inline void check_whole_records(const char* what, u64 byte_count, u64 record_bytes) {
  if (byte_count % record_bytes == 0) return;
  throw Error(ErrorCode::invalid_argument, std::string(what) + ": " + std::to_string(byte_count) +
                                               " bytes are no whole records of " + std::to_string(record_bytes) +
                                               " bytes");
}

/// Throws: Error invalid_argument where there are more elements than indices of 32 bits.
inline void check_index_count(const char* what, const char* elements, u64 count) {
  if (count <= max_indices) return;
  throw Error(ErrorCode::invalid_argument, std::string(what) + ": " + std::to_string(count) + " " + elements +
                                               ", indices of 32 bits tell at most " + std::to_string(max_indices) +
                                               " apart");
}

}  // namespace copse
