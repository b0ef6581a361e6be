// Tests gather, scatter, histogram and summed-area table as templates, with a user's own types and functions.

#include <cstdint>
#include <random>

#include "primitives/core/macros.h"
#include "primitives/inputs.h"
#include "tests/support/body_test.h"
#include "tests/support/sizes.h"

namespace copse::detail {
namespace {

template <u32 word_count>
struct Record {
  u32 words[word_count];
  bool operator==(const Record&) const = default;
};

struct alignas(16) AlignedRecord {
  u32 words[12];
  bool operator==(const AlignedRecord&) const = default;
};

struct Odd {
  unsigned char bytes[5];
  bool operator==(const Odd&) const = default;
};

/// Goes from the last element to the first, and leaves out each third one.
struct Backwards {
  u64 n;
  COPSE_HD u32 operator()(u64 i) const { return i % 3 == 2 ? invalid_id : u32(n - 1 - i); }
};
struct WideBackwards {
  u64 n;
  COPSE_HD u64 operator()(u64 i) const { return i % 3 == 2 ? ~u64{0} : n - 1 - i; }
};

struct Hash {
  COPSE_HD u64 operator()(u64 i) const { return (i + 1) * 0x9e3779b97f4a7c15ull >> 20; }
};

/// Several bytes fall into one bin, and many bins get none.
struct SpreadBytes {
  COPSE_HD u32 operator()(std::int8_t value) const { return u32(value + 128) / 3 * 1000; }
};

struct Modulo {
  u64 divisor;
  COPSE_HD u32 operator()(u64 value) const { return u32(value % divisor); }
};

struct LowByte {
  COPSE_HD u32 operator()(u64 i) const { return u32(Hash{}(i)&255); }
};

template <class Executor>
class Movement : public test::BodyTest<Executor> {
 protected:
  /// Moves n records. They begin `skip` elements after the start of their arrays.
  template <class T>
  void expect_moves(u64 n, u64 skip) {
    if constexpr (test::is_compiled < std::is_same_v<T, Odd> || std::is_same_v < T, Record < 6 >>>)
      check_moves<T>(n, skip);
  }

  template <class T>
  void check_moves(u64 n, u64 skip) {
    std::mt19937 random{u32(n)};
    std::vector<T> host(n + skip), blank(n + skip);
    for (T& record : host) {
      for (size_t k = 0; k < sizeof(T); ++k) reinterpret_cast<unsigned char*>(&record)[k] = u8(random());
    }
    std::vector<T> gathered = blank, scattered = blank;
    for (u64 i = 0; i < n; ++i) {
      if (i % 3 == 2) continue;
      gathered[skip + i] = host[skip + n - 1 - i];
      scattered[skip + n - 1 - i] = host[skip + i];
    }

    const Buffer<T> in(this->context(), host);
    Buffer<T> out(this->context(), blank);
    gather(this->executor(), "gather", n, in.data() + skip, Backwards{n}, out.data() + skip);
    EXPECT_EQ(out.download(), gathered) << n << " records of " << sizeof(T) << " bytes past " << skip;
    out.upload(blank);
    scatter(this->executor(), "scatter", n, in.data() + skip, WideBackwards{n}, out.data() + skip);
    EXPECT_EQ(out.download(), scattered) << n << " records of " << sizeof(T) << " bytes past " << skip;
  }
};

TYPED_TEST_SUITE(Movement, TheBackend, BackendName);

TYPED_TEST(Movement, GatherAndScatterMoveAnyType) {
  for (u64 n : {0, 1, 2, 31, 32, 33, 127, 128, 129, 256, 1000, 1025}) {
    for (u64 skip : {0, 1, 2}) {
      this->template expect_moves<unsigned char>(n, skip);
      this->template expect_moves<Odd>(n, skip);
      this->template expect_moves<u32>(n, skip);
      this->template expect_moves<Record<2>>(n, skip);
      this->template expect_moves<Record<3>>(n, skip);
      this->template expect_moves<Record<4>>(n, skip);
      this->template expect_moves<Record<6>>(n, skip);
      this->template expect_moves<AlignedRecord>(n, skip);
      this->template expect_moves<Record<32>>(n, skip);
      this->template expect_moves<Record<64>>(n, skip);
    }
  }
}

TYPED_TEST(Movement, HistogramTakesInputAndBinFunctions) {
  for (u64 bin_count : {1, 5, 256, 300, 40000, 1000000}) {
    for (u64 n : {u64{0}, u64{1}, u64{33}, u64{20000}}) {
      // Each eleventh bin is past the end.
      const Modulo bin{bin_count + bin_count / 11};
      std::vector<u64> expected(bin_count);
      for (u64 i = 0; i < n; ++i) {
        const u64 b = bin(Hash{}(i));
        if (b < bin_count) ++expected[b];
      }
      Buffer<u64> counts(this->context(), bin_count);
      histogram(this->executor(), "histogram", n, Hash{}, bin, bin_count, counts.data());
      EXPECT_EQ(counts.download(), expected) << n << " values, " << bin_count << " bins";
    }
  }
}

TYPED_TEST(Movement, HistogramTakesBytesOfAnyTypeAndAnyBins) {
  const u64 n = 100003;
  std::vector<std::int8_t> values(n);
  for (u64 i = 0; i < n; ++i) values[i] = std::int8_t(Hash{}(i));
  const Buffer<std::int8_t> in(this->context(), values);
  for (u64 bin_count : {1, 3, 200, 256, 70000, 1000000}) {
    std::vector<u64> expected(bin_count);
    for (std::int8_t value : values) {
      if (SpreadBytes{}(value) < bin_count) ++expected[SpreadBytes{}(value)];
    }
    Buffer<u64> counts(this->context(), std::vector<u64>(bin_count, 9));
    histogram(this->executor(), "histogram", n, Elements<std::int8_t>{in.data()}, SpreadBytes{}, bin_count,
              counts.data());
    EXPECT_EQ(counts.download(), expected) << bin_count << " bins";
  }
}

TYPED_TEST(Movement, SummedAreaTableTakesAnInputFunction) {
  const u64 width = 300, height = 50;
  Buffer<u32> out(this->context(), width * height);
  summed_area_table(this->executor(), "areas", width, height, LowByte{}, out.data());
  std::vector<u32> expected(width * height);
  for (u64 y = 0; y < height; ++y) {
    u32 row = 0;
    for (u64 x = 0; x < width; ++x) {
      row += LowByte{}(y * width + x);
      expected[y * width + x] = row + (y > 0 ? expected[(y - 1) * width + x] : 0);
    }
  }
  EXPECT_EQ(out.download(), expected);
}

TYPED_TEST(Movement, ScratchIsWhatWasTold) {
  for (u64 bin_count : {2, 5000, 70000}) {
    Context fresh({.backend = body_backend, .workers = 3});
    const auto& ex = this->executor_of(fresh);
    const u64 n = 300000, width = 1000;
    Buffer<u64> counts(fresh, bin_count);
    Buffer<u32> areas(fresh, n);
    fresh.reserve_scratch(larger(histogram_scratch_bytes(ex, n, bin_count),
                                 summed_area_table_scratch_bytes<u32>(ex, width, n / width)));
    const u64 reserved = fresh.scratch_bytes();
    histogram(ex, "histogram", n, Hash{}, Modulo{bin_count}, bin_count, counts.data());
    summed_area_table(ex, "areas", width, n / width, LowByte{}, areas.data());
    EXPECT_EQ(fresh.scratch_bytes(), reserved);
    fresh.wait();
  }
}

}  // namespace
}  // namespace copse::detail
