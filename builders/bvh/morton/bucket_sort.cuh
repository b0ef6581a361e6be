#pragma once

// Sorts a bucket of keys by a block, in shared memory. Used by key_buckets.cuh.
//
// The sort moves places in the bucket, not words. Three passes of a stable radix sort by 8 bits sort by the
// highest 24 bits in which words of the bucket differ. Few words share all these bits; each of them finds its
// place by counting. If very many do, the block sorts again by all bits: of the numbers, of the low halves of
// keys, of prefixes.
//
// The delta at the begin of a bucket needs the last word before it, from another block. The first of the two
// blocks to arrive stores its word, and the second computes the delta.

#include "builders/bvh/morton/last_order.cuh"
#include "primitives/cuda/block.cuh"
#include "primitives/cuda/launch.cuh"

namespace copse::cuda::detail {

using copse::detail::BucketShape;
using copse::detail::KeyBuckets;
using copse::detail::MortonOrderOutput;

/// A bucket in shared memory.
struct BucketMemory {
  static constexpr u32 threads = 512;
  static constexpr u32 warps = threads / warp_size;
  static constexpr u32 rows = BucketShape::capacity / threads;
  static constexpr u32 digit_bits = 8, digits = 1u << digit_bits;
  static constexpr u32 short_bits = 3 * digit_bits;  // of a sort without all bits
  static constexpr u32 max_counted_run = 64;         // words that find their places by counting

  u64 words[BucketShape::capacity];
  u16 order[2][BucketShape::capacity];  // places, before and after a pass
  u16 counts[warps][digits];
  BlockStorage<u32, threads> sums;
  u64 differing;  // bits in which words differ
  u32 now;        // which of `order` is valid

  /// Word number k of the order.
  __device__ u64 word(u32 k) const { return words[order[now][k]]; }
};

/// A digit of a word, and a digit of the low half of its key.
struct WordDigit {
  u32 shift;
  __device__ u32 operator()(u64 word) const { return u32(word >> shift) % BucketMemory::digits; }
};
struct LowDigit {
  const KeyBuckets& buckets;
  u32 shift;
  __device__ u32 operator()(u64 word) const { return buckets.low_of(word) >> shift & (BucketMemory::digits - 1); }
};

/// Returns the lanes with the same digit, by a vote for each of its bits.
__device__ inline u32 lanes_of_digit(u32 digit) {
  u32 lanes = all_lanes;
#pragma unroll
  for (u32 bit = 0; bit < BucketMemory::digit_bits; ++bit) {
    const bool is_set = (digit >> bit & 1) != 0;
    const u32 votes = __ballot_sync(all_lanes, is_set);
    lanes &= is_set ? votes : ~votes;
  }
  return lanes;
}

/// Sorts by one digit; equal digits keep their order. All threads of the block call it.
template <class DigitOf>
__device__ void sort_by_digit(BucketMemory& memory, u32 count, const DigitOf& digit_of) {
  using Memory = BucketMemory;
  const u32 warp = threadIdx.x / warp_size, used_rows = divide_rounding_up(count, Memory::threads);
  const u32 first = warp * used_rows * warp_size + lane_id();
  for (u32 d = lane_id(); d < Memory::digits; d += warp_size) memory.counts[warp][d] = 0;
  __syncwarp();

  // Rank the places of the warp among those of the same digit.
  u32 place[Memory::rows], digit[Memory::rows], rank[Memory::rows];
#pragma unroll
  for (u32 row = 0; row < Memory::rows; ++row) {
    if (row >= used_rows) break;
    const u32 k = first + row * warp_size;
    const bool is_there = k < count;
    place[row] = is_there ? memory.order[memory.now][k] : 0;
    digit[row] = is_there ? digit_of(memory.words[place[row]]) : 0;
    const u32 peers = lanes_of_digit(digit[row]) & __ballot_sync(all_lanes, is_there);
    const u32 lower = u32(__popc(peers & lower_lanes()));
    const u32 before = is_there ? memory.counts[warp][digit[row]] : 0;
    __syncwarp();
    if (is_there && lower == 0) memory.counts[warp][digit[row]] = u16(before + u32(__popc(peers)));
    __syncwarp();
    rank[row] = before + lower;
  }
  __syncthreads();

  // Sum over the warps, and then over the digits.
  u32 total = 0;
  if (threadIdx.x < Memory::digits) {
    for (u32 w = 0; w < Memory::warps; ++w) {
      const u32 of_warp = memory.counts[w][threadIdx.x];
      memory.counts[w][threadIdx.x] = u16(total);
      total += of_warp;
    }
  }
  const u32 begin = block_exclusive_sum<Memory::threads>(total, memory.sums).before;
  if (threadIdx.x < Memory::digits) {
    for (u32 w = 0; w < Memory::warps; ++w) memory.counts[w][threadIdx.x] += u16(begin);
  }
  __syncthreads();

  u16* const to = memory.order[1 - memory.now];
#pragma unroll
  for (u32 row = 0; row < Memory::rows; ++row) {
    if (row >= used_rows) break;
    if (first + row * warp_size < count) to[memory.counts[warp][digit[row]] + rank[row]] = u16(place[row]);
  }
  __syncthreads();
  if (threadIdx.x == 0) memory.now = 1 - memory.now;
  __syncthreads();
}

/// Loads a bucket, and finds the bits in which its words differ.
__device__ inline void load_bucket(BucketMemory& memory, const u64* words, u32 count) {
  if (threadIdx.x == 0) {
    memory.differing = 0;
    memory.now = 0;
  }
  __syncthreads();
  const u64 first_word = words[0];
  u64 differing = 0;
  for (u32 k = threadIdx.x; k < count; k += BucketMemory::threads) {
    const u64 word = words[k];
    memory.words[k] = word;
    memory.order[0][k] = u16(k);
    differing |= word ^ first_word;
  }
  const u32 high = warp_or(all_lanes, u32(differing >> 32));
  const u32 low = warp_or(all_lanes, u32(differing));
  if (lane_id() == 0 && (high | low) != 0) {
    atomicOr(reinterpret_cast<unsigned long long*>(&memory.differing), u64{high} << 32 | low);
  }
  __syncthreads();
}

/// Puts the words of a run that share the sorted bits at their places. Returns false if a run is too long to count.
///   shift: of the lowest sorted bit
__device__ inline bool place_runs(BucketMemory& memory, const KeyBuckets& buckets, u32 count, u32 shift) {
  const auto sorted_bits = [&](u32 k) { return memory.word(k) >> shift; };
  bool is_long = false;
  for (u32 k = threadIdx.x; k + BucketMemory::max_counted_run < count; k += BucketMemory::threads) {
    is_long |= sorted_bits(k) == sorted_bits(k + BucketMemory::max_counted_run);
  }
  if (__syncthreads_or(is_long) != 0) return false;

  u16* const to = memory.order[1 - memory.now];
  for (u32 k = threadIdx.x; k < count; k += BucketMemory::threads) {
    const u64 own = memory.word(k);
    u32 begin = k, rank = 0;
    for (; begin > 0 && sorted_bits(begin - 1) == own >> shift; --begin) {
      rank += buckets.is_before(memory.word(begin - 1), own);
    }
    for (u32 other = k + 1; other < count && sorted_bits(other) == own >> shift; ++other) {
      rank += buckets.is_before(memory.word(other), own);
    }
    to[begin + rank] = memory.order[memory.now][k];
  }
  __syncthreads();
  if (threadIdx.x == 0) memory.now = 1 - memory.now;
  __syncthreads();
  return true;
}

/// Sorts the words of a bucket by key and number.
__device__ inline void sort_bucket(BucketMemory& memory, const KeyBuckets& buckets, u32 count) {
  constexpr u32 digit_bits = BucketMemory::digit_bits;
  const u32 bits = 64 - leading_zeros(memory.differing);
  const u32 shift = bits > BucketMemory::short_bits ? bits - BucketMemory::short_bits : 0;
  for (u32 begin = shift; begin < bits; begin += digit_bits) sort_by_digit(memory, count, WordDigit{begin});
  const bool has_low = buckets.low != nullptr;
  const u32 prefix_begin = has_low ? u32(__ffsll(i64(buckets.prefix_mask))) - 1 : 0;
  const u32 run_shift = larger(shift, prefix_begin);
  if (run_shift == 0 || place_runs(memory, buckets, count, run_shift)) return;

  const u32 number_bits = has_low ? prefix_begin : 0;
  for (u32 begin = 0; begin < number_bits; begin += digit_bits) sort_by_digit(memory, count, WordDigit{begin});
  for (u32 begin = 0; has_low && begin < 32; begin += digit_bits) {
    sort_by_digit(memory, count, LowDigit{buckets, begin});
  }
  for (u32 begin = number_bits; begin < bits; begin += digit_bits) sort_by_digit(memory, count, WordDigit{begin});
}

/// Stores the delta between the last word before a bucket and its first word, if the other block has stored its
/// word. Else stores the own word for that block.
///   slot: before the begin of the bucket
__device__ inline void meet_at_begin(const KeyBuckets& buckets, u32 bucket, u64 word, u32 slot,
                                     const MortonOrderOutput& order) {
  const u64 other = exchange_relaxed(buckets.ends + bucket, ~word);
  if (other == 0) return;
  order.deltas[slot] = u8(buckets.delta(~other, word, slot));
}

/// Stores the order of a sorted bucket and its deltas.
__device__ inline void store_bucket(const BucketMemory& memory, const KeyBuckets& buckets, u32 bucket, u32 count,
                                    const MortonOrderOutput& order) {
  const u32 begin = buckets.begins[bucket], end = begin + count;
  for (u32 k = threadIdx.x; k < count; k += BucketMemory::threads) {
    const u64 word = memory.word(k);
    order.store_id(begin + k, u32(word & ~buckets.prefix_mask));
    if (k == 0 && begin > 0) meet_at_begin(buckets, bucket, word, begin - 1, order);
    if (k + 1 < count) {
      order.deltas[begin + k] = u8(buckets.delta(word, memory.word(k + 1), begin + k));
    } else if (end < buckets.valid_count()) {
      u32 next = bucket + 1;
      while (buckets.counts[next] == 0) ++next;
      meet_at_begin(buckets, next, word, end - 1, order);
    }
  }
}

/// Stores the invalid primitives of a chunk in the order of their numbers. All threads of the block call it.
__device__ inline void store_invalid(BucketMemory& memory, const KeyBuckets& buckets, u32 chunk,
                                     const MortonOrderOutput& order) {
  constexpr u32 words = BucketShape::capacity / warp_size;
  const u64 word = u64{chunk} * words + threadIdx.x;
  const bool has_word = threadIdx.x < words && word * warp_size < buckets.shape.n;
  u32 bits = has_word ? buckets.invalid_bits[word] : 0;
  u32 slot = buckets.begins[buckets.shape.bucket_count + chunk] +
             block_exclusive_sum<BucketMemory::threads>(u32(__popc(bits)), memory.sums).before;
  for (; bits != 0; bits &= bits - 1) order.store_id(slot++, u32(word * warp_size) + u32(__ffs(int(bits))) - 1);
}

/// A block for each bucket, and one for each chunk of invalid primitives.
__global__ static void __launch_bounds__(BucketMemory::threads, 3)
    sort_buckets_kernel(const KeyBuckets buckets, const MortonOrderOutput order) {
  extern __shared__ __align__(16) unsigned char bucket_memory[];
  auto& memory = *reinterpret_cast<BucketMemory*>(bucket_memory);
  overlap_launches();
  if (buckets.order_is_lost()) return;
  const u32 list = blockIdx.x, count = buckets.counts[list];
  if (count == 0) return;
  if (list >= buckets.shape.bucket_count) {
    return store_invalid(memory, buckets, list - buckets.shape.bucket_count, order);
  }
  load_bucket(memory, buckets.bucket(list), count);
  sort_bucket(memory, buckets, count);
  store_bucket(memory, buckets, list, count, order);
}

}  // namespace copse::cuda::detail
