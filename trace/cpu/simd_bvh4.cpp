// Batches on the CPU through trees of four children in full precision.

#define COPSE_SIMD_TREE copse::detail::WideTree<copse::Bvh4Node>
#include "trace/cpu/simd_entry.inl"
