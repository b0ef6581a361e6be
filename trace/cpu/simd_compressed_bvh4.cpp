// Batches on the CPU through trees of four children in 64 bytes.

#define COPSE_SIMD_TREE copse::detail::WideTree<copse::CompressedBvh4Node>
#include "trace/cpu/simd_entry.inl"
