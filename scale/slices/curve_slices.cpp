#include "scale/slices/curve_slices.h"

#include <algorithm>
#include <utility>

#include "primitives/cpu/for_each.h"
#include "primitives/cpu/split.h"

namespace copse::detail {

namespace {

/// Sorts groups of triangles whose keys share their highest bits.
class SliceSort {
 public:
  ///   keys: [triangle]
  SliceSort(const cpu::Executor& ex, const u64* keys, u64 key_mask, u64 slice_size, u32* ids)
      : ex_(ex), keys_(keys), key_mask_(key_mask), slice_size_(slice_size), ids_(ids) {}

  /// Sorts all triangles into groups by the highest bits of their keys. Returns the number of triangles with a key.
  u64 sort_all(u64 count) {
    constexpr u32 invalid_group = 1u << digit_bits, shift = morton_key_bits - digit_bits;
    std::vector<u64> begins(invalid_group + 2);
    cpu::split(
        ex_, "slices: sort", count, Number{}, [this](u32 id) { return u32(keys_[id] >> shift); },
        invalid_group + 1, ids_, begins.data());
    for (u32 group = 0; group < invalid_group; ++group) refine(begins[group], begins[group + 1], shift);
    return begins[invalid_group];
  }

 private:
  static constexpr u32 digit_bits = 11;
  static constexpr u64 max_by_one_thread = u64{1} << 12;

  struct Number {
    u32 operator()(u64 i) const { return u32(i); }
  };

  bool crosses_border(u64 begin, u64 end) const {
    return begin < end && begin / slice_size_ != (end - 1) / slice_size_;
  }

  /// Sorts a group further if it crosses a border.
  ///   shift: the keys of the group share the bits from this one on
  void refine(u64 begin, u64 end, u32 shift) {
    if (!crosses_border(begin, end) || (key_mask_ & ((u64{1} << shift) - 1)) == 0) return;
    if (end - begin <= max_by_one_thread) return sort_whole_keys(begin, end);
    const u32 next_shift = shift > digit_bits ? shift - digit_bits : 0;
    const u32 group_count = 1u << (shift - next_shift);
    std::vector<u64> begins(group_count + 1);
    split_group(begin, end, next_shift, group_count, begins.data());
    for (u32 group = 0; group < group_count; ++group) {
      refine(begin + begins[group], begin + begins[group + 1], next_shift);
    }
  }

  void split_group(u64 begin, u64 end, u32 shift, u32 group_count, u64* begins) {
    const u64 count = end - begin;
    ScratchArena::Frame frame(ex_.scratch);
    const u32* const ids = ids_ + begin;
    auto* const sorted = frame.allocate<u32>(count);
    cpu::split(
        ex_, "slices: sort a group", count, [ids](u64 i) { return ids[i]; },
        [this, shift, group_count](u32 id) { return u32(keys_[id] >> shift) & (group_count - 1); }, group_count,
        sorted, begins);
    u32* const out = ids_ + begin;
    cpu::for_each(ex_, "slices: copy a group", count, [=](u64 i) { out[i] = sorted[i]; });
  }

  void sort_whole_keys(u64 begin, u64 end) {
    pairs_.clear();
    for (u64 i = begin; i < end; ++i) pairs_.emplace_back(keys_[ids_[i]], ids_[i]);
    std::sort(pairs_.begin(), pairs_.end());
    for (u64 i = begin; i < end; ++i) ids_[i] = pairs_[i - begin].second;
  }

  const cpu::Executor& ex_;
  const u64* keys_;
  u64 key_mask_, slice_size_;
  u32* ids_;
  std::vector<std::pair<u64, u32>> pairs_;
};

}  // namespace

u64 sort_into_slices(const cpu::Executor& ex, const HostTriangleKeys& keys, u64 triangle_count, u64 slice_size,
                     u64* words, u32* ids) {
  cpu::for_each(ex, "slices: keys", triangle_count, [=, &keys](u64 i) { words[i] = keys(u32(i)); });
  return SliceSort(ex, words, keys.key_mask, slice_size, ids).sort_all(triangle_count);
}

}  // namespace copse::detail
