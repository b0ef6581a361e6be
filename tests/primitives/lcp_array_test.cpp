#include "primitives/lcp_array.h"

#include "primitives/core/buffer.h"
#include "primitives/suffix_array.h"
#include "tests/primitives/texts.h"
#include "tests/support/backends.h"

namespace copse::test {

class LcpArray : public OnEachBackend {};
COPSE_ON_EACH_BACKEND(LcpArray);

struct SortedSuffixes {
  std::vector<u32> suffixes, prefixes;
};

SortedSuffixes sort_suffixes(Context& context, const Text& text) {
  const Buffer<u8> bytes(context, text);
  Buffer<u32> suffixes(context, text.size()), prefixes(context, text.size());
  suffix_array(context, bytes.span(), suffixes.span());
  lcp_array(context, bytes.span(), suffixes.span(), prefixes.span());
  return {suffixes.download(), prefixes.download()};
}

std::vector<u32> slow_prefixes(const Text& text, const std::vector<u32>& suffixes) {
  std::vector<u32> prefixes(suffixes.size());
  for (size_t r = 1; r < suffixes.size(); ++r) {
    const size_t a = suffixes[r - 1], b = suffixes[r];
    size_t length = 0;
    while (std::max(a, b) + length < text.size() && text[a + length] == text[b + length]) ++length;
    prefixes[r] = u32(length);
  }
  return prefixes;
}

TEST_P(LcpArray, GivesTheCommonPrefixesOfNeighbours) {
  for (u64 n : {0, 1, 2, 3, 4, 5, 15, 16, 17, 63, 64, 65, 1000, 4097}) {
    for (u32 symbols : {1, 2, 4, 256}) {
      const Text text = random_text(n, symbols, u32(n));
      const SortedSuffixes sorted = sort_suffixes(context(), text);
      ASSERT_EQ(sorted.prefixes, slow_prefixes(text, sorted.suffixes)) << n << " of " << symbols;
    }
  }
}

TEST_P(LcpArray, GivesLongPrefixesOfTextsThatRepeat) {
  for (u64 n : {70, 1000, 5000}) {
    for (const auto& [name, text] : repetitive_texts(n)) {
      const SortedSuffixes sorted = sort_suffixes(context(), text);
      ASSERT_EQ(sorted.prefixes, slow_prefixes(text, sorted.suffixes)) << n << " of " << name;
    }
  }
}

TEST_P(LcpArray, ReadsTextsThatBeginAtAnyByte) {
  const Text text = mutated_text(3000, 40, 50, 9);
  const Buffer<u8> bytes(context(), text);
  for (u64 first = 0; first < 9; ++first) {
    const Text part(text.begin() + i64(first), text.end());
    Buffer<u32> suffixes(context(), part.size()), prefixes(context(), part.size());
    suffix_array(context(), bytes.span().subspan(first, part.size()), suffixes.span());
    lcp_array(context(), bytes.span().subspan(first, part.size()), suffixes.span(), prefixes.span());
    ASSERT_EQ(prefixes.download(), slow_prefixes(part, suffixes.download())) << first;
  }
}

TEST_P(LcpArray, TellsItsScratch) {
  const Text text = random_text(100000, 4, 1);
  const Buffer<u8> bytes(context(), text);
  Buffer<u32> suffixes(context(), text.size()), prefixes(context(), text.size());
  suffix_array(context(), bytes.span(), suffixes.span());
  context().release_scratch();
  context().reserve_scratch(lcp_array_scratch_bytes(text.size()));
  const u64 reserved = context().scratch_bytes();
  lcp_array(context(), bytes.span(), suffixes.span(), prefixes.span());
  EXPECT_EQ(context().scratch_bytes(), reserved);
}

TEST_P(LcpArray, RefusesWhatDoesNotFit) {
  Buffer<u8> text(context(), 100);
  Buffer<u32> suffixes(context(), 100), prefixes(context(), 100);
  EXPECT_COPSE_ERROR(lcp_array(context(), text.span(), suffixes.span().first(9), prefixes.span()),
                     ErrorCode::invalid_argument, "9 suffixes for 100 bytes of text");
  EXPECT_COPSE_ERROR(lcp_array(context(), text.span(), suffixes.span(), prefixes.span().first(7)),
                     ErrorCode::invalid_argument, "7 prefixes for 100 bytes of text");
  EXPECT_COPSE_ERROR(lcp_array(context(), text.span(), suffixes.span(), suffixes.span()),
                     ErrorCode::invalid_argument, "overlap the suffixes");
}

}  // namespace copse::test
