#pragma once

// The instruction sets that batches are compiled for, each in a namespace of its own; the machine's best is chosen
// at run time. Those left out are near another one, or have vectors whose size is not known to the compiler, which
// cannot be members.

#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
