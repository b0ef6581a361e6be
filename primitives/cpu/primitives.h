#pragma once

// All primitives of the CPU backend.

#include "primitives/cpu/allocate.h"
#include "primitives/cpu/compact.h"
#include "primitives/cpu/count.h"
#include "primitives/cpu/enqueue.h"
#include "primitives/cpu/for_each.h"
#include "primitives/cpu/gather.h"
#include "primitives/cpu/hash.h"
#include "primitives/cpu/histogram.h"
#include "primitives/cpu/merge_sort.h"
#include "primitives/cpu/partition.h"
#include "primitives/cpu/persistent.h"
#include "primitives/cpu/radix_sort.h"
#include "primitives/cpu/reduce.h"
#include "primitives/cpu/sample_sort.h"
#include "primitives/cpu/scan.h"
#include "primitives/cpu/segmented_scan.h"
#include "primitives/cpu/split.h"
#include "primitives/cpu/summed_area_table.h"
#include "primitives/cpu/waterfall.h"
#include "primitives/cpu/zeroed_words.h"
