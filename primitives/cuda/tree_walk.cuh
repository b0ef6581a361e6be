#pragma once

// bottom_up and top_down for your own kernels. bench: copse-bench-primitives, tree/.

#include "primitives/bottom_up.h"
#include "primitives/cuda/for_each.cuh"
#include "primitives/cuda/waterfall.cuh"
#include "primitives/loops/zeroed_words.cuh"
#include "primitives/top_down.h"
