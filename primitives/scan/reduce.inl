// The body of reduce.cpp: sum, minimum and maximum of an array, for the compiled types.

#include "primitives/inputs.h"

namespace copse::detail {

template <class Executor, class T, class Op>
void reduce_elements(const Executor& ex, const T* in, u64 n, T identity, Op op, T* out) {
  reduce(ex, "reduce", n, Elements<T>{in}, identity, op, out);
}

#define COPSE_REDUCE(T)                                                              \
  template void reduce_elements(const BodyExecutor&, const T*, u64, T, Plus, T*);    \
  template void reduce_elements(const BodyExecutor&, const T*, u64, T, Smaller, T*); \
  template void reduce_elements(const BodyExecutor&, const T*, u64, T, Larger, T*);
COPSE_REDUCE(u32)
COPSE_REDUCE(u64)
COPSE_REDUCE(i32)
COPSE_REDUCE(i64)
COPSE_REDUCE(float)
COPSE_REDUCE(double)
#undef COPSE_REDUCE

}  // namespace copse::detail
