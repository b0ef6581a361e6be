#pragma once

// The first keys of suffixes: as many of their first symbols as a key has room for.

#include "primitives/core/bits.h"
#include "primitives/core/macros.h"
#include "primitives/core/types.h"

namespace copse::detail {

/// The bytes that occur in a text, numbered in their order: symbols.
struct Alphabet {
  u8 symbol_of[256];
  u32 size;
  u32 symbol_bits;  // 1 to 8
};

/// Symbols one after the other, the first in the highest bits of word 0. Words past the end are 0.
struct PackedText {
  const u32* words;
  u32 symbol_bits;

  /// Two words more than the symbols need, so that a key can be read at each of them.
  static u64 word_count(u64 n, u32 symbol_bits) { return divide_rounding_up(n * symbol_bits, 32) + 3; }

  /// The 64 bits that begin with symbol i.
  ///
  ///   words   [..........abcdef][ghijklmnopqrstuv][wxyz............]
  ///   key               [abcdefghijklmnopqrstuvwxyz]
  COPSE_HD u64 bits_from(u64 i) const {
    const u64 bit = i * symbol_bits, word = bit / 32;
    const u32 shift = u32(bit % 32);
    const u64 high = u64(words[word]) << 32 | words[word + 1];
    return shift == 0 ? high : high << shift | words[word + 2] >> (32 - shift);
  }
};

/// Stores word w of the packed text.
struct PackSymbols {
  const u8* text;
  u64 n;
  const u8* symbol_of;
  u32 symbol_bits;
  u32* words;

  COPSE_HD void operator()(u64 w) const {
    const u64 first_bit = w * 32;
    u64 i = first_bit / symbol_bits;
    u32 filled = 0, word = 0;
    u32 skipped = u32(first_bit % symbol_bits);  // bits of the first symbol that belong to the word before
    while (filled < 32) {
      const u32 symbol = i < n ? symbol_of[text[i]] : 0u;
      const u32 width = symbol_bits - skipped, room = 32 - filled;
      const u32 bits = symbol & ((1u << width) - 1);
      word |= width <= room ? bits << (room - width) : bits >> (width - room);
      filled += width;
      skipped = 0;
      ++i;
    }
    words[w] = word;
  }
};

/// True for the suffixes whose first symbol is in [first, last).
struct BeginsInRange {
  const u8* text;
  u64 n;
  const u8* symbol_of;
  u32 first, last;
  COPSE_HD bool operator()(u64 j) const {
    const u32 symbol = symbol_of[text[n - 1 - j]];
    return symbol >= first && symbol < last;
  }
};

/// Stores suffixes, and 64 bits of their first symbols.
struct StoreKeys {
  PackedText text;
  u64 n;
  u32* ids;
  u64* keys;
  COPSE_HD void operator()(u64 place, u64 j) const {
    const u64 i = n - 1 - j;
    ids[place] = u32(i);
    keys[place] = text.bits_from(i);
  }
};

/// Input of a sort of suffixes alone: a key above the number of the suffix.
///
///   63            id_bits            0
///   [ key          ][ number of the suffix ]
struct KeyAboveId {
  u32 id_bits;
  COPSE_HD u64 pack(u64 key, u64 id) const { return key << id_bits | id; }
  COPSE_HD u32 id_of(u64 packed) const { return u32(packed & ((u64{1} << id_bits) - 1)); }
};

}  // namespace copse::detail
