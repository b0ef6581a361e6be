#pragma once

#include "trace/cuda/trace_rays.cuh"
