// The body of summed_area_table.cpp, for the compiled types.

#include "primitives/inputs.h"

namespace copse::detail {

template <class Executor, class T>
void sum_areas(const Executor& ex, u64 width, u64 height, const T* in, T* out) {
  summed_area_table(ex, "summed-area table", width, height, Elements<T>{in}, out);
}

template void sum_areas(const BodyExecutor&, u64, u64, const u32*, u32*);
template void sum_areas(const BodyExecutor&, u64, u64, const u64*, u64*);
template void sum_areas(const BodyExecutor&, u64, u64, const i32*, i32*);
template void sum_areas(const BodyExecutor&, u64, u64, const i64*, i64*);
template void sum_areas(const BodyExecutor&, u64, u64, const float*, float*);
template void sum_areas(const BodyExecutor&, u64, u64, const double*, double*);

}  // namespace copse::detail
