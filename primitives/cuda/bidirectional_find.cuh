#pragma once

// Bulk searches in packed slots that are ordered: each thread asks for the slots around the homes of several keys,
// and then, in rounds, for the next slots of those keys that the order sends on to the right or to the left. As
// nobody changes the table meanwhile, one look at a group of slots tells from its ends what the walk would:
// elements behind a free slot are behind the key, and those before one before it. bench: copse-bench-primitives,
// bidirectional/find.

#include "primitives/bidirectional_slots.h"
#include "primitives/core/atomic.h"
#include "primitives/cuda/launch.cuh"
#include "primitives/cuda/warp.cuh"
#include "primitives/hash_steps.h"

namespace copse::cuda {

namespace detail {

using copse::detail::BidirectionalSlots;
using copse::detail::FindSteps;

inline constexpr u32 ordered_find_threads = 256;

/// Neighbouring slots, of a multiple of 32 bytes, loaded at once.
template <class Layout, u32 bytes>
struct SlotsAtOnce {
  static constexpr u32 size = bytes / sizeof(typename Layout::Word);
  u32 words[bytes / 4];

  __device__ void load(const Layout& layout, u64 slot) {
    if constexpr (bytes == 8) {
      const uint2 word = __ldg(reinterpret_cast<const uint2*>(layout.word(slot)));
      words[0] = word.x;
      words[1] = word.y;
    } else {
      const auto* from = reinterpret_cast<const uint4*>(layout.word(slot));
#pragma unroll
      for (u32 k = 0; k < bytes / 16; ++k) {
        const uint4 word = __ldg(from + k);
        words[4 * k] = word.x;
        words[4 * k + 1] = word.y;
        words[4 * k + 2] = word.z;
        words[4 * k + 3] = word.w;
      }
    }
  }
  __device__ u32 tag(u32 k) const {
    constexpr u32 stride = sizeof(typename Layout::Word) / 4;
    return words[k * stride + stride - 1];
  }
  __device__ u32 value(u32 k) const {
    return words[k * (sizeof(typename Layout::Word) / 4)];
  }
};

enum class SearchState : u8 { goes_right, goes_left, found, absent };

/// A key on its way.
template <class Layout, u32 bytes>
struct OrderedSearch {
  using Slots = SlotsAtOnce<Layout, bytes>;
  u32 tag, value;
  u64 slot;  // the first of those that are looked at
  u32 home;  // among them
  SearchState state;
  Slots slots;

  __device__ bool goes_on() const { return state == SearchState::goes_right || state == SearchState::goes_left; }

  __device__ void look_at_home() {
    u32 at_home = slots.tag(0);
#pragma unroll
    for (u32 k = 1; k < Slots::size; ++k) at_home = k == home ? slots.tag(k) : at_home;
    state = at_home < tag ? SearchState::goes_right : SearchState::goes_left;
    look();
    if (copse::detail::is_free(at_home)) state = SearchState::absent;
  }

  __device__ void look() {
    if (state == SearchState::goes_right) {
      if (copse::detail::ends_walk_right(slots.tag(Slots::size - 1), tag)) state = SearchState::absent;
    } else {
      if (copse::detail::ends_walk_left(slots.tag(0), tag)) state = SearchState::absent;
    }
#pragma unroll
    for (u32 k = 0; k < Slots::size; ++k) {
      if (slots.tag(k) != tag) continue;
      state = SearchState::found;
      value = slots.value(k);
    }
  }

  __device__ void move_on() {
    slot = state == SearchState::goes_right ? slot + Slots::size : slot - Slots::size;
  }
};

template <u32 ahead, u32 bytes, class Steps>
__global__ void __launch_bounds__(ordered_find_threads)
    ordered_find_kernel(u64 n, const Steps steps, u64* counts) {
  using TableSlots = decltype(steps.slots);
  using Layout = typename TableSlots::Layout;
  using Search = OrderedSearch<Layout, bytes>;
  const Layout layout = steps.slots.layout();
  const u64 first = u64(blockIdx.x) * (ordered_find_threads * ahead) + threadIdx.x;
  Search searches[ahead];
#pragma unroll
  for (u32 k = 0; k < ahead; ++k) {
    Search& search = searches[k];
    const u64 i = first + k * ordered_find_threads;
    search.state = SearchState::absent;
    search.value = 0;
    if (i >= n) continue;
    search.tag = Layout::tag_of(steps.keys(i));
    const u64 home = layout.home_of(search.tag);
    search.home = u32(home % Search::Slots::size);
    search.slot = home - search.home;
    search.state = SearchState::goes_right;
    search.slots.load(layout, search.slot);
  }
  bool goes_on = false;
#pragma unroll
  for (u32 k = 0; k < ahead; ++k) {
    if (searches[k].goes_on()) searches[k].look_at_home();
    goes_on |= searches[k].goes_on();
  }
  while (goes_on) {
#pragma unroll
    for (u32 k = 0; k < ahead; ++k) {
      if (!searches[k].goes_on()) continue;
      searches[k].move_on();
      searches[k].slots.load(layout, searches[k].slot);
    }
    goes_on = false;
#pragma unroll
    for (u32 k = 0; k < ahead; ++k) {
      if (searches[k].goes_on()) searches[k].look();
      goes_on |= searches[k].goes_on();
    }
  }

  u32 found_count = 0, count = 0;
#pragma unroll
  for (u32 k = 0; k < ahead; ++k) {
    const u64 i = first + k * ordered_find_threads;
    if (i >= n) continue;
    typename TableSlots::Value value{};
    bool found = searches[k].state == SearchState::found;
    if (TableSlots::is_special(searches[k].tag)) {
      found = steps.slots.find({{steps.keys(i), searches[k].tag, 0}, {}}, value);
    } else if constexpr (TableSlots::value_bytes > 0) {
      value.word[0] = searches[k].value;
    }
    steps.emit(i, found, value);
    found_count += found ? 1 : 0;
    ++count;
  }
  if (counts == nullptr) return;
  const u32 found_in_warp = __reduce_add_sync(all_lanes, found_count);
  const u32 absent_in_warp = __reduce_add_sync(all_lanes, count) - found_in_warp;
  if (lane_id() != 0) return;
  if (found_in_warp > 0) fetch_add_relaxed(counts + copse::detail::found_outcome, u64{found_in_warp});
  if (absent_in_warp > 0) fetch_add_relaxed(counts + copse::detail::absent_outcome, u64{absent_in_warp});
}

template <u32 ahead, u32 bytes, class Steps>
void ordered_find(const Executor& ex, const char* label, u64 n, const Steps& steps, u64* counts) {
  launch(ex, label, ordered_find_kernel<ahead, bytes, Steps>,
         {divide_rounding_up(n, u64{ordered_find_threads} * ahead), ordered_find_threads}, n, steps, counts);
}

}  // namespace detail

/// Contract: primitives/for_each_ahead.h; for searches in ordered slots of one word each.
template <u32 value_bytes, class Keys, class Emit>
requires(value_bytes <= 4) void for_each_ahead(
    const Executor& ex, const char* label, u64 n,
    copse::detail::FindSteps<copse::detail::BidirectionalSlots<4, value_bytes>, Keys, Emit> steps, u64* counts) {
  detail::ordered_find<4, 32>(ex, label, n, steps, counts);
}

}  // namespace copse::cuda
