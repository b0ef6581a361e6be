#pragma once

// Every scan is one launch. Large arrays are streamed by persistent blocks (scan_stream.cuh), on GPUs whose shared
// memory has room for several tiles. Other inputs take one block per tile (scan_tiles.cuh).
// bench: copse-bench-primitives, scan/.

#include "primitives/cuda/for_each.cuh"
#include "primitives/scan/scan_stream.cuh"

namespace copse::cuda {

namespace detail {

inline constexpr u64 stream_min_bytes = u64{8} << 20;

/// The launch itself clears look-back tables up to this size. Clearing more would take one block too long.
inline constexpr u64 max_self_cleared_bytes = u64{256} << 10;

template <bool inclusive, bool has_init, class T, class Input, class Op>
bool scan_streams(const Executor& ex, const char* label, const ScanTask<T, Input, Op>& task) {
  if constexpr (std::is_same_v<Input, Elements<T>> && packs_are_words<T>) {
    return task.n * sizeof(T) >= stream_min_bytes && stream_shared_bytes<T> <= ex.max_shared_bytes &&
           is_aligned_to_words(task.input.data) && is_aligned_to_words(task.out) &&
           architecture_of(ex, label, scan_stream_kernel<inclusive, has_init, T, Op>) >=
               min_architecture_for_bulk_copies;
  } else {
    return false;
  }
}

/// Calls `run` with a chain for `tile_count` tiles.
template <class T, class Run>
void with_tile_chain(const Executor& ex, const char* label, u64 tile_count, const Run& run) {
  const u64 bytes = TileChain<T>::bytes_for(tile_count);
  if (bytes <= max_self_cleared_bytes) {
    ZeroedMemory::Scope zeroed(ex.zeroed);
    run(TileChain<T>::at(zeroed.data(), tile_count, true));
    zeroed.leaves_zero();
  } else {
    ScratchArena::Frame frame(ex.scratch);
    auto* memory = frame.allocate<unsigned char>(bytes);
    fill_bytes(ex, label, memory, bytes, 0);
    run(TileChain<T>::at(memory, tile_count, false));
  }
}

template <class T>
u64 tile_chain_scratch_bytes(u64 tile_count) {
  const u64 bytes = TileChain<T>::bytes_for(tile_count);
  return bytes <= max_self_cleared_bytes ? 0 : ScratchArena::bytes_for<unsigned char>(bytes);
}

template <bool inclusive, bool has_init, class T, class Input, class Op>
void scan(const Executor& ex, const char* label, ScanTask<T, Input, Op> task) {
  static_assert(sizeof(T) <= 32);
  task.output_in_words = is_aligned_to_words(task.out);
  if constexpr (std::is_same_v<Input, Elements<T>>) task.input_in_words = is_aligned_to_words(task.input.data);
  if (scan_streams<inclusive, has_init>(ex, label, task)) {
    if constexpr (std::is_same_v<Input, Elements<T>> && packs_are_words<T>) {
      const u64 tile_count = divide_rounding_up(task.n, stream_tile<T>);
      with_tile_chain<T>(ex, label, tile_count, [&](const TileChain<T>& chain) {
        launch(
            ex, label, scan_stream_kernel<inclusive, has_init, T, Op>,
            {smaller(tile_count, u64{ex.multiprocessor_count}), stream_threads<T>, stream_shared_bytes<T>, true},
            task, chain);
      });
    }
    return;
  }
  const u64 tile_count = divide_rounding_up(task.n, scan_tile<T>);
  const bool all_resident = tile_count <= u64{scan_blocks} * ex.multiprocessor_count;
  with_tile_chain<T>(ex, label, tile_count, [&](const TileChain<T>& chain) {
    launch(ex, label, scan_tiles_kernel<inclusive, has_init, T, Input, Op>,
           {.blocks = tile_count, .threads = scan_threads, .overlaps_earlier_launch = true}, task, chain,
           all_resident);
  });
}

template <class T>
__global__ void store_kernel(T value, T* out) {
  overlap_launches();
  *out = value;
}

}  // namespace detail

template <class T>
u64 scan_scratch_bytes(const Executor&, u64 n) {
  return detail::tile_chain_scratch_bytes<T>(divide_rounding_up(n, detail::scan_tile<T>));
}

/// Contract: primitives/scan.h.
template <class T, class Input, class Op>
void inclusive_scan(const Executor& ex, const char* label, u64 n, Input input, Op op, T* out) {
  if (n == 0) return;
  detail::scan<true, false, T, Input, Op>(ex, label, {n, input, T{}, op, out, nullptr});
}

/// Contract: primitives/scan.h.
template <class T, class Input, class Op>
void inclusive_scan(const Executor& ex, const char* label, u64 n, Input input, T init, Op op, T* out) {
  if (n == 0) return;
  detail::scan<true, true, T, Input, Op>(ex, label, {n, input, init, op, out, nullptr});
}

/// Contract: primitives/scan.h.
template <class T, class Input, class Op>
void exclusive_scan(const Executor& ex, const char* label, u64 n, Input input, T init, Op op, T* out,
                    T* total = nullptr) {
  if (n == 0) {
    if (total != nullptr)
      launch(ex, label, detail::store_kernel<T>, {.blocks = 1, .threads = 1, .overlaps_earlier_launch = true},
             init, total);
    return;
  }
  detail::scan<false, true, T, Input, Op>(ex, label, {n, input, init, op, out, total});
}

}  // namespace copse::cuda
