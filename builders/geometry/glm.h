#pragma once

// The types of GLM that are in the interface. nvcc warns of GLM's functions that are defaulted and marked
// __device__. A user cannot change them, so nvcc is told to be silent about them, here alone.

#if defined(__CUDACC__)
#pragma nv_diagnostic push
#pragma nv_diag_suppress 20012
#endif

#include <glm/ext/matrix_float4x3.hpp>
#include <glm/ext/vector_uint3_sized.hpp>
#include <glm/vec3.hpp>

#if defined(__CUDACC__)
#pragma nv_diagnostic pop
#endif
