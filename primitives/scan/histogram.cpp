#include "primitives/histogram.h"

#include "primitives/core/check.h"
#include "primitives/core/dispatch.h"
#include "primitives/scan/bins.h"

namespace copse {

namespace detail {

// The body: histogram.inl, for either executor.
template <class Executor, class T, class Bin>
void count_values(const Executor& ex, const T* in, u64 n, const Bin& bin, u64 bin_count, u64* counts);

}  // namespace detail

namespace {

constexpr u64 max_bins = 65536;

constexpr const char* histogram_name = "histogram";

template <class T>
void check(BufferSpan<const T> in, BufferSpan<u64> counts) {
  detail::check_range(histogram_name, counts.size(), "bins", 1, max_bins);
  detail::check_apart(histogram_name, in, counts, "the counts overlap the input");
}

}  // namespace

template <class T>
void histogram(Context& context, InputSpan<T> in, IntegerBins<T> bins, BufferSpan<u64> counts) {
  check(in, counts);
  if (bins.width == 0) detail::refuse(histogram_name, "bins of width 0; the width must be at least 1");
  const detail::BinByWidth<T> bin{bins.first, ~u64{0} / bins.width};
  dispatch(context, [&](const auto& ex) {
    detail::count_values(ex, in.data(), in.size(), bin, counts.size(), counts.data());
  });
}

void histogram(Context& context, BufferSpan<const float> in, EvenBins bins, BufferSpan<u64> counts) {
  check(in, counts);
  const float scale = float(counts.size()) / (bins.upper - bins.lower);
  if (!(bins.lower < bins.upper) || !is_finite(bins.upper - bins.lower) || !is_finite(scale)) {
    detail::refuse(histogram_name,
                   "bins from " + std::to_string(bins.lower) + " to " + std::to_string(bins.upper) +
                       "; the bounds must be finite and in ascending order, and their distance and its "
                       "reciprocal must be finite");
  }
  const detail::EvenBin bin{bins.lower, bins.upper, scale, u32(counts.size() - 1)};
  dispatch(context, [&](const auto& ex) {
    detail::count_values(ex, in.data(), in.size(), bin, counts.size(), counts.data());
  });
}

template COPSE_API void histogram(Context&, BufferSpan<const u8>, IntegerBins<u8>, BufferSpan<u64>);
template COPSE_API void histogram(Context&, BufferSpan<const u16>, IntegerBins<u16>, BufferSpan<u64>);
template COPSE_API void histogram(Context&, BufferSpan<const u32>, IntegerBins<u32>, BufferSpan<u64>);

}  // namespace copse
