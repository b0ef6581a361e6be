#pragma once

#include <string>
#include <vector>

#include "primitives/core/types.h"

namespace copse::bench {

/// Words of a made-up language, as often as words of English are, with passages that are quoted again.
std::vector<u8> english_like(u64 n);

/// The headers that this machine has below /usr/include and /usr/local, each once. When they have all been used, they
/// follow again, with one byte in 500 changed.
std::vector<u8> source_code(u64 n);

/// Letters A, C, G and T at random. About four in ten belong to copies of earlier stretches, in which one letter in
/// 12 differs.
std::vector<u8> dna(u64 n);

/// Copies of one part of 1 MB of english_like, in each of which one byte in 1000 differs from the part.
std::vector<u8> mutated_repeats(u64 n);

}  // namespace copse::bench
