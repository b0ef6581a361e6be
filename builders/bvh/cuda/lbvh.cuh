#pragma once

#include "builders/bvh/cuda/curve_sort.cuh"
