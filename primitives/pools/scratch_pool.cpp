#include "primitives/scratch_pool.h"

#include <string>

namespace copse {

namespace {

constexpr u64 max_leases = (u64{1} << 31) - LeasePoolView::leases_per_word;
constexpr u64 alignment = 128;

[[noreturn]] void refuse(const std::string& why) {
  throw Error(ErrorCode::invalid_argument, "lease pool: " + why);
}

u64 checked_count(u64 lease_count, u64 group_count) {
  if (lease_count == 0 || lease_count > max_leases) {
    refuse(std::to_string(lease_count) + " leases, from 1 to " + std::to_string(max_leases));
  }
  if (group_count == 0 || group_count > lease_count) {
    refuse(std::to_string(group_count) + " groups, from 1 to the " + std::to_string(lease_count) + " leases");
  }
  return lease_count;
}

u64 checked_stride(u64 lease_count, u64 lease_bytes) {
  if (lease_bytes == 0) refuse("leases of 0 bytes, at least 1");
  const u64 max_bytes = ~u64{0} / 4 / lease_count;
  if (lease_bytes > max_bytes) {
    throw Error(ErrorCode::out_of_memory, "lease pool: " + std::to_string(lease_count) + " leases of " +
                                              std::to_string(lease_bytes) + " bytes pass the address space");
  }
  return divide_rounding_up(lease_bytes, alignment) * alignment;
}

u64 words_for(u64 lease_count) {
  const u64 words = divide_rounding_up(lease_count, LeasePoolView::leases_per_word) + 1;
  return words * LeasePoolView::word_stride;
}

}  // namespace

LeasePool::LeasePool(Context& context, u64 lease_count, u64 lease_bytes, u64 group_count)
    : context_(&context),
      lease_count_(checked_count(lease_count, group_count)),
      stride_bytes_(checked_stride(lease_count, lease_bytes)),
      group_count_(group_count),
      memory_(context, lease_count * stride_bytes_),
      words_(context, words_for(lease_count)) {
  clear();
}

LeasePoolView LeasePool::view() {
  return {memory_.data(), words_.data(), stride_bytes_, u32(lease_count_), u32(group_count_)};
}

LeasePoolReport LeasePool::report() const {
  const std::vector<u32> words = words_.download();
  const u64 word_count = divide_rounding_up(lease_count_, LeasePoolView::leases_per_word);
  u64 taken = 0;
  for (u64 k = 0; k < word_count; ++k) taken += population_count(words[k * LeasePoolView::word_stride]);
  // Bits past the last lease are taken for good.
  taken -= word_count * LeasePoolView::leases_per_word - lease_count_;
  return {u32(taken), words[word_count * LeasePoolView::word_stride]};
}

void LeasePool::clear() {
  std::vector<u32> words(words_.size(), 0);
  const u32 leases_in_last = u32(lease_count_ % LeasePoolView::leases_per_word);
  if (leases_in_last > 0) {
    words[lease_count_ / LeasePoolView::leases_per_word * LeasePoolView::word_stride] = ~0u << leases_in_last;
  }
  words_.upload(words);
}

LeasePool lease_pool_for_any_warps(Context& context, u64 lease_bytes) {
  constexpr u64 max_warps = 64;
  if (context.backend() == Backend::cpu) {
    const u64 workers = context.worker_count();
    return LeasePool(context, workers, lease_bytes, workers);
  }
  const u64 multiprocessors = context.cuda_executor().multiprocessor_count;
  return LeasePool(context, multiprocessors * max_warps, lease_bytes, multiprocessors);
}

}  // namespace copse
