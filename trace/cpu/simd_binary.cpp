// Batches on the CPU through binary trees.

#define COPSE_SIMD_TREE copse::detail::BinaryTree
#include "trace/cpu/simd_entry.inl"
