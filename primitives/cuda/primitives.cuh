#pragma once

// All primitives of the CUDA backend.

#include "primitives/cuda/allocate.cuh"
#include "primitives/cuda/compact.cuh"
#include "primitives/cuda/count.cuh"
#include "primitives/cuda/enqueue.cuh"
#include "primitives/cuda/for_each.cuh"
#include "primitives/cuda/gather.cuh"
#include "primitives/cuda/hash.cuh"
#include "primitives/cuda/histogram.cuh"
#include "primitives/cuda/merge_sort.cuh"
#include "primitives/cuda/partition.cuh"
#include "primitives/cuda/persistent.cuh"
#include "primitives/cuda/radix_sort.cuh"
#include "primitives/cuda/reduce.cuh"
#include "primitives/cuda/sample_sort.cuh"
#include "primitives/cuda/scan.cuh"
#include "primitives/cuda/segmented_scan.cuh"
#include "primitives/cuda/split.cuh"
#include "primitives/cuda/summed_area_table.cuh"
#include "primitives/cuda/waterfall.cuh"
#include "primitives/cuda/zeroed_words.cuh"
