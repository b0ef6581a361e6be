#include "primitives/count.h"

#include <algorithm>

#include "primitives/core/buffer.h"
#include "tests/support/backends.h"
#include "tests/support/flag_cases.h"
#include "tests/support/sizes.h"

namespace copse::test {

class Count : public OnEachBackend {
 protected:
  void expect_answers(const std::vector<u8>& host, const std::string& name) {
    const u64 expected = u64(std::ranges::count_if(host, [](u8 flag) { return flag != 0; }));
    const Buffer<u8> bytes(context(), host);
    const Buffer<u32> words(context(), bits_of_flags(host));
    Buffer<u64> count(context(), 1);
    Buffer<u32> answer(context(), 1);
    const BitSpan bits{words.span(), host.size()};
    const auto expect = [&](const char* what, auto& buffer, u64 value) {
      EXPECT_EQ(buffer.download()[0], value) << what << " of " << name << ", " << host.size();
    };
    count_flags(context(), bytes.span(), count.span());
    expect("count of bytes", count, expected);
    count_flags(context(), bits, count.span());
    expect("count of bits", count, expected);
    any_flag(context(), bytes.span(), answer.span());
    expect("any byte", answer, expected > 0);
    any_flag(context(), bits, answer.span());
    expect("any bit", answer, expected > 0);
    all_flags(context(), bytes.span(), answer.span());
    expect("all bytes", answer, expected == host.size());
    all_flags(context(), bits, answer.span());
    expect("all bits", answer, expected == host.size());
  }
};
COPSE_ON_EACH_BACKEND(Count);

TEST_P(Count, EqualsSlowAnswersAtTileBoundaries) {
  for (const FlagCase& flags : flag_cases()) {
    for (u64 n : {0, 1, 2, 3, 7, 8, 9, 31, 32, 33, 63, 64, 65, 8191, 8192, 8193, 20001, 49153, 400001}) {
      expect_answers(flags.bytes(n), flags.name);
    }
  }
}

TEST_P(Count, FindsTheOneFlagThatDiffersWhereverItIs) {
  for (u64 place : {0, 1, 31, 32, 1023, 1024, 16383, 16384, 32768, 199998, 199999}) {
    std::vector<u8> one_set(200000, 0), one_missing(200000, 1);
    one_set[place] = 0x40;
    one_missing[place] = 0;
    expect_answers(one_set, "one set at " + std::to_string(place));
    expect_answers(one_missing, "one missing at " + std::to_string(place));
  }
}

TEST_P(Count, TakesBytesAtAnyAddress) {
  std::vector<u8> host(5000, 0);
  for (u64 i = 0; i < host.size(); i += 3) host[i] = u8(i);
  const Buffer<u8> bytes(context(), host);
  Buffer<u64> count(context(), 1);
  for (u64 offset = 0; offset < 17; ++offset) {
    for (u64 n : {0, 1, 5, 8, 16, 4000}) {
      count_flags(context(), bytes.span().subspan(offset, n), count.span());
      const auto first = host.begin() + i64(offset);
      EXPECT_EQ(count.download()[0], u64(std::count_if(first, first + i64(n), [](u8 flag) { return flag != 0; })))
          << n << " from " << offset;
    }
  }
}

TEST_P(Count, TakesBitsFromAnyWord) {
  std::vector<u32> host(9000);
  for (u64 i = 0; i < host.size(); ++i) host[i] = u32(i * 2654435761u);
  const Buffer<u32> words(context(), host);
  Buffer<u64> count(context(), 1);
  for (u64 offset = 0; offset < 4; ++offset) {
    for (u64 n : {0, 1, 31, 32, 33, 64, 95, 96, 97, 200003}) {
      u64 expected = 0;
      for (u64 i = 0; i < n; ++i) expected += host[offset + i / 32] >> (i % 32) & 1;
      count_flags(context(), BitSpan{words.span().subspan(offset, words.size() - offset), n}, count.span());
      EXPECT_EQ(count.download()[0], expected) << n << " from word " << offset;
    }
  }
}

TEST_P(Count, RefusesMissingOutputAndWords) {
  Buffer<u8> bytes(context(), 4);
  Buffer<u32> words(context(), 1), answer(context(), 1), no_answer(context(), 0);
  Buffer<u64> no_count(context(), 0);
  EXPECT_COPSE_ERROR(count_flags(context(), bytes.span(), no_count.span()), ErrorCode::invalid_argument,
                     "0 elements");
  EXPECT_COPSE_ERROR(any_flag(context(), bytes.span(), no_answer.span()), ErrorCode::invalid_argument,
                     "0 elements");
  EXPECT_COPSE_ERROR(all_flags(context(), BitSpan{words.span(), 33}, answer.span()), ErrorCode::invalid_argument,
                     "2 are needed");
}

}  // namespace copse::test
