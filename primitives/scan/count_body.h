#pragma once

#include "primitives/core/executor.h"

namespace copse::detail {

enum class Question { count, any, all };

/// Answers `question` over byte flags into `out`, a u64 for a count, else a u32.
template <class Executor>
void ask_byte_flags(const Executor& ex, const u8* flags, u64 n, Question question, void* out);
template <class Executor>
void ask_bit_flags(const Executor& ex, const u32* words, u64 n, Question question, void* out);

}  // namespace copse::detail
