#include "primitives/suffixes/synchronizing_set.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/primitives/texts.h"

namespace copse::test {

using detail::min_sync_depth;
using detail::sync_context;
using detail::sync_window;

/// Returns for each position of the text whether it is in the set.
std::vector<bool> synchronizing_set(const Text& text) {
  std::vector<u32> words(detail::SyncPositions::word_count(text.size()));
  for (u64 w = 0; w < words.size(); ++w) detail::FindSyncPositions{text.data(), text.size(), words.data()}(w);
  std::vector<bool> is_in(text.size());
  for (u64 i = 0; i < words.size() * 32; ++i) {
    const bool bit = (words[i / 32] >> i % 32 & 1) != 0;
    if (i < text.size()) {
      is_in[i] = bit;
    } else {
      EXPECT_FALSE(bit) << "position " << i << " of " << text.size();
    }
  }
  return is_in;
}

TEST(SynchronizingSet, HasAPositionInEachStretch) {
  for (const auto& [name, text] : repetitive_texts(1000)) {
    const std::vector<bool> is_in = synchronizing_set(text);
    for (u64 i = 0; i + sync_window + sync_context <= text.size(); ++i) {
      const auto begin = is_in.begin() + i64(i);
      ASSERT_NE(std::find(begin, begin + sync_window, true), begin + sync_window) << name << " from " << i;
    }
  }
}

TEST(SynchronizingSet, DependsOnTheContextAlone) {
  const Text part = random_text(400, 256, 1);
  const std::vector<bool> alone = synchronizing_set(part);
  for (u64 before : {1, 7, 31, 32, 33, 100}) {
    Text text = random_text(before, 256, u32(before));
    text.insert(text.end(), part.begin(), part.end());
    const Text after = random_text(50, 256, 9);
    text.insert(text.end(), after.begin(), after.end());
    const std::vector<bool> inside = synchronizing_set(text);
    for (u64 i = 0; i + sync_context <= part.size(); ++i) {
      ASSERT_EQ(inside[before + i], alone[i]) << "position " << i << " after " << before << " bytes";
    }
  }
}

TEST(SynchronizingSet, HasFewPositionsOfTextsThatLookRandom) {
  const std::vector<bool> is_in = synchronizing_set(random_text(100000, 4, 2));
  const auto count = u64(std::count(is_in.begin(), is_in.end(), true));
  EXPECT_NEAR(double(count) / 100000, 2.0 / (sync_window + 1), 0.01);
}

TEST(SynchronizingSet, NumbersTheNextPosition) {
  const Text text = random_text(1000, 4, 5);
  const std::vector<bool> is_in = synchronizing_set(text);
  std::vector<u32> words(32), before(32);
  const detail::SyncPositions set{words.data(), before.data()};
  u32 count = 0;
  for (u64 w = 0; w < words.size(); ++w) {
    detail::FindSyncPositions{text.data(), text.size(), words.data()}(w);
    before[w] = count;
    count += population_count(words[w]);
  }
  count = 0;
  for (u64 i = 0; i + min_sync_depth <= text.size(); ++i) {
    ASSERT_EQ(set.next_id(i), count) << "from position " << i;
    count += is_in[i] ? 1 : 0;
  }
}

}  // namespace copse::test
