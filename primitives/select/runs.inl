// The body of runs.cpp: unique and run-length encoding, by the operator ==.

#include "primitives/compact.h"
#include "primitives/runs.h"

namespace copse::detail {

struct IsEqual {
  template <class T>
  COPSE_HD bool operator()(const T& a, const T& b) const {
    return a == b;
  }
};

template <class Executor, class T>
void find_runs(const Executor& ex, const T* in, u64 n, bool with_lengths, T* values, u32* lengths, u64* count) {
  if (!with_lengths) {
    unique(ex, "unique", n, Elements<T>{in}, IsEqual{}, values, count);
  } else {
    run_length_encode(ex, "run-length encode", n, Elements<T>{in}, IsEqual{}, values, lengths, count);
  }
}

template void find_runs(const BodyExecutor&, const u32*, u64, bool, u32*, u32*, u64*);
template void find_runs(const BodyExecutor&, const u64*, u64, bool, u64*, u32*, u64*);
template void find_runs(const BodyExecutor&, const float*, u64, bool, float*, u32*, u64*);
template void find_runs(const BodyExecutor&, const double*, u64, bool, double*, u32*, u64*);

}  // namespace copse::detail
