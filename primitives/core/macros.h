#pragma once

// COPSE_HD marks a function that runs on the host and inside kernels.
#if defined(__CUDACC__)
#define COPSE_HD __host__ __device__
#else
#define COPSE_HD
#endif

// COPSE_API marks a name that the shared library exports. All other names are hidden.
#define COPSE_API __attribute__((visibility("default")))

// COPSE_DEVICE_CODE is 1 while the compiler makes device code, so that an inline function can choose an instruction.
#if defined(__CUDA_ARCH__)
#define COPSE_DEVICE_CODE 1
#else
#define COPSE_DEVICE_CODE 0
#endif

// 1 if the CUDA toolkit can make branches in a captured graph (conditional nodes).
#if defined(__CUDACC_VER_MAJOR__) && __CUDACC_VER_MAJOR__ >= 13
#define COPSE_HAS_GRAPH_BRANCHES 1
#else
#define COPSE_HAS_GRAPH_BRANCHES 0
#endif

// 1 in device code for Turing (compute capability 7.5). Its warps have no instruction that reduces, and its blocks have
// at most 64 KiB of shared memory.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#define COPSE_TURING_CODE 1
#else
#define COPSE_TURING_CODE 0
#endif

// 1 in device code for GPUs with bulk copies to shared memory (compute capability 9.0).
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define COPSE_HAS_BULK_COPIES 1
#else
#define COPSE_HAS_BULK_COPIES 0
#endif
