#pragma once

// All that hash_templates.h calls, on the CUDA backend.

#include "primitives/cuda/compact.cuh"
#include "primitives/cuda/count.cuh"
#include "primitives/cuda/for_each.cuh"
#include "primitives/cuda/for_each_ahead.cuh"
#include "primitives/cuda/for_each_stepped.cuh"
#include "primitives/cuda/split.cuh"
#include "primitives/hash_templates.h"
