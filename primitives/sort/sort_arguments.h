#pragma once

// Checks the arguments of sorts, and of calls that move records.

#include "primitives/core/check.h"
#include "primitives/radix_key.h"

namespace copse::detail {

/// Says whether a sort can write over its input.
enum class InPlace : bool { refused, allowed };

/// Throws: if `out` has another size than `in`, or if they overlap (with InPlace::allowed, if they overlap in
/// part).
template <class T>
void check_sort_output(const char* sort, const char* things, BufferSpan<const T> in, BufferSpan<T> out,
                       InPlace in_place) {
  if (in.size() != out.size()) {
    refuse(sort, "the output has " + std::to_string(out.size()) + " " + things + ", but the input has " +
                     std::to_string(in.size()));
  }
  if (in_place == InPlace::allowed && in.data() == out.data()) return;
  if (overlap(in, out)) {
    refuse(sort, std::string("the output ") + things + " overlap the input" +
                     (in_place == InPlace::allowed ? "; they must be the same array or apart" : ""));
  }
}

/// Throws: if a key does not have all bits of `bits`.
template <class Key>
void check_key_bits(const char* sort, BitRange bits) {
  constexpr u32 width = all_bits<Key>.end;
  if (bits.begin <= bits.end && bits.end <= width) return;
  refuse(sort, "bits " + std::to_string(bits.begin) + " to " + std::to_string(bits.end) +
                   " are no range of bits in a key of " + counted(width, "bits"));
}

inline constexpr u64 max_record_bytes = 65536;

/// Throws: if a record cannot have that size.
inline void check_record_bytes(const char* function, u64 record_bytes) {
  if (record_bytes >= 1 && record_bytes <= max_record_bytes) return;
  refuse(function, "records of " + counted(record_bytes, "bytes") + "; 1 to " + std::to_string(max_record_bytes) +
                       " are possible");
}

/// Throws: if `byte_count` bytes end inside a record.
inline void check_whole_records(const char* function, u64 byte_count, u64 record_bytes) {
  if (byte_count % record_bytes == 0) return;
  refuse(function, counted(byte_count, "bytes") + ", no whole records of " + counted(record_bytes, "bytes"));
}

}  // namespace copse::detail
