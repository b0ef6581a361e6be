#pragma once

#include "trace/cuda/masked_rays.cuh"
