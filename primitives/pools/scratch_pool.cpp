#include "primitives/scratch_pool.h"

#include "primitives/core/check.h"
#include "primitives/core/executor.h"

namespace copse {

namespace {

constexpr const char* scratch_pool_name = "scratch pool";
constexpr u64 max_slots = (u64{1} << 31) - ScratchPoolView::slots_per_word;
constexpr u64 alignment = 128;

u64 checked_count(u64 slot_count, u64 group_count) {
  detail::check_range(scratch_pool_name, slot_count, "slots", 1, max_slots);
  detail::check_range(scratch_pool_name, group_count, "groups", 1, slot_count);
  return slot_count;
}

u64 checked_stride(u64 slot_count, u64 slot_bytes) {
  if (slot_bytes == 0) detail::refuse(scratch_pool_name, "slots of 0 bytes; a slot needs at least 1");
  const u64 max_bytes = ~u64{0} / 4 / slot_count;
  if (slot_bytes > max_bytes) {
    throw Error(ErrorCode::out_of_memory, "scratch pool: " + detail::counted(slot_count, "slots") + " of " +
                                              std::to_string(slot_bytes) +
                                              " bytes do not fit in the address space");
  }
  return divide_rounding_up(slot_bytes, alignment) * alignment;
}

u64 words_for(u64 slot_count) {
  const u64 words = divide_rounding_up(slot_count, ScratchPoolView::slots_per_word) + 1;
  return words * ScratchPoolView::word_stride;
}

}  // namespace

ScratchPool::ScratchPool(Context& context, u64 slot_count, u64 slot_bytes, u64 group_count)
    : context_(&context),
      slot_count_(checked_count(slot_count, group_count)),
      stride_bytes_(checked_stride(slot_count, slot_bytes)),
      group_count_(group_count),
      memory_(context, slot_count * stride_bytes_),
      words_(context, words_for(slot_count)) {
  clear();
}

ScratchPoolView ScratchPool::view() {
  return {memory_.data(), words_.data(), stride_bytes_, u32(slot_count_), u32(group_count_)};
}

ScratchPoolReport ScratchPool::report() const {
  const std::vector<u32> words = words_.download();
  const u64 word_count = divide_rounding_up(slot_count_, ScratchPoolView::slots_per_word);
  u64 taken = 0;
  for (u64 k = 0; k < word_count; ++k) taken += population_count(words[k * ScratchPoolView::word_stride]);
  // Bits past the last slot are always set.
  taken -= word_count * ScratchPoolView::slots_per_word - slot_count_;
  return {u32(taken), words[word_count * ScratchPoolView::word_stride]};
}

void ScratchPool::clear() {
  std::vector<u32> words(words_.size(), 0);
  const u32 slots_in_last = u32(slot_count_ % ScratchPoolView::slots_per_word);
  if (slots_in_last > 0) {
    words[slot_count_ / ScratchPoolView::slots_per_word * ScratchPoolView::word_stride] = ~0u << slots_in_last;
  }
  words_.upload(words);
}

ScratchPool scratch_pool_for_any_warps(Context& context, u64 slot_bytes) {
  constexpr u64 max_warps = 64;
  if (context.backend() == Backend::cpu) {
    const u64 workers = context.worker_count();
    return ScratchPool(context, workers, slot_bytes, workers);
  }
  const u64 multiprocessors = context.cuda_executor().multiprocessor_count;
  return ScratchPool(context, multiprocessors * max_warps, slot_bytes, multiprocessors);
}

}  // namespace copse
