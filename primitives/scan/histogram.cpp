#include "primitives/histogram.h"

#include <string>

#include "primitives/core/check.h"
#include "primitives/core/dispatch.h"
#include "primitives/scan/histogram_body.h"

namespace copse {

namespace {

constexpr u64 max_bins = 65536;

[[noreturn]] void refuse(const std::string& why) {
  throw Error(ErrorCode::invalid_argument, "histogram: " + why);
}

template <class T>
void check(BufferSpan<const T> in, BufferSpan<u64> counts) {
  if (counts.size() < 1 || counts.size() > max_bins) {
    refuse(std::to_string(counts.size()) + " bins, 1 to " + std::to_string(max_bins) + " are possible");
  }
  if (overlap(in, counts)) refuse("the counts overlap the input");
}

}  // namespace

template <class T>
void histogram(Context& context, BufferSpan<const T> in, IntegerBins<T> bins, BufferSpan<u64> counts) {
  check(in, counts);
  if (bins.width == 0) refuse("bins of width 0, at least 1");
  const detail::BinByWidth<T> bin{bins.first, ~u64{0} / bins.width};
  dispatch(context, [&](const auto& ex) {
    detail::count_values(ex, in.data(), in.size(), bin, counts.size(), counts.data());
  });
}

void histogram(Context& context, BufferSpan<const float> in, EvenBins bins, BufferSpan<u64> counts) {
  check(in, counts);
  const float scale = div_rn(float(counts.size()), sub_rn(bins.upper, bins.lower));
  if (!(bins.lower < bins.upper) || !is_finite(sub_rn(bins.upper, bins.lower)) || !is_finite(scale)) {
    refuse("bins from " + std::to_string(bins.lower) + " to " + std::to_string(bins.upper) +
           ", finite numbers in ascending order are possible, and so must be their distance and its reciprocal");
  }
  const detail::EvenBin bin{bins.lower, bins.upper, scale, u32(counts.size() - 1)};
  dispatch(context, [&](const auto& ex) {
    detail::count_values(ex, in.data(), in.size(), bin, counts.size(), counts.data());
  });
}

template void histogram(Context&, BufferSpan<const u8>, IntegerBins<u8>, BufferSpan<u64>);
template void histogram(Context&, BufferSpan<const u16>, IntegerBins<u16>, BufferSpan<u64>);
template void histogram(Context&, BufferSpan<const u32>, IntegerBins<u32>, BufferSpan<u64>);

}  // namespace copse
