#pragma once

// Bulk searches in packed slots that are ordered, one key per thread. The first look reads only the key's home,
// where most searches end at a load of up to 0.8. The tag there sends the others to the right or to the left, in
// groups of 32 bytes. No thread changes the table meanwhile, so the last slot of a group is enough to decide
// whether the walk ends: elements behind a free slot are behind the key, and elements before a free slot are
// before it. More keys per thread, or more bytes at the first look, are slower: there are as many waits for
// memory, and fewer threads fit. bench: copse-bench-primitives, bidirectional/find.

#include <cstring>

#include "primitives/core/atomic.h"
#include "primitives/cuda/launch.cuh"
#include "primitives/cuda/warp.cuh"
#include "primitives/tables/bidirectional_slots.h"
#include "primitives/tables/hash_steps.h"

namespace copse::cuda {

namespace detail {

inline constexpr u32 ordered_find_threads = 256;

template <class Word>
struct SlotGroup {
  static constexpr u32 size = 32 / sizeof(Word);
  Word word[size];

  __device__ explicit SlotGroup(const Word* first) {
    const uint4 halves[2] = {__ldg(reinterpret_cast<const uint4*>(first)),
                             __ldg(reinterpret_cast<const uint4*>(first) + 1)};
    memcpy(word, halves, sizeof word);
  }
};

/// True if the table holds the key with this tag; `found` is its word.
template <class Layout>
__device__ bool find_in_order(const Layout& layout, u32 tag, typename Layout::Word& found) {
  using Group = SlotGroup<typename Layout::Word>;
  const u64 home = layout.home_of(tag);
  found = __ldg(layout.word(home));
  const u32 at_home = Layout::tag_in(found);
  if (at_home == tag) return true;
  if (copse::detail::is_free(at_home)) return false;
  const bool goes_right = at_home < tag;
  u64 slot = (goes_right ? home + 1 : home - 1) / Group::size * Group::size;
  for (;; slot = goes_right ? slot + Group::size : slot - Group::size) {
    const Group group(layout.word(slot));
    bool is_there = false;
#pragma unroll
    for (u32 k = 0; k < Group::size; ++k) {
      if (Layout::tag_in(group.word[k]) != tag) continue;
      is_there = true;
      found = group.word[k];
    }
    if (is_there) return true;
    if (goes_right ? copse::detail::ends_walk_right(Layout::tag_in(group.word[Group::size - 1]), tag)
                   : copse::detail::ends_walk_left(Layout::tag_in(group.word[0]), tag)) {
      return false;
    }
  }
}

template <class Steps>
__global__ void __launch_bounds__(ordered_find_threads)
    ordered_find_kernel(u64 n, const Steps steps, u64* counts) {
  using Slots = decltype(steps.slots);
  using Layout = typename Slots::Layout;
  const Layout layout = steps.slots.layout();
  const u64 i = u64(blockIdx.x) * ordered_find_threads + threadIdx.x;
  bool found = false;
  if (i < n) {
    typename Slots::Value value{};
    const typename Slots::Key key = steps.keys(i);
    const u32 tag = Layout::tag_of(key);
    if (Slots::is_special(tag)) {
      found = steps.slots.find({{key, tag, 0}, {}}, value);
    } else {
      typename Layout::Word word;
      found = find_in_order(layout, tag, word);
      if (found) value = layout.value_at(0, word);
    }
    steps.emit(i, found, value);
  }
  if (counts == nullptr) return;
  // One addition per block: one per warp to the same address would take as long as the searches.
  const u32 found_count = u32(__syncthreads_count(found));
  const u32 absent_count = u32(__syncthreads_count(i < n)) - found_count;
  if (threadIdx.x != 0) return;
  if (found_count > 0) fetch_add_relaxed(counts + copse::detail::found_outcome, u64{found_count});
  if (absent_count > 0) fetch_add_relaxed(counts + copse::detail::absent_outcome, u64{absent_count});
}

}  // namespace detail

/// Contract: primitives/loops/for_each_prefetched.h, for searches in ordered slots of one word.
template <u32 value_bytes, class Keys, class Emit>
requires(value_bytes <= 4) void for_each_prefetched(
    const Executor& ex, const char* label, u64 n,
    copse::detail::FindEach<copse::detail::BidirectionalSlots<4, value_bytes>, Keys, Emit> steps, u64* counts) {
  launch(ex, label, detail::ordered_find_kernel<decltype(steps)>,
         {divide_rounding_up(n, detail::ordered_find_threads), detail::ordered_find_threads}, n, steps, counts);
}

}  // namespace copse::cuda
