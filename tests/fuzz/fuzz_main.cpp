// copse-fuzz TARGET [libFuzzer's arguments]: runs a target on the bytes that libFuzzer makes. scripts/fuzz calls it.

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "tests/fuzz/targets.h"

namespace {

const copse::fuzz::Target* target = nullptr;

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  target = *argc > 1 ? copse::fuzz::find_target((*argv)[1]) : nullptr;
  if (target == nullptr) {
    std::fprintf(stderr, "usage: copse-fuzz TARGET [ARGUMENT...]; the targets: %s\n",
                 copse::fuzz::target_names().c_str());
    std::exit(2);
  }
  for (int i = 1; i + 1 < *argc; ++i) (*argv)[i] = (*argv)[i + 1];
  --*argc;
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, size_t size) {
  target->run({reinterpret_cast<const char*>(bytes), size});
  return 0;
}
