// Batches on the CPU through trees of eight children in 80 bytes.

#define COPSE_SIMD_TREE copse::detail::WideTree<copse::CompressedBvh8Node>
#include "trace/cpu/simd_entry.inl"
