#pragma once

#include "primitives/core/bits.h"

namespace copse {

/// Entries of the stack in local memory, of 8 bytes each. Random rays into scenes of 66,000 to 400,000 triangles
/// held at most 16 in a binary tree. With 8 entries, climbing costs 5 percent of the rays per second; with 4, a
/// quarter.
inline constexpr u32 default_stack_size = 32;

namespace detail {

/// A child on the stack: WideChild::first, and the time at which its box is entered, with the count in its lowest
/// bits.
///
///   eeeeeeee eeeeeeee eeeeeeee eecccccc
///
/// Times are not negative. The count takes the place of the lowest bits, so a stored time is rounded down, by less than
/// 2^-17 of it: a child may be visited in vain, and is never left out.
struct alignas(8) StackEntry {
  u32 first;
  u32 entry_and_count;
};

inline constexpr u32 stack_count_mask = 63;

/// Stands for all counts that do not fit in six bits.
inline constexpr u32 stack_count_unknown = 63;

/// The stack of children to visit, at most `size`: a ring that drops its oldest entry when it is full. The caller
/// owns its memory, so that the members stay in registers.
template <u32 size>
class TraversalStack {
  static_assert(size > 0 && (size & (size - 1)) == 0, "a ring's size is a power of two");

 public:
  COPSE_HD explicit TraversalStack(StackEntry* entries) : entries_(entries) {}

  COPSE_HD void clear() { top_ = bottom_ = 0; }

  /// `entry`: the bits of where the box is entered.
  COPSE_HD void push(u32 first, u32 count, u32 entry) {
    ++top_;
    bottom_ = larger(bottom_, top_ - i32(size));
    entries_[u32(top_) & (size - 1)] = {first, (entry & ~stack_count_mask) | smaller(count, stack_count_unknown)};
  }

  /// Takes the latest entry with a box that is entered at or before `limit`. False if there is none.
  COPSE_HD bool pop(float limit, u32& first, u32& count) {
    while (top_ != bottom_) {
      const StackEntry entry = entries_[u32(top_) & (size - 1)];
      --top_;
      first = entry.first;
      count = entry.entry_and_count & stack_count_mask;
      if (float_from_bits(entry.entry_and_count & ~stack_count_mask) <= limit) return true;
    }
    return false;
  }

  COPSE_HD bool has_dropped() const { return bottom_ > 0; }

 private:
  StackEntry* entries_;
  i32 top_ = 0, bottom_ = 0;  // depths, with dropped entries counted; the ring holds the entries above bottom_
};

}  // namespace detail

}  // namespace copse
