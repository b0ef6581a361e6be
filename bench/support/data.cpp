#include "bench/support/data.h"

#include <bit>

#include "bench/support/data_body.h"
#include "primitives/core/buffer.h"
#include "primitives/core/dispatch.h"

namespace copse::bench {

namespace {

u32 log_of(u64 power_of_two) {
  return u32(std::bit_width(power_of_two) - 1);
}

/// Calls check(executor, count). Returns whether the count is still 0 afterwards. Waits.
template <class Check>
bool finds_nothing_wrong(Context& context, Check check) {
  Buffer<u32> wrong(context, std::vector<u32>{0});
  dispatch(context, [&](const auto& ex) { check(ex, wrong.data()); });
  return wrong.download()[0] == 0;
}

}  // namespace

template <class T>
void fill_hashed(Context& context, BufferSpan<T> span, u32 bits, u32 seed) {
  dispatch(context, [&](const auto& ex) { fill_hashed_elements(ex, span.data(), span.size(), bits, seed); });
}

template void fill_hashed(Context&, BufferSpan<u8>, u32, u32);
template void fill_hashed(Context&, BufferSpan<u16>, u32, u32);
template void fill_hashed(Context&, BufferSpan<u32>, u32, u32);
template void fill_hashed(Context&, BufferSpan<u64>, u32, u32);

void fill_indices(Context& context, BufferSpan<u32> span) {
  dispatch(context, [&](const auto& ex) { fill_with_indices(ex, span.data(), span.size()); });
}

void fill_permutation(Context& context, BufferSpan<u32> span) {
  dispatch(context, [&](const auto& ex) { fill_with_permutation(ex, span.data(), log_of(span.size())); });
}

u32 fill_list(Context& context, BufferSpan<u32> next) {
  dispatch(context, [&](const auto& ex) { fill_with_list(ex, next.data(), log_of(next.size())); });
  Buffer<u32> order(context, next.size());
  fill_permutation(context, order.span());
  return download(context, order.span().first(1))[0];
}

bool ranks_of_list(Context& context, BufferSpan<const u32> ranks) {
  return finds_nothing_wrong(context, [&](const auto& ex, u32* wrong) {
    count_wrong_ranks(ex, ranks.data(), log_of(ranks.size()), wrong);
  });
}

bool ascending_words(Context& context, BufferSpan<const u32> words, u32 key_words, u32 bits) {
  return finds_nothing_wrong(context, [&](const auto& ex, u32* wrong) {
    count_word_descents(ex, words.data(), words.size() / key_words, key_words, bits, wrong);
  });
}

template <class T>
bool ascending(Context& context, BufferSpan<const T> span) {
  return finds_nothing_wrong(
      context, [&](const auto& ex, u32* wrong) { count_descents(ex, span.data(), span.size(), wrong); });
}

template bool ascending(Context&, BufferSpan<const u32>);
template bool ascending(Context&, BufferSpan<const u64>);

template <class T>
bool same_elements(Context& context, BufferSpan<const T> a, BufferSpan<const T> b) {
  Buffer<u64> sums(context, 2);
  dispatch(context, [&](const auto& ex) {
    sum_hashes(ex, a.data(), a.size(), sums.data());
    sum_hashes(ex, b.data(), b.size(), sums.data() + 1);
  });
  const std::vector<u64> host = sums.download();
  return a.size() == b.size() && host[0] == host[1];
}

template bool same_elements(Context&, BufferSpan<const u32>, BufferSpan<const u32>);
template bool same_elements(Context&, BufferSpan<const u64>, BufferSpan<const u64>);

bool gathered(Context& context, const void* in, BufferSpan<const u32> index, const void* out, u64 record_bytes) {
  return finds_nothing_wrong(context, [&](const auto& ex, u32* wrong) {
    count_not_gathered(ex, static_cast<const u32*>(in), index.data(), static_cast<const u32*>(out), index.size(),
                       u32(record_bytes / 4), wrong);
  });
}

bool equal_bytes(Context& context, const void* a, const void* b, u64 bytes) {
  return finds_nothing_wrong(context, [&](const auto& ex, u32* wrong) {
    const u64 words = bytes / 4;
    count_different(ex, static_cast<const u32*>(a), static_cast<const u32*>(b), words, wrong);
    count_different(ex, static_cast<const u8*>(a) + 4 * words, static_cast<const u8*>(b) + 4 * words, bytes % 4,
                    wrong);
  });
}

}  // namespace copse::bench
