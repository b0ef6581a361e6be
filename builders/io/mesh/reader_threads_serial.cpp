// The readers without threads, for COPSE_THREADS=OFF.

#include "builders/io/mesh/reader_threads.h"
#include "primitives/cpu/float_mode.h"

namespace copse::detail {

void for_each_on_threads(u64 count, u32, const std::function<void(u64)>& body) {
  const cpu::FloatMode mode;
  for (u64 i = 0; i < count; ++i) body(i);
}

}  // namespace copse::detail
