#pragma once

// The lanes of a warp move records together. Each lane reads the index of one record. Then the warp walks along
// the words of its records, with neighbouring lanes at neighbouring words. So a record of 128 bytes is one access
// of 8 lanes, 16 bytes each (Patidar, Narayanan, "Scalable Split and Gather Primitives for the GPU", IIIT
// Hyderabad 2009, section 4). Each lane has four words in flight.

#include <type_traits>

#include "primitives/core/bits.h"
#include "primitives/cuda/launch.cuh"
#include "primitives/cuda/warp.cuh"

namespace copse::cuda {

namespace detail {

inline constexpr u32 move_threads = 256;
inline constexpr u32 move_warps = move_threads / warp_size;
inline constexpr u32 moves_in_flight = 4;

/// How many rows of 32 records a warp moves. A record has `fixed_words` words, or any number if that is 0.
template <u32 fixed_words>
inline constexpr u32 move_rows = fixed_words == 0 || fixed_words > moves_in_flight
                                     ? 1
                                     : moves_in_flight / larger(fixed_words, 1u);

/// True if records fill whole sectors of 32 bytes. Such sectors are written once, so they need no room in the
/// caches. Several smaller records share a sector, which should stay in the cache.
template <class Word, u32 fixed_words>
inline constexpr bool stores_whole_sectors = sizeof(Word) == 16 && fixed_words != 1;

/// The same for loads. Memory gives 64 bytes at a time, so two records of 32 bytes share them.
template <class Word, u32 fixed_words>
inline constexpr bool loads_once = fixed_words != 2 && stores_whole_sectors<Word, fixed_words>;

/// The words of one thread that are moved at once.
template <class Word>
struct MovedWords {
  Word values[moves_in_flight];
  u64 targets[moves_in_flight];
  bool moves[moves_in_flight];
};

template <bool streams_out, class Word>
__device__ __forceinline__ void store_words(const MovedWords<Word>& moved, Word* out) {
#pragma unroll
  for (u32 k = 0; k < moves_in_flight; ++k) {
    if (!moved.moves[k]) continue;
    if (streams_out) {
      __stcs(out + moved.targets[k], moved.values[k]);
    } else {
      out[moved.targets[k]] = moved.values[k];
    }
  }
}

/// In step s a warp moves words 32 s to 32 s + 31 of its records laid end to end. A row of 32 records ends where a
/// step ends.
template <class Word, u32 fixed_words, bool gathers, class IndexFunction>
__global__ void __launch_bounds__(move_threads)
    move_records_kernel(u64 n, const Word* in, u32 any_words, IndexFunction index, Word* out) {
  using Id = std::decay_t<decltype(index(u64{0}))>;
  constexpr Id none = static_cast<Id>(~u64{0});
  constexpr u32 rows = move_rows<fixed_words>;
  constexpr bool streams_in = !gathers || loads_once<Word, fixed_words>;
  const u32 words = fixed_words != 0 ? fixed_words : any_words;
  const u64 warp = u64(blockIdx.x) * move_warps + threadIdx.x / warp_size;
  const u64 first = warp * (rows * warp_size);
  overlap_launches();
  if (first >= n) return;

  Id ids[rows];
#pragma unroll
  for (u32 r = 0; r < rows; ++r) {
    const u64 i = first + r * warp_size + lane_id();
    ids[r] = i < n ? index(i) : none;
  }

  u32 record = lane_id() / words, word = lane_id() % words;
  const u32 record_stride = warp_size / words, word_stride = warp_size % words;
  const u32 steps = rows * words;
  for (u32 step = 0; step < steps; step += moves_in_flight) {
    MovedWords<Word> moved;
#pragma unroll
    for (u32 k = 0; k < moves_in_flight; ++k) {
      const Id id = __shfl_sync(all_lanes, ids[rows == 1 ? 0 : k / words], int(record % warp_size));
      const u64 by_index = u64(id) * words + word;
      const u64 in_order = first * words + u64(step + k) * warp_size + lane_id();
      moved.moves[k] = step + k < steps && id != none;
      moved.targets[k] = gathers ? in_order : by_index;
      if (moved.moves[k]) {
        const Word* source = in + (gathers ? by_index : in_order);
        moved.values[k] = streams_in ? __ldcs(source) : *source;
      }
      record += record_stride;
      word += word_stride;
      if (word >= words) {
        word -= words;
        ++record;
      }
    }
    store_words<gathers || stores_whole_sectors<Word, fixed_words>>(moved, out);
  }
}

template <class Word, u32 fixed_words, bool gathers, class IndexFunction>
void move_words(const Executor& ex, const char* label, u64 n, const void* in, u64 record_bytes,
                const IndexFunction& index, void* out) {
  const u64 block_records = u64{move_warps} * warp_size * move_rows<fixed_words>;
  launch(
      ex, label, move_records_kernel<Word, fixed_words, gathers, IndexFunction>,
      {.blocks = divide_rounding_up(n, block_records), .threads = move_threads, .overlaps_earlier_launch = true},
      n, static_cast<const Word*>(in), u32(record_bytes / sizeof(Word)), index, static_cast<Word*>(out));
}

/// Returns the bytes, at most 16, of the widest word that fits the record size and the alignment of both arrays.
inline u64 common_word_bytes(const void* in, const void* out, u64 record_bytes) {
  const u64 bits = reinterpret_cast<u64>(in) | reinterpret_cast<u64>(out) | record_bytes | 16;
  return bits & (~bits + 1);
}

template <bool gathers, class IndexFunction>
void move_records_of_any_size(const Executor& ex, const char* label, u64 n, const void* in, u64 record_bytes,
                              const IndexFunction& index, void* out) {
  switch (common_word_bytes(in, out, record_bytes)) {
    case 16:
      switch (record_bytes) {
        case 16: return move_words<uint4, 1, gathers>(ex, label, n, in, record_bytes, index, out);
        case 32: return move_words<uint4, 2, gathers>(ex, label, n, in, record_bytes, index, out);
        case 64: return move_words<uint4, 4, gathers>(ex, label, n, in, record_bytes, index, out);
        case 128: return move_words<uint4, 8, gathers>(ex, label, n, in, record_bytes, index, out);
        default: return move_words<uint4, 0, gathers>(ex, label, n, in, record_bytes, index, out);
      }
    case 8:
      if (record_bytes == 8) return move_words<u64, 1, gathers>(ex, label, n, in, record_bytes, index, out);
      return move_words<u64, 0, gathers>(ex, label, n, in, record_bytes, index, out);
    case 4:
      if (record_bytes == 4) return move_words<u32, 1, gathers>(ex, label, n, in, record_bytes, index, out);
      return move_words<u32, 0, gathers>(ex, label, n, in, record_bytes, index, out);
    case 2: return move_words<u16, 0, gathers>(ex, label, n, in, record_bytes, index, out);
    default: return move_words<u8, 0, gathers>(ex, label, n, in, record_bytes, index, out);
  }
}

template <u64 bytes>
using WordOf = std::conditional_t<
    bytes == 16, uint4,
    std::conditional_t<bytes == 8, u64,
                       std::conditional_t<bytes == 4, u32, std::conditional_t<bytes == 2, u16, u8>>>>;

/// Moves records of a type. It uses the widest words that fill the type, if the alignment of the arrays allows
/// them. Otherwise it uses words to which every array of the type is aligned.
template <bool gathers, class T, class IndexFunction>
void move_values(const Executor& ex, const char* label, u64 n, const T* in, const IndexFunction& index, T* out) {
  constexpr u64 widest = (sizeof(T) | 16) & (~(sizeof(T) | 16) + 1);
  constexpr u64 safe = smaller(widest, u64{alignof(T)});
  if constexpr (safe < widest) {
    if (common_word_bytes(in, out, sizeof(T)) < widest) {
      return move_words<WordOf<safe>, sizeof(T) / safe, gathers>(ex, label, n, in, sizeof(T), index, out);
    }
  }
  move_words<WordOf<widest>, sizeof(T) / widest, gathers>(ex, label, n, in, sizeof(T), index, out);
}

}  // namespace detail

/// Contract: primitives/gather.h.
template <class T, class IndexFunction>
void gather(const Executor& ex, const char* label, u64 n, const T* in, IndexFunction index, T* out) {
  detail::move_values<true>(ex, label, n, in, index, out);
}

/// Contract: primitives/gather.h.
template <class T, class IndexFunction>
void scatter(const Executor& ex, const char* label, u64 n, const T* in, IndexFunction index, T* out) {
  detail::move_values<false>(ex, label, n, in, index, out);
}

/// Contract: primitives/gather.h.
template <class IndexFunction>
void gather_records(const Executor& ex, const char* label, u64 n, const void* in, u64 record_bytes,
                    IndexFunction index, void* out) {
  detail::move_records_of_any_size<true>(ex, label, n, in, record_bytes, index, out);
}

/// Contract: primitives/gather.h.
template <class IndexFunction>
void scatter_records(const Executor& ex, const char* label, u64 n, const void* in, u64 record_bytes,
                     IndexFunction index, void* out) {
  detail::move_records_of_any_size<false>(ex, label, n, in, record_bytes, index, out);
}

}  // namespace copse::cuda
