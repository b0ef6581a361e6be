// Measures building blocks inside a thread block against the ways that the papers compare them with. `ratio` is
// the other way's time over ours. The kernels repeat their step many times on data in registers, so memory matters
// little.

#include "bench/papers/rows.h"
#include "primitives/cuda/block.cuh"
#include "primitives/cuda/launch.cuh"
#include "primitives/inputs.h"

namespace copse::bench {

namespace {

constexpr u32 threads = 1024;
constexpr u32 rounds = 64;

// Prefix sums of one bit per thread over a block.

struct ByVotes {
  cuda::BlockStorage<u32, threads> storage;
  __device__ u32 operator()(bool flag) { return cuda::block_count<threads>(flag, storage).before; }
};

struct ByShuffles {
  cuda::BlockStorage<u32, threads> storage;
  __device__ u32 operator()(bool flag) {
    return cuda::block_inclusive_scan<threads>(u32(flag), Plus{}, storage).inclusive - u32(flag);
  }
};

/// Skjellum, Whittaker, Bangalore, "Ballot Counting for Optimal Binary Prefix Sum", 2011: the first warp scans the
/// counts of the warps. A count is at most 32, so it takes one ballot for each of 6 bits.
struct ByVotesOfCounts {
  u32 counts[32];
  __device__ u32 operator()(bool flag) {
    const u32 warp = threadIdx.x / 32;
    const cuda::VoteCount mine = cuda::warp_count(flag);
    if (cuda::lane_id() == 0) counts[warp] = mine.total;
    __syncthreads();
    if (warp == 0) {
      const u32 count = counts[cuda::lane_id()];
      u32 before = 0;
#pragma unroll
      for (u32 bit = 0; bit < 6; ++bit) before += cuda::warp_count((count >> bit & 1) != 0).before << bit;
      counts[cuda::lane_id()] = before;
    }
    __syncthreads();
    return counts[warp] + mine.before;
  }
};

// Counts of one bit per thread over a block (Harris, "Data-Parallel Primitives", GTC 2010, "Binary Reduction").

struct CountByBarrier {
  __device__ u32 operator()(bool flag) { return u32(__syncthreads_count(flag)); }
};

struct CountByShuffles {
  u32 sums[32];
  __device__ u32 operator()(bool flag) {
    const u32 sum = cuda::warp_reduce(u32(flag), Plus{});
    if (cuda::lane_id() == 0) sums[threadIdx.x / 32] = sum;
    __syncthreads();
    return cuda::warp_reduce(sums[cuda::lane_id()], Plus{});
  }
};

template <class Step>
__global__ void __launch_bounds__(threads) repeat_kernel(const u32* in, u32* out) {
  __shared__ Step step;
  const u64 i = u64{blockIdx.x} * threads + threadIdx.x;
  u32 bits = in[i], sum = 0;
  for (u32 round = 0; round < rounds; ++round) {
    sum = sum * 3 + step((bits & 1) != 0);
    bits = bits >> 1 | bits << 31;
    __syncthreads();
  }
  out[i] = sum;
}

template <class Ours, class Other>
void repeated(Comparison& c) {
  const BufferSpan<u32> in = c.hashed<u32>(c.n), out = c.buffer<u32>(c.n), expected = c.buffer<u32>(c.n);
  const cuda::LaunchShape shape{c.n / threads, threads};
  c.ours = [=, &c] {
    cuda::launch(c.context.cuda_executor(), "ours", repeat_kernel<Ours>, shape, in.data(), out.data());
  };
  c.add_rival([=, &c] {
    cuda::launch(c.context.cuda_executor(), "other", repeat_kernel<Other>, shape, in.data(), expected.data());
  });
  c.expect_equal(out, expected);
}

// Ordered atomics: each element of a segment learns how many elements before it have its key (Patidar, Narayanan,
// "Scalable Split and Gather Primitives for the GPU", 2009, section 3.2 and appendix A).

constexpr u32 key_count = 256;
constexpr u32 segment = 8192;

/// The paper's simulation: the lanes take turns.
struct ByTurns {
  static __device__ u32 add(u32* count, u32) {
    u32 before = 0;
    for (u32 turn = 0; turn < 32; ++turn) {
      if (cuda::lane_id() == turn) before = (*count)++;
      __syncwarp();
    }
    return before;
  }
};

/// Uses the hardware's atomics, which run in an order of their own. The ranks are right, but not stable.
struct ByAtomics {
  static __device__ u32 add(u32* count, u32) { return atomicAdd(count, 1u); }
};

/// The lanes with equal keys find each other. The first of them adds for all.
struct ByMatch {
  static __device__ u32 add(u32* count, u32 key) {
    const u32 peers = __match_any_sync(cuda::all_lanes, key);
    const u32 before = *count + u32(__popc(peers & cuda::lower_lanes()));
    __syncwarp();
    if ((peers & cuda::lower_lanes()) == 0) *count += u32(__popc(peers));
    __syncwarp();
    return before;
  }
};

/// Does the same as ByMatch, by one ballot for each of the key's 8 bits.
struct ByVotesOfBits {
  static __device__ u32 add(u32* count, u32 key) {
    u32 peers = cuda::all_lanes;
#pragma unroll
    for (u32 bit = 0; bit < 8; ++bit) {
      const bool set = (key >> bit & 1) != 0;
      const u32 votes = __ballot_sync(cuda::all_lanes, set);
      peers &= set ? votes : ~votes;
    }
    const u32 before = *count + u32(__popc(peers & cuda::lower_lanes()));
    __syncwarp();
    if ((peers & cuda::lower_lanes()) == 0) *count += u32(__popc(peers));
    __syncwarp();
    return before;
  }
};

/// There is one warp per segment, because the paper's way keeps no order between warps.
template <class Add>
__global__ void __launch_bounds__(32) rank_kernel(const u8* keys, u32* ranks) {
  __shared__ u32 counts[key_count];
  for (u32 k = threadIdx.x; k < key_count; k += 32) counts[k] = 0;
  __syncwarp();
  const u64 first = u64{blockIdx.x} * segment;
  for (u32 k = threadIdx.x; k < segment; k += 32) {
    const u32 key = keys[first + k];
    ranks[first + k] = Add::add(counts + key, key);
  }
}

template <class Other, bool ordered, class Ours = ByVotesOfBits>
void ordered_atomics(Comparison& c) {
  const BufferSpan<u8> keys = c.hashed<u8>(c.n);
  const BufferSpan<u32> ranks = c.buffer<u32>(c.n), expected = c.buffer<u32>(c.n);
  const cuda::LaunchShape shape{c.n / segment, 32};
  c.ours = [=, &c] {
    cuda::launch(c.context.cuda_executor(), "ours", rank_kernel<Ours>, shape, static_cast<const u8*>(keys.data()),
                 ranks.data());
  };
  c.add_rival([=, &c] {
    cuda::launch(c.context.cuda_executor(), "other", rank_kernel<Other>, shape,
                 static_cast<const u8*>(keys.data()), expected.data());
  });
  if (ordered) c.expect_equal(ranks, expected);
}

}  // namespace

void add_block_papers(Rows& rows) {
  const u64 n = million, ranked = 16 * million;
  rows.add_on_stream("skjellum_2011/binary_scan/votes_against_shuffles", n,
                     with_paper(repeated<ByVotes, ByShuffles>, "paper_ratio", 1.8));
  rows.add_on_stream("skjellum_2011/binary_scan/votes_against_votes_of_counts", n,
                     repeated<ByVotes, ByVotesOfCounts>);
  rows.add_on_stream("harris_2010/binary_reduction/barrier_against_shuffles", n,
                     with_paper(repeated<CountByBarrier, CountByShuffles>, "paper_ratio", 2));
  rows.add_on_stream("patidar_2009/ordered_atomics/votes_against_turns", ranked, ordered_atomics<ByTurns, true>);
  rows.add_on_stream("patidar_2009/ordered_atomics/votes_against_match", ranked, ordered_atomics<ByMatch, true>);
  rows.add_on_stream("patidar_2009/ordered_atomics/votes_against_unordered", ranked,
                     ordered_atomics<ByAtomics, false>);
  rows.add_on_stream("patidar_2009/ordered_atomics/unordered_against_turns", ranked,
                     with_paper(ordered_atomics<ByTurns, false, ByAtomics>, "paper_ratio", 8));
}

}  // namespace copse::bench
