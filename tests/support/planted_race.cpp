// Adds to one plain counter from all workers. Only the build with the thread sanitizer has this program. A test
// expects the sanitizer's report. The report proves that the suppressions for oneTBB do not hide races in our own
// loops.

#include <chrono>
#include <cstdio>
#include <thread>

#include "primitives/core/context.h"
#include "primitives/cpu/primitives.h"

namespace {

struct CountInto {
  copse::u64* count;
  void operator()(copse::u64 begin, copse::u64 end) const {
    // This is long enough that a second worker takes a share.
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    *count += end - begin;
  }
};

}  // namespace

int main() {
  copse::Context context({.backend = copse::Backend::cpu, .workers = 4});
  copse::u64 count = 0;
  copse::cpu::parallel_ranges(context.cpu_executor(), "planted race", 256, 1, CountInto{&count});
  std::printf("counted %llu of 256\n", static_cast<unsigned long long>(count));
  return 0;
}
