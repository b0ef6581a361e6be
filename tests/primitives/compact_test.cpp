#include "primitives/compact.h"

#include "primitives/core/buffer.h"
#include "primitives/partition.h"
#include "tests/support/backends.h"
#include "tests/support/flag_cases.h"
#include "tests/support/sizes.h"

namespace copse::test {

inline constexpr u32 untouched = 0xdeadbeef;

template <class T>
std::vector<T> hashed_values(u64 n) {
  std::vector<T> values(n);
  for (u64 i = 0; i < n; ++i) values[i] = T(u32(i * 2654435761u + 12345));
  return values;
}

/// The numbers of the flagged elements, and those of the other elements.
struct SlowSplit {
  std::vector<u32> selected, others;

  explicit SlowSplit(const std::vector<u8>& flags) {
    for (u32 i = 0; i < flags.size(); ++i) (flags[i] != 0 ? selected : others).push_back(i);
  }
  std::vector<u32> both() const {
    std::vector<u32> all = selected;
    all.insert(all.end(), others.begin(), others.end());
    return all;
  }
};

template <class T>
std::vector<T> gathered(const std::vector<T>& values, const std::vector<u32>& indices) {
  std::vector<T> out;
  for (u32 i : indices) out.push_back(values[i]);
  return out;
}

/// Returns sizes around the tiles of both backends, for elements of 4 and 8 bytes.
inline std::vector<u64> move_sizes() {
  return {0, 1, 2, 3, 31, 127, 128, 129, 4095, 4096, 4097, 8191, 8192, 8193, 3 * 8192 + 5, 100003};
}

class FlaggedTest : public OnEachBackend {
 protected:
  template <class T>
  void expect_moves(const std::vector<u8>& flags, const std::string& name) {
    SCOPED_TRACE(name + ", " + std::to_string(flags.size()) + " elements of " + std::to_string(sizeof(T)) +
                 " bytes");
    const u64 n = flags.size();
    const SlowSplit split(flags);
    const auto values = hashed_values<T>(n);
    const Buffer<T> in(context(), values);
    const Buffer<u8> bytes(context(), flags);
    const Buffer<u32> words(context(), bits_of_flags(flags));
    expect_compacts<T>(in, bytes.span(), values, split);
    expect_compacts<T>(in, BitSpan{words.span(), n}, values, split);
    expect_partitions<T>(in, bytes.span(), values, split);
    expect_partitions<T>(in, BitSpan{words.span(), n}, values, split);
  }

 private:
  template <class T, class Flags>
  void expect_compacts(const Buffer<T>& in, Flags flags, const std::vector<T>& values, const SlowSplit& split) {
    Buffer<T> out(context(), std::vector<T>(in.size(), T(untouched)));
    Buffer<u32> indices(context(), std::vector<u32>(in.size(), untouched));
    Buffer<u64> count(context(), 1);
    auto expected = gathered(values, split.selected);
    expected.resize(in.size(), T(untouched));
    auto expected_indices = split.selected;
    expected_indices.resize(in.size(), untouched);

    compact<T>(context(), in.span(), flags, out.span(), count.span());
    EXPECT_EQ(count.download()[0], split.selected.size());
    EXPECT_EQ(out.download(), expected);
    compact_indices(context(), flags, indices.span(), count.span());
    EXPECT_EQ(count.download()[0], split.selected.size());
    EXPECT_EQ(indices.download(), expected_indices);

    Buffer<T> out_of_both(context(), std::vector<T>(in.size(), T(untouched)));
    indices.upload(std::vector<u32>(in.size(), untouched));
    compact_with_indices<T>(context(), in.span(), flags, out_of_both.span(), indices.span(), count.span());
    EXPECT_EQ(count.download()[0], split.selected.size());
    EXPECT_EQ(out_of_both.download(), expected);
    EXPECT_EQ(indices.download(), expected_indices);
  }

  template <class T, class Flags>
  void expect_partitions(const Buffer<T>& in, Flags flags, const std::vector<T>& values, const SlowSplit& split) {
    Buffer<T> out(context(), in.size());
    Buffer<u32> indices(context(), in.size());
    Buffer<u64> count(context(), 1);
    partition<T>(context(), in.span(), flags, out.span(), count.span());
    EXPECT_EQ(count.download()[0], split.selected.size());
    EXPECT_EQ(out.download(), gathered(values, split.both()));
    partition_indices(context(), flags, indices.span(), count.span());
    EXPECT_EQ(count.download()[0], split.selected.size());
    EXPECT_EQ(indices.download(), split.both());
  }
};
class Compact : public FlaggedTest {};
class Partition : public FlaggedTest {};
COPSE_ON_EACH_BACKEND(Compact);
COPSE_ON_EACH_BACKEND(Partition);

TEST_P(Compact, AndPartitionKeepOrderAtTileBoundaries) {
  for (const FlagCase& flags : flag_cases()) {
    for (u64 n : move_sizes()) expect_moves<u32>(flags.bytes(n), flags.name);
  }
}

TEST_P(Compact, AndPartitionTakeWideElements) {
  for (u64 n : {1, 2047, 2048, 2049, 4097, 20000}) expect_moves<double>(flag_cases()[2].bytes(n), "half");
}

TEST_P(Compact, IsTheSameEveryTime) {
  const u64 n = 300007;
  const auto flags = flag_cases()[2].bytes(n);
  const auto values = hashed_values<u32>(n);
  const auto expected = gathered(values, SlowSplit(flags).selected);
  const Buffer<u32> in(context(), values);
  const Buffer<u8> bytes(context(), flags);
  Buffer<u32> out(context(), n);
  Buffer<u64> count(context(), 1);
  for (int repeat = 0; repeat < 20; ++repeat) {
    compact<u32>(context(), in.span(), bytes.span(), out.span(), count.span());
    ASSERT_EQ(count.download()[0], expected.size());
    ASSERT_EQ(download(context(), out.span().first(expected.size())), expected);
  }
}

TEST_P(Compact, TakesAnyAlignment) {
  const u64 n = 9000;
  const auto flags = flag_cases()[2].bytes(n + 4);
  const auto values = hashed_values<u32>(n + 4);
  const Buffer<u32> in(context(), values);
  const Buffer<u8> bytes(context(), flags);
  Buffer<u32> out(context(), n + 4);
  Buffer<u64> count(context(), 1);
  for (u64 offset = 0; offset < 4; ++offset) {
    const std::vector<u8> part(flags.begin() + i64(offset), flags.begin() + i64(offset + n));
    const std::vector<u32> part_values(values.begin() + i64(offset), values.begin() + i64(offset + n));
    const SlowSplit split(part);
    const auto place = out.span().subspan(3 - offset, n);
    compact<u32>(context(), std::as_const(in).span().subspan(offset, n), bytes.span().subspan(offset, n), place,
                 count.span());
    EXPECT_EQ(download(context(), place.first(split.selected.size())), gathered(part_values, split.selected))
        << offset;
    partition<u32>(context(), std::as_const(in).span().subspan(offset, n), bytes.span().subspan(offset, n), place,
                   count.span());
    EXPECT_EQ(download(context(), place), gathered(part_values, split.both())) << offset;
  }
}

TEST_P(Compact, RefusesWhatDoesNotFit) {
  Buffer<u32> in(context(), 10), out(context(), 10), small(context(), 9);
  Buffer<u8> flags(context(), 10);
  Buffer<u64> count(context(), 1), none(context(), 0);
  const auto code = ErrorCode::invalid_argument;
  EXPECT_COPSE_ERROR(compact<u32>(context(), in.span(), flags.span(), small.span(), count.span()), code,
                     "9 elements");
  EXPECT_COPSE_ERROR(compact<u32>(context(), in.span(), flags.span(), in.span(), count.span()), code, "overlaps");
  EXPECT_COPSE_ERROR(compact<u32>(context(), in.span(), flags.span().first(9), out.span(), count.span()), code,
                     "9 flags");
  EXPECT_COPSE_ERROR(
      compact<u32>(context(), in.span(), BitSpan{out.span().first(0), 10}, out.span(), count.span()), code,
      "0 words");
  EXPECT_COPSE_ERROR(compact_indices(context(), flags.span(), out.span(), none.span()), code, "0 elements");
}

TEST_P(Partition, RefusesWhatDoesNotFit) {
  Buffer<u32> in(context(), 10), small(context(), 9);
  Buffer<u8> flags(context(), 10);
  Buffer<u64> count(context(), 1);
  const auto code = ErrorCode::invalid_argument;
  EXPECT_COPSE_ERROR(partition<u32>(context(), in.span(), flags.span(), small.span(), count.span()), code,
                     "9 elements");
  EXPECT_COPSE_ERROR(partition<u32>(context(), in.span(), flags.span(), in.span(), count.span()), code,
                     "overlaps");
}

TEST_P(Compact, LargeChainOfTilesIsRightEveryTime) {
  const u64 n = (u64{1} << 24) + 4711;
  const auto flags = flag_cases()[2].bytes(n);
  const SlowSplit split(flags);
  const Buffer<u8> bytes(context(), flags);
  Buffer<u32> indices(context(), n);
  Buffer<u64> count(context(), 1);
  for (int repeat = 0; repeat < 5; ++repeat) {
    compact_indices(context(), bytes.span(), indices.span(), count.span());
    ASSERT_EQ(download(context(), indices.span().first(count.download()[0])), split.selected);
  }
}

TEST_P(Partition, LargeChunksOfSeveralTilesAreRight) {
  const u64 n = (u64{1} << 25) + 4711;
  const auto flags = flag_cases()[2].bytes(n);
  const Buffer<u8> bytes(context(), flags);
  Buffer<u32> indices(context(), n);
  Buffer<u64> count(context(), 1);
  partition_indices(context(), bytes.span(), indices.span(), count.span());
  EXPECT_EQ(indices.download(), SlowSplit(flags).both());
}

}  // namespace copse::test
