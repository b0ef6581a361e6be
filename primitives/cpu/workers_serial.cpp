// Workers without threads, for COPSE_THREADS=OFF: the caller does all the work, range after range. So no step may wait
// for a later range. The steps keep this rule anyway, since a context may have one worker.

#include <algorithm>

#include "primitives/cpu/usable_workers.h"
#include "primitives/cpu/workers.h"

namespace copse::cpu {

struct Workers::Arena {};

Workers::Workers(u32) {}
Workers::~Workers() = default;

u32 Workers::count() const {
  return 1;
}

void Workers::run(u64 n, u64 grain, RangeBody body) {
  for (u64 begin = 0; begin < n; begin += grain) body(begin, std::min(begin + grain, n));
}

u32 usable_workers(u32) {
  return 1;
}

u32 this_worker() {
  return 0;
}

}  // namespace copse::cpu
