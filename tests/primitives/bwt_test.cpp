#include "primitives/bwt.h"

#include "primitives/core/buffer.h"
#include "primitives/suffix_array.h"
#include "tests/primitives/texts.h"
#include "tests/support/backends.h"

namespace copse::test {

class Bwt : public OnEachBackend {};
COPSE_ON_EACH_BACKEND(Bwt);

struct Transformed {
  Text bytes;
  u32 primary;
};

Transformed transform_of(Context& context, const Text& text) {
  const Buffer<u8> bytes(context, text);
  Buffer<u32> suffixes(context, text.size()), primary(context, 1);
  Buffer<u8> transform(context, text.size());
  suffix_array(context, bytes.span(), suffixes.span());
  bwt(context, bytes.span(), suffixes.span(), transform.span(), primary.span());
  return {transform.download(), primary.download()[0]};
}

Text inverse_of(Context& context, const Transformed& transformed) {
  const Buffer<u8> transform(context, transformed.bytes);
  Buffer<u8> text(context, transformed.bytes.size());
  inverse_bwt(context, transform.span(), transformed.primary, text.span());
  return text.download();
}

/// Restores a text by one step for each byte, from the last byte on.
Text slow_inverse(const Transformed& transformed) {
  const Text& bytes = transformed.bytes;
  std::vector<u32> smaller(257);
  for (u8 byte : bytes) ++smaller[byte + 1u];
  for (u32 k = 0; k < 256; ++k) smaller[k + 1] += smaller[k];
  std::vector<u32> row_before(bytes.size());
  for (size_t k = 0; k < bytes.size(); ++k) row_before[k] = 1 + smaller[bytes[k]]++;
  Text text(bytes.size());
  u32 row = 0;
  for (size_t i = bytes.size(); i > 0; --i) {
    const u32 k = row - (row > transformed.primary ? 1 : 0);
    text[i - 1] = bytes[k];
    row = row_before[k];
  }
  return text;
}

TEST_P(Bwt, TransformsBanana) {
  const std::string word = "banana", expected = "annbaa";
  const Transformed transformed = transform_of(context(), Text(word.begin(), word.end()));
  EXPECT_EQ(std::string(transformed.bytes.begin(), transformed.bytes.end()), expected);
  EXPECT_EQ(transformed.primary, 4u);
}

TEST_P(Bwt, BothWaysGiveTheText) {
  for (u64 n : {0, 1, 2, 3, 31, 32, 33, 127, 128, 129, 1000, 8130, 20000}) {
    for (u32 symbols : {1, 2, 4, 256}) {
      const Text text = random_text(n, symbols, u32(n + 1));
      const Transformed transformed = transform_of(context(), text);
      ASSERT_EQ(slow_inverse(transformed), text) << n << " of " << symbols;
      ASSERT_EQ(inverse_of(context(), transformed), text) << n << " of " << symbols;
    }
  }
}

TEST_P(Bwt, BothWaysGiveTextsThatRepeat) {
  for (u64 n : {100, 5000}) {
    for (const auto& [name, text] : repetitive_texts(n)) {
      const Transformed transformed = transform_of(context(), text);
      ASSERT_EQ(slow_inverse(transformed), text) << n << " of " << name;
      ASSERT_EQ(inverse_of(context(), transformed), text) << n << " of " << name;
    }
  }
}

TEST_P(Bwt, InverseRefusesBytesThatAreNoTransform) {
  const std::string bytes = "abab";
  const Transformed no_transform{Text(bytes.begin(), bytes.end()), 1};
  EXPECT_COPSE_ERROR(inverse_of(context(), no_transform), ErrorCode::invalid_argument,
                     "no text of 4 bytes has this transform with primary row 1");
}

TEST_P(Bwt, InverseRefusesAPrimaryRowOutOfRange) {
  const Transformed transformed{{1, 2, 3}, 0};
  EXPECT_COPSE_ERROR(inverse_of(context(), transformed), ErrorCode::invalid_argument,
                     "the primary row is 0; it can be 1 to 3");
  EXPECT_COPSE_ERROR(inverse_of(context(), {{1, 2, 3}, 4}), ErrorCode::invalid_argument, "the primary row is 4");
  EXPECT_COPSE_ERROR(inverse_of(context(), {{}, 1}), ErrorCode::invalid_argument, "0 for no bytes");
}

TEST_P(Bwt, RefusesWhatDoesNotFit) {
  Buffer<u8> text(context(), 100), transform(context(), 100);
  Buffer<u32> suffixes(context(), 100), primary(context(), 1);
  EXPECT_COPSE_ERROR(bwt(context(), text.span(), suffixes.span().first(9), transform.span(), primary.span()),
                     ErrorCode::invalid_argument, "9 suffixes for 100 bytes of text");
  EXPECT_COPSE_ERROR(bwt(context(), text.span(), suffixes.span(), text.span(), primary.span()),
                     ErrorCode::invalid_argument, "overlaps the text");
  EXPECT_COPSE_ERROR(bwt(context(), text.span(), suffixes.span(), transform.span(), primary.span().first(0)),
                     ErrorCode::invalid_argument, "primary has 0 elements");
  EXPECT_COPSE_ERROR(inverse_bwt(context(), transform.span(), 3, text.span().first(50)),
                     ErrorCode::invalid_argument, "50 bytes of text for 100 bytes of transform");
}

TEST_P(Bwt, InverseTellsItsScratch) {
  for (u64 n : {1, 129, 8130, 300000}) {
    const Transformed transformed = transform_of(context(), random_text(n, 50, 2));
    Context fresh({.backend = context().backend()});
    fresh.reserve_scratch(inverse_bwt_scratch_bytes(n));
    const u64 reserved = fresh.scratch_bytes();
    inverse_of(fresh, transformed);
    EXPECT_EQ(fresh.scratch_bytes(), reserved) << n;
  }
}

}  // namespace copse::test
