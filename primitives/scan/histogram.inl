// The body of histogram.cpp: counts of the values of an array by bin, for the compiled types.

#include "primitives/inputs.h"
#include "primitives/scan/bins.h"

namespace copse::detail {

template <class Executor, class T, class Bin>
void count_values(const Executor& ex, const T* in, u64 n, const Bin& bin, u64 bin_count, u64* counts) {
  histogram(ex, "histogram", n, Elements<T>{in}, bin, bin_count, counts);
}

template void count_values(const BodyExecutor&, const u8*, u64, const BinByWidth<u8>&, u64, u64*);
template void count_values(const BodyExecutor&, const u16*, u64, const BinByWidth<u16>&, u64, u64*);
template void count_values(const BodyExecutor&, const u32*, u64, const BinByWidth<u32>&, u64, u64*);
template void count_values(const BodyExecutor&, const float*, u64, const EvenBin&, u64, u64*);

}  // namespace copse::detail
