// Tests merge sort and sample sort with a user's own types, order and input functions.

#include <algorithm>
#include <numeric>
#include <random>

#include "primitives/sort_plan.h"
#include "tests/support/body_test.h"

namespace copse::detail {
namespace {

/// A key among other words. One of these words tells the record's place in the input.
template <u32 words>
struct Record {
  u32 place;
  u32 filling[words - 2];
  u32 key;
  bool operator==(const Record&) const = default;
};

struct LargerKeyFirst {
  template <u32 words>
  COPSE_HD bool operator()(const Record<words>& a, const Record<words>& b) const {
    return a.key > b.key;
  }
};

/// Compares only the last digit.
struct ByLastDigit {
  COPSE_HD bool operator()(u32 a, u32 b) const { return a % 10 < b % 10; }
};

struct Thrice {
  COPSE_HD u32 operator()(u64 i) const { return u32(3 * i); }
};

struct Hash {
  COPSE_HD u32 operator()(u64 i) const { return u32(i * 2654435761u) >> 7; }
};

struct WideValue {
  u64 a, b, c;
  bool operator==(const WideValue&) const = default;
};

template <class Executor>
class ComparisonSortTypes : public test::BodyTest<Executor> {
 protected:
  /// nvcc compiles records that move alone, and records that move by index: alone in one sort, with a value in the
  /// other.
  template <u32 words, bool sample, bool with_values>
  static constexpr bool is_tested =
      test::is_compiled<(words == 8 && !with_values) || (words == 25 && sample != with_values)>;

  /// Sorts records by both sorts, alone and with a value. It checks that the sorts need no more scratch than they
  /// told.
  template <u32 words>
  void expect_sorts_records(u64 n, u32 distinct) {
    std::mt19937 random(u32(n) + words);
    std::vector<Record<words>> records(n);
    for (u64 i = 0; i < n; ++i) {
      records[i].place = u32(i);
      for (u32& word : records[i].filling) word = random();
      records[i].key = random() % distinct;
    }
    const Buffer<Record<words>> in(this->context(), records);
    std::ranges::stable_sort(records, LargerKeyFirst{});
    SCOPED_TRACE(std::to_string(n) + " records of " + std::to_string(words * 4) + " bytes");
    expect_sorted<false>(in, records);
    expect_sorted<true>(in, records);
  }

  template <bool sample, u32 words>
  void expect_sorted(const Buffer<Record<words>>& in, const std::vector<Record<words>>& expected) {
    if constexpr (is_tested<words, sample, false>) {
      ASSERT_TRUE(sorted_keys<sample>(in).download() == expected) << "sample " << sample;
    }
    if constexpr (is_tested<words, sample, true>) {
      std::vector<u32> values(in.size());
      const auto [keys, got_values] = sorted_pairs<sample>(in);
      ASSERT_TRUE(keys.download() == expected) << "with values, sample " << sample;
      for (u64 i = 0; i < expected.size(); ++i) values[i] = 3 * expected[i].place;
      ASSERT_EQ(got_values.download(), values) << "sample " << sample;
    }
  }

 private:
  template <bool sample, class Key>
  Buffer<Key> sorted_keys(const Buffer<Key>& in) {
    const Elements<Key> keys{in.data()};
    const u64 n = in.size();
    Buffer<Key> out(this->context(), n);
    if constexpr (sample) {
      within_scratch(sample_sort_scratch_bytes<Key>(this->executor(), n), [&] {
        sample_sort_keys(this->executor(), "sample sort", n, keys, LargerKeyFirst{}, out.data());
      });
    } else {
      within_scratch(merge_sort_scratch_bytes<Key>(this->executor(), n), [&] {
        merge_sort_keys(this->executor(), "merge sort", n, keys, LargerKeyFirst{}, out.data());
      });
    }
    return out;
  }

  /// The value of a record is three times its place.
  template <bool sample, class Key>
  std::pair<Buffer<Key>, Buffer<u32>> sorted_pairs(const Buffer<Key>& in) {
    const Elements<Key> keys{in.data()};
    const u64 n = in.size();
    Buffer<Key> out(this->context(), n);
    Buffer<u32> values(this->context(), n);
    if constexpr (sample) {
      within_scratch(sample_sort_scratch_bytes<Key, u32>(this->executor(), n), [&] {
        sample_sort_pairs(this->executor(), "sample sort", n, keys, Thrice{}, LargerKeyFirst{}, out.data(),
                          values.data());
      });
    } else {
      within_scratch(merge_sort_scratch_bytes<Key, u32>(this->executor(), n), [&] {
        merge_sort_pairs(this->executor(), "merge sort", n, keys, Thrice{}, LargerKeyFirst{}, out.data(),
                         values.data());
      });
    }
    return {std::move(out), std::move(values)};
  }

  template <class Sort>
  void within_scratch(u64 bytes, const Sort& sort) {
    this->context().release_scratch();
    this->context().reserve_scratch(bytes);
    const u64 reserved = this->context().scratch_bytes();
    sort();
    EXPECT_EQ(this->context().scratch_bytes(), reserved) << bytes << " told";
  }
};

TYPED_TEST_SUITE(ComparisonSortTypes, TheBackend, BackendName);

TYPED_TEST(ComparisonSortTypes, SortsRecordsOfTwelveBytes) {
  for (u64 n : {0, 1, 2, 3, 31, 6655, 6656, 6657, 20000}) {
    this->template expect_sorts_records<3>(n, 50);
    this->template expect_sorts_records<3>(n, ~0u);
  }
}

TYPED_TEST(ComparisonSortTypes, SortsRecordsOfTwentyFourBytes) {
  for (u64 n : {1, 2, 3583, 3584, 3585, 10000}) this->template expect_sorts_records<6>(n, 50);
}

TYPED_TEST(ComparisonSortTypes, SortsRecordsOfHundredBytesByIndex) {
  for (u64 n : {1, 2, 8703, 8704, 8705, 20000}) this->template expect_sorts_records<25>(n, 50);
}

TYPED_TEST(ComparisonSortTypes, SortsRecordsOfTwoHundredFiftySixBytesByIndex) {
  for (u64 n : {1, 9000}) this->template expect_sorts_records<64>(n, 50);
}

TYPED_TEST(ComparisonSortTypes, DistributesRecordsThatDoNotMoveByIndex) {
  const u64 n = sample_sort_min_tiles * MergeShape<Record<8>, NoValue>::tile + 77;
  this->template expect_sorts_records<8>(n, 3);
  this->template expect_sorts_records<8>(n, ~0u);
}

TYPED_TEST(ComparisonSortTypes, DistributesLargeInputOfRecordsTwice) {
  const u64 n = 350001;
  ASSERT_GE(plan_sample_sort(n, MergeShape<Record<8>, NoValue>::tile).level_count, 2u);
  this->template expect_sorts_records<8>(n, 1000);
  this->template expect_sorts_records<8>(n, ~0u);
}

TYPED_TEST(ComparisonSortTypes, TakesInputFunctionsAndValuesOfAnyType) {
  for (u64 n : {1000, 30000, 150000}) {
    Buffer<WideValue> values(this->context(), n), values_out(this->context(), n);
    std::vector<WideValue> host(n);
    for (u64 i = 0; i < n; ++i) host[i] = {i, 2 * i, ~i};
    values.upload(host);
    std::vector<u32> order(n);
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::stable_sort(order, [](u32 a, u32 b) { return ByLastDigit{}(Hash{}(a), Hash{}(b)); });
    for (bool sample : {false, true}) {
      Buffer<u32> keys(this->context(), n);
      const Elements<WideValue> value_input{values.data()};
      if (sample) {
        sample_sort_pairs(this->executor(), "sort", n, Hash{}, value_input, ByLastDigit{}, keys.data(),
                          values_out.data());
      } else {
        merge_sort_pairs(this->executor(), "sort", n, Hash{}, value_input, ByLastDigit{}, keys.data(),
                         values_out.data());
      }
      const auto got_keys = keys.download();
      const auto got_values = values_out.download();
      for (u64 i = 0; i < n; ++i) {
        ASSERT_EQ(got_keys[i], Hash{}(order[i])) << i << " of " << n;
        ASSERT_TRUE(got_values[i] == host[order[i]]) << i << " of " << n;
      }
    }
  }
}

}  // namespace
}  // namespace copse::detail
