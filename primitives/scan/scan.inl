// The body of scan.cpp: running sums of an array, for the compiled types.

#include "primitives/inputs.h"

namespace copse::detail {

template <class Executor, class T>
void scan_elements(const Executor& ex, const T* in, u64 n, bool inclusive, T* out) {
  if (inclusive) {
    inclusive_scan(ex, "scan", n, Elements<T>{in}, Plus{}, out);
  } else {
    exclusive_scan(ex, "scan", n, Elements<T>{in}, T{0}, Plus{}, out, static_cast<T*>(nullptr));
  }
}

template void scan_elements(const BodyExecutor&, const u32*, u64, bool, u32*);
template void scan_elements(const BodyExecutor&, const u64*, u64, bool, u64*);
template void scan_elements(const BodyExecutor&, const i32*, u64, bool, i32*);
template void scan_elements(const BodyExecutor&, const i64*, u64, bool, i64*);

}  // namespace copse::detail
