#include "primitives/suffix_array.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>
#include <string>

#include "primitives/core/buffer.h"
#include "primitives/core/profile.h"
#include "tests/primitives/texts.h"
#include "tests/support/backends.h"

namespace copse::test {

class SuffixArray : public OnEachBackend {};
COPSE_ON_EACH_BACKEND(SuffixArray);

std::vector<u32> slow_suffix_array(const Text& text) {
  std::vector<u32> suffixes(text.size());
  std::iota(suffixes.begin(), suffixes.end(), 0u);
  const auto length = [&](u32 i) { return text.size() - i; };
  std::sort(suffixes.begin(), suffixes.end(), [&](u32 a, u32 b) {
    const int order = std::memcmp(text.data() + a, text.data() + b, std::min(length(a), length(b)));
    return order != 0 ? order < 0 : length(a) < length(b);
  });
  return suffixes;
}

std::vector<u32> suffixes_of(Context& context, const Text& text) {
  const Buffer<u8> bytes(context, text);
  Buffer<u32> suffixes(context, text.size());
  suffix_array(context, bytes.span(), suffixes.span());
  return suffixes.download();
}

/// Checks in linear time: every suffix is there once, and a suffix and the one after it stand in order by their
/// first bytes, or by the ranks of the suffixes that begin one byte later.
void expect_sorted(const Text& text, const std::vector<u32>& suffixes) {
  const size_t n = text.size();
  ASSERT_EQ(suffixes.size(), n);
  std::vector<u32> ranks(n, invalid_id);
  for (size_t r = 0; r < n; ++r) {
    ASSERT_LT(suffixes[r], n);
    ASSERT_EQ(ranks[suffixes[r]], invalid_id) << "suffix " << suffixes[r] << " is there twice";
    ranks[suffixes[r]] = u32(r);
  }
  const auto rank_after = [&](u32 i) { return i + 1 < n ? i64{ranks[i + 1]} : -1; };
  for (size_t r = 1; r < n; ++r) {
    const u32 a = suffixes[r - 1], b = suffixes[r];
    ASSERT_TRUE(text[a] < text[b] || (text[a] == text[b] && rank_after(a) < rank_after(b)))
        << "suffixes " << a << " and " << b << " at " << r;
  }
}

TEST_P(SuffixArray, SortsShortTextsOfFewSymbols) {
  for (u32 symbols : {1, 2, 3, 4, 5, 9, 17, 100, 256}) {
    for (u64 n : {0, 1, 2, 3, 7, 8, 9, 31, 32, 33, 100, 257, 1000, 2049}) {
      const Text text = random_text(n, symbols, u32(n + symbols));
      ASSERT_EQ(suffixes_of(context(), text), slow_suffix_array(text)) << n << " of " << symbols;
    }
  }
}

TEST_P(SuffixArray, SortsAllShortTextsOfTwoSymbols) {
  for (u32 n = 1; n <= 7; ++n) {
    for (u32 bits = 0; bits < 1u << n; ++bits) {
      Text text(n);
      for (u32 i = 0; i < n; ++i) text[i] = (bits >> i & 1) != 0 ? 255 : 0;
      ASSERT_EQ(suffixes_of(context(), text), slow_suffix_array(text)) << n << " bits " << bits;
    }
  }
}

TEST_P(SuffixArray, SortsTextsThatRepeat) {
  for (const auto& [name, text] : repetitive_texts(3000)) {
    ASSERT_EQ(suffixes_of(context(), text), slow_suffix_array(text)) << name;
  }
}

/// True if the last call that was recorded sorted suffixes by a synchronizing set.
bool used_synchronizing_set(Context& context) {
  const std::vector<Stage> stages = context.profile().stages();
  return std::any_of(stages.begin(), stages.end(),
                     [](const Stage& stage) { return stage.label == "suffix array: last round"; });
}

/// Sorts texts of so many symbols that repeat after a half to a seventh of their length.
void expect_long_repeats_sorted(Backend backend, u32 symbols) {
  Context recorded({.backend = backend, .profile = true});
  u64 used = 0;
  for (u64 n = 40; n < 700; n += 1 + n / 20) {
    for (u64 period : {n / 2, n / 2 - 3, n / 3 + 5, n / 7 + 1}) {
      const Text text = periodic_text(n, random_text(period, symbols, u32(n)));
      recorded.profile().clear();
      ASSERT_EQ(suffixes_of(recorded, text), slow_suffix_array(text)) << n << " bytes, period " << period;
      used += used_synchronizing_set(recorded) ? 1 : 0;
    }
  }
  EXPECT_GT(used, 34u) << "texts were sorted by a synchronizing set";
}

TEST_P(SuffixArray, SortsLongRepeatsOfTwoSymbolsByASynchronizingSet) {
  expect_long_repeats_sorted(context().backend(), 2);
}

TEST_P(SuffixArray, SortsLongRepeatsOfFourSymbolsByASynchronizingSet) {
  expect_long_repeats_sorted(context().backend(), 4);
}

TEST_P(SuffixArray, SortsLongRepeatsOfManySymbolsByASynchronizingSet) {
  expect_long_repeats_sorted(context().backend(), 200);
}

/// Sorts texts that are copies of one of `period` bytes.
void expect_copies_sorted(Backend backend, u64 period) {
  Context recorded({.backend = backend, .profile = true});
  for (u64 copies : {258, 300, 519}) {
    const Text text = periodic_text(period * copies, random_text(period, 256, u32(period)));
    recorded.profile().clear();
    ASSERT_EQ(suffixes_of(recorded, text), slow_suffix_array(text)) << copies << " copies";
    EXPECT_TRUE(used_synchronizing_set(recorded)) << copies << " copies";
  }
}

TEST_P(SuffixArray, SortsCopiesOf40BytesByASynchronizingSet) {
  expect_copies_sorted(context().backend(), 40);
}
TEST_P(SuffixArray, SortsCopiesOf83BytesByASynchronizingSet) {
  expect_copies_sorted(context().backend(), 83);
}
TEST_P(SuffixArray, SortsCopiesOf200BytesByASynchronizingSet) {
  expect_copies_sorted(context().backend(), 200);
}

TEST_P(SuffixArray, SortsShortPeriodsWithoutASynchronizingSet) {
  Context recorded({.backend = context().backend(), .profile = true});
  for (u64 period : {1, 2, 3, 5, 9}) {
    const Text text = periodic_text(2000, random_text(period, 256, 3));
    ASSERT_EQ(suffixes_of(recorded, text), slow_suffix_array(text)) << "period " << period;
  }
  EXPECT_FALSE(used_synchronizing_set(recorded));
}

TEST_P(SuffixArray, SortsGroupsAroundTheCountingLimit) {
  for (u64 copies : {255, 256, 257, 300, 700}) {
    Text text;
    std::mt19937 random(7);
    for (u64 k = 0; k < copies; ++k) {
      for (char letter : std::string("the same words ")) text.push_back(u8(letter));
      for (u32 j = 0; j < 4; ++j) text.push_back(u8(random() % 200));
    }
    ASSERT_EQ(suffixes_of(context(), text), slow_suffix_array(text)) << copies;
  }
}

TEST_P(SuffixArray, OneSymbolThatIsMostOfTheTextTakesShortKeys) {
  std::mt19937 random(5);
  Text text(20000, 7);
  for (u64 i = 0; i < text.size(); i += 1 + random() % 9) text[i] = u8(random() % 256);
  expect_sorted(text, suffixes_of(context(), text));
}

TEST_P(SuffixArray, LargeTextsAreSorted) {
  const u64 n = (u64{1} << 20) + 4321;
  for (const Text& text :
       {Text(n, 'a'), fibonacci_text(n), mutated_text(n, n / 50, 100, 2), random_text(n, 4, 3)}) {
    expect_sorted(text, suffixes_of(context(), text));
  }
}

TEST_P(SuffixArray, TellsItsScratch) {
  for (u64 n : {1, 100, 5000, 100000}) {
    for (const auto& [name, text] : repetitive_texts(n)) {
      Context fresh({.backend = context().backend()});
      fresh.reserve_scratch(suffix_array_scratch_bytes(n));
      const u64 reserved = fresh.scratch_bytes();
      suffixes_of(fresh, text);
      EXPECT_EQ(fresh.scratch_bytes(), reserved) << n << " of " << name;
    }
  }
}

TEST_P(SuffixArray, RefusesToBeCaptured) {
  if (context().backend() == Backend::cpu) GTEST_SKIP() << "on the CPU a graph calls its work again";
  const Buffer<u8> text(context(), random_text(100, 4, 1));
  Buffer<u32> suffixes(context(), 100);
  const auto work = [&] { suffix_array(context(), text.span(), suffixes.span()); };
  work();
  EXPECT_COPSE_ERROR(context().capture(work), ErrorCode::invalid_argument, "cannot be captured");
}

TEST_P(SuffixArray, RefusesWhatDoesNotFit) {
  Buffer<u8> text(context(), 100);
  Buffer<u32> suffixes(context(), 100);
  EXPECT_COPSE_ERROR(suffix_array(context(), text.span(), suffixes.span().first(99)), ErrorCode::invalid_argument,
                     "99 suffixes for 100 bytes of text");
  const BufferSpan<const u8> inside(reinterpret_cast<const u8*>(suffixes.data()), 100);
  EXPECT_COPSE_ERROR(suffix_array(context(), inside, suffixes.span()), ErrorCode::invalid_argument, "overlap");
  const BufferSpan<const u8> too_long(text.data(), 0xffffffffu);
  EXPECT_COPSE_ERROR(suffix_array(context(), too_long, suffixes.span()), ErrorCode::invalid_argument,
                     "4294967295 bytes of text, 0 to 4294967294");
}

}  // namespace copse::test
