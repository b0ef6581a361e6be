#pragma once

// Partition: both sides of a predicate, each in its order. primitives/select/partition_team.cuh has the kernel.

#include "primitives/cuda/for_each.cuh"
#include "primitives/cuda/persistent.cuh"
#include "primitives/select/partition_team.cuh"

namespace copse::cuda {

namespace detail {

template <class Moves>
void partition_with(const Executor& ex, const char* label, u64 n, const Moves& moves, u64* count) {
  const auto kernel = partition_kernel<Moves>;
  const u64 max_chunks = smaller(resident_blocks(ex, label, kernel, select_threads), PartitionTeam::max_chunks);
  const PartitionChunks chunks = PartitionChunks::of(n, Moves::Shape::size, max_chunks);
  ZeroedMemory::Scope zeroed(ex.zeroed);
  launch(ex, label, kernel, {.blocks = chunks.count, .threads = select_threads, .overlaps_earlier_launch = true},
         moves, chunks, PartitionTeam::at(zeroed.data()), count);
  zeroed.leaves_zero();
}

}  // namespace detail

/// Contract: primitives/partition.h.
template <class T>
u64 partition_scratch_bytes(const Executor&, u64) {
  return 0;
}

/// Contract: primitives/partition.h.
template <class Predicate, class Emit>
void partition_each(const Executor& ex, const char* label, u64 n, Predicate predicate, Emit emit, u64* count) {
  if (n == 0) return fill_bytes(ex, label, count, 1, 0);
  detail::partition_with(ex, label, n, detail::MoveIndices<Predicate, Emit>{predicate, emit}, count);
}

/// Contract: primitives/partition.h.
template <class T, class Predicate, class Input>
void partition(const Executor& ex, const char* label, u64 n, Predicate predicate, Input input, T* out,
               u64* count) {
  if (n == 0) return fill_bytes(ex, label, count, 1, 0);
  if constexpr (std::is_same_v<Input, Elements<T>> && detail::moves_as_values<T>) {
    // With few elements, each multiprocessor gets a small tile at most.
    using Shape = detail::SmallValueShape<T>;
    if (n <= u64{Shape::size} * ex.multiprocessor_count) {
      const detail::MoveElements<T, Predicate, Shape> moves{input, predicate, out,
                                                            is_aligned_to_words(input.data)};
      return detail::partition_with(ex, label, n, moves, count);
    }
  }
  detail::with_moves(predicate, input, out,
                     [&](const auto& moves) { detail::partition_with(ex, label, n, moves, count); });
}

}  // namespace copse::cuda
