// Every call of copse/primitives.h takes the spans of buffers as they are, constant or not, and learns the type of its
// elements from them.

#include <copse/primitives.h>

#include "primitives/core/buffer.h"
#include "tests/support/backends.h"

namespace copse::test {

using Numbers = std::vector<u32>;
using Counts = std::vector<u64>;

/// Four numbers, flags of the first and the last, and room for results.
class ElementTypes : public OnEachBackend {
 protected:
  void SetUp() override {
    OnEachBackend::SetUp();
    if (IsSkipped()) return;
    data_.emplace(context());
  }

  struct Data {
    explicit Data(Context& context)
        : numbers(context, Numbers{3, 1, 1, 2}),
          flags(context, std::vector<u8>{1, 0, 0, 1}),
          bits(context, Numbers{9}),
          out(context, 4),
          indices(context, 4),
          count(context, 1) {}

    Buffer<u32> numbers;
    Buffer<u8> flags;
    Buffer<u32> bits;
    Buffer<u32> out, indices;
    Buffer<u64> count;
  };
  Data& data() { return *data_; }
  const Buffer<u32>& constant() { return data_->numbers; }
  BitSpan bits() { return {data_->bits.span(), 4}; }
  Numbers out(u64 size = 4) { return data_->out.download(size); }

 private:
  std::optional<Data> data_;
};
COPSE_ON_EACH_BACKEND(ElementTypes);

TEST_P(ElementTypes, OfScansAndSums) {
  auto& [numbers, flags, bit_words, out_buffer, indices, count] = data();
  inclusive_scan(context(), numbers.span(), out_buffer.span());
  EXPECT_EQ(out(), (Numbers{3, 4, 5, 7}));
  inclusive_scan(context(), constant().span(), out_buffer.span());
  exclusive_scan(context(), numbers.span(), out_buffer.span());
  EXPECT_EQ(out(), (Numbers{0, 3, 4, 5}));
  segmented_inclusive_scan(context(), numbers.span(), flags.span(), out_buffer.span());
  EXPECT_EQ(out(), (Numbers{3, 4, 5, 2}));
  segmented_inclusive_scan(context(), numbers.span(), bits(), out_buffer.span());
  EXPECT_EQ(out(), (Numbers{3, 4, 5, 2}));
  segmented_exclusive_scan(context(), numbers.span(), flags.span(), out_buffer.span());
  EXPECT_EQ(out(), (Numbers{0, 3, 4, 0}));
  segmented_exclusive_scan(context(), numbers.span(), bits(), out_buffer.span());
  EXPECT_EQ(out(), (Numbers{0, 3, 4, 0}));
  Buffer<u64> offsets(context(), Counts{0, 3});
  segmented_inclusive_scan_by_offsets(context(), numbers.span(), offsets.span(), out_buffer.span());
  EXPECT_EQ(out(), (Numbers{3, 4, 5, 2}));
  segmented_exclusive_scan_by_offsets(context(), numbers.span(), offsets.span(), out_buffer.span());
  EXPECT_EQ(out(), (Numbers{0, 3, 4, 0}));
  summed_area_table(context(), 2, 2, numbers.span(), out_buffer.span());
  EXPECT_EQ(out(), (Numbers{3, 4, 4, 7}));

  Buffer<u32> one(context(), 1);
  reduce_sum(context(), numbers.span(), one.span());
  EXPECT_EQ(one.download()[0], 7u);
  reduce_min(context(), numbers.span(), one.span());
  EXPECT_EQ(one.download()[0], 1u);
  reduce_max(context(), numbers.span(), one.span());
  EXPECT_EQ(one.download()[0], 3u);
  Buffer<u64> counts(context(), 3);
  histogram(context(), numbers.span(), IntegerBins<u32>{1, 1}, counts.span());
  EXPECT_EQ(counts.download(), (Counts{2, 1, 1}));
  Buffer<float> floats(context(), std::vector<float>{0.5f, 1.5f, 1.6f});
  histogram(context(), floats.span(), EvenBins{0, 3}, counts.span());
  EXPECT_EQ(counts.download(), (Counts{1, 2, 0}));
}

TEST_P(ElementTypes, OfSelections) {
  auto& [numbers, flags, bit_words, out_buffer, indices, count] = data();
  // Clang 14 captures no structured binding by [&].
  const auto expect = [&, &count = count](u64 size, const Numbers& expected) {
    EXPECT_EQ(count.download()[0], size);
    EXPECT_EQ(out(expected.size()), expected);
  };
  compact(context(), numbers.span(), flags.span(), out_buffer.span(), count.span());
  expect(2, {3, 2});
  compact(context(), constant().span(), bits(), out_buffer.span(), count.span());
  expect(2, {3, 2});
  compact_indices(context(), flags.span(), out_buffer.span(), count.span());
  expect(2, {0, 3});
  compact_with_indices(context(), numbers.span(), flags.span(), out_buffer.span(), indices.span(), count.span());
  expect(2, {3, 2});
  compact_with_indices(context(), numbers.span(), bits(), out_buffer.span(), indices.span(), count.span());
  EXPECT_EQ(indices.download(2), (Numbers{0, 3}));
  partition(context(), numbers.span(), flags.span(), out_buffer.span(), count.span());
  expect(2, {3, 2, 1, 1});
  partition(context(), numbers.span(), bits(), out_buffer.span(), count.span());
  expect(2, {3, 2, 1, 1});
  partition_indices(context(), flags.span(), out_buffer.span(), count.span());
  expect(2, {0, 3, 1, 2});
  unique(context(), numbers.span(), out_buffer.span(), count.span());
  expect(3, {3, 1, 2});
  run_length_encode(context(), numbers.span(), out_buffer.span(), indices.span(), count.span());
  expect(3, {3, 1, 2});
  EXPECT_EQ(indices.download(3), (Numbers{1, 2, 1}));
  count_flags(context(), flags.span(), count.span());
  EXPECT_EQ(count.download()[0], 2u);
  Buffer<u64> offsets(context(), 4);
  Buffer<u32> owners(context(), 7);
  expand(context(), numbers.span(), offsets.span(), owners.span(), count.span());
  EXPECT_EQ(owners.download(), (Numbers{0, 0, 0, 1, 2, 3, 3}));
}

TEST_P(ElementTypes, OfSorts) {
  auto& [numbers, flags, bit_words, out_buffer, indices, count] = data();
  const Numbers sorted{1, 1, 2, 3}, order{1, 2, 3, 0};
  Buffer<u32> own_places(context(), Numbers{0, 1, 2, 3});
  const auto expect = [&, &out_buffer = out_buffer] {
    EXPECT_EQ(out(), sorted);
    out_buffer.upload(Numbers(4));
  };
  const auto expect_pairs = [&, &indices = indices] {
    expect();
    EXPECT_EQ(indices.download(), order);
    indices.upload(Numbers(4));
  };
  radix_sort_keys(context(), numbers.span(), out_buffer.span());
  expect();
  radix_sort_pairs(context(), numbers.span(), own_places.span(), out_buffer.span(), indices.span());
  expect_pairs();
  radix_sort_indices(context(), numbers.span(), indices.span());
  EXPECT_EQ(indices.download(), order);
  radix_sort_indices(context(), constant().span(), indices.span(), {0, 1}, SortOrder::descending);
  EXPECT_EQ(indices.download(), (Numbers{0, 1, 2, 3}));
  merge_sort_keys(context(), numbers.span(), out_buffer.span());
  expect();
  merge_sort_pairs(context(), numbers.span(), own_places.span(), out_buffer.span(), indices.span());
  expect_pairs();
  sample_sort_keys(context(), numbers.span(), out_buffer.span());
  expect();
  sample_sort_pairs(context(), numbers.span(), own_places.span(), out_buffer.span(), indices.span());
  expect_pairs();
}

}  // namespace copse::test
