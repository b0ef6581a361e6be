#pragma once

// The first sort of suffixes, by keys of their first symbols. For bodies: the executor's primitives must be
// included.

#include <algorithm>
#include <vector>

#include "primitives/suffixes/suffix_keys.h"
#include "primitives/suffixes/suffix_sort.h"

namespace copse::detail {

/// One word per suffix: its first symbols above its number.
struct PackedKeys {
  KeyAboveId form;
  PackedText text;
  u64 n;
  COPSE_HD u64 operator()(u64 j) const {
    const u64 i = n - 1 - j;
    return form.pack(text.bits_from(i) >> form.id_bits, i);
  }
};

struct UnpackSuffixes {
  KeyAboveId form;
  const u64* packed;
  u32* suffixes;
  COPSE_HD void operator()(u64 p) const { suffixes[p] = form.id_of(packed[p]); }
};

/// The bin of a byte in a histogram.
struct ByteBin {
  COPSE_HD u32 operator()(u8 byte) const { return byte; }
};

/// Counts the bytes of the text. Waits.
template <class Executor>
std::vector<u64> count_bytes(const Executor& ex, const u8* text, u64 n) {
  ScratchArena::Frame frame(ex.scratch);
  u64* counts = frame.template allocate<u64>(256);
  histogram(ex, "suffix array: bytes", n, Elements<u8>{text}, ByteBin{}, 256, counts);
  std::vector<u64> on_host(256);
  ex.device.download(on_host.data(), counts, 256 * sizeof(u64));
  return on_host;
}

inline Alphabet alphabet_of(const std::vector<u64>& counts) {
  Alphabet alphabet{};
  for (u32 byte = 0; byte < 256; ++byte) {
    if (counts[byte] != 0) alphabet.symbol_of[byte] = u8(alphabet.size++);
  }
  alphabet.symbol_bits = 1;
  while (1u << alphabet.symbol_bits < alphabet.size) ++alphabet.symbol_bits;
  return alphabet;
}

/// First symbols of the parts in which suffixes are sorted, and the number of symbols at the end. A part has at
/// most `max_part` suffixes, unless one symbol begins more.
struct SortParts {
  std::vector<u32> first_symbols;
  std::vector<u64> counts;

  SortParts(const std::vector<u64>& byte_counts, u64 max_part) {
    u32 symbol = 0;
    for (u64 count : byte_counts) {
      if (count == 0) continue;
      if (counts.empty() || counts.back() + count > max_part) {
        first_symbols.push_back(symbol);
        counts.push_back(0);
      }
      counts.back() += count;
      ++symbol;
    }
    first_symbols.push_back(symbol);
  }
  u64 largest() const { return *std::max_element(counts.begin(), counts.end()); }
};

/// Sorts the suffixes by keys that stand above their numbers. `marks` gets the heads of the groups.
template <class Executor>
void sort_by_short_keys(const Executor& ex, SuffixSort& sort, const PackedText& text, u8* marks) {
  ScratchArena::Frame frame(ex.scratch);
  const KeyAboveId form{sort.id_bits};
  u64* packed = frame.template allocate<u64>(sort.n);
  radix_sort_keys<u64>(ex, "suffix array: first sort", sort.n, PackedKeys{form, text, sort.n}, packed,
                       BitRange{sort.id_bits, 64});
  for_each(ex, "suffix array: suffixes", sort.n, UnpackSuffixes{form, packed, sort.suffixes});
  sort.depth = (64 - sort.id_bits) / text.symbol_bits;
  const u64 first_short = sort.n - smaller(sort.n, sort.depth);
  for_each(ex, "suffix array: first heads", sort.n,
           MarkFirstHeads{packed, sort.id_bits, sort.suffixes, first_short, marks});
}

struct TextOfSymbols {
  const u8* bytes;
  const u8* symbol_of;
  PackedText packed;
};

/// Sorts the suffixes by keys of 64 bits, in parts that begin with the same symbols.
template <class Executor>
void sort_by_long_keys(const Executor& ex, SuffixSort& sort, const TextOfSymbols& text, const SortParts& parts,
                       u8* marks) {
  sort.depth = 64 / text.packed.symbol_bits;
  const u64 first_short = sort.n - smaller(sort.n, sort.depth);
  u64 begin = 0;
  for (size_t k = 0; k < parts.counts.size(); ++k) {
    ScratchArena::Frame frame(ex.scratch);
    const u64 count = parts.counts[k];
    u32* suffixes = sort.suffixes + begin;
    u64* keys = frame.template allocate<u64>(count);
    u64* sorted_keys = frame.template allocate<u64>(count);
    u32* ids = frame.template allocate<u32>(count);
    u64* stored = frame.template allocate<u64>(1);
    compact_each(
        ex, "suffix array: keys", sort.n,
        BeginsInRange{text.bytes, sort.n, text.symbol_of, parts.first_symbols[k], parts.first_symbols[k + 1]},
        StoreKeys{text.packed, sort.n, ids, keys}, stored);
    sort_elements(ex, keys, ids, count, sorted_keys, suffixes, all_bits<u64>, KeyEncoding<u64>{});
    for_each(ex, "suffix array: first heads", count,
             MarkFirstHeads{sorted_keys, 0, suffixes, first_short, marks + begin});
    begin += count;
  }
}

/// Sorts the suffixes by their first symbols. Waits.
template <class Executor>
void sort_by_first_symbols(const Executor& ex, const u8* text, SuffixSort& sort) {
  // Long keys take 44 bytes of scratch for each suffix of a part, short ones 16 bytes for each of all.
  constexpr u64 max_share_percent = 36;
  constexpr u32 short_key_symbol_bits = 3;
  const std::vector<u64> counts = count_bytes(ex, text, sort.n);
  const Alphabet alphabet = alphabet_of(counts);
  const SortParts parts(counts, sort.n * max_share_percent / 100);

  ScratchArena::Frame frame(ex.scratch);
  u8* symbol_of = frame.template allocate<u8>(256);
  ex.device.upload(symbol_of, alphabet.symbol_of, 256);
  const u64 word_count = PackedText::word_count(sort.n, alphabet.symbol_bits);
  u32* words = frame.template allocate<u32>(word_count);
  for_each(ex, "suffix array: pack", word_count,
           PackSymbols{text, sort.n, symbol_of, alphabet.symbol_bits, words});
  const PackedText packed{words, alphabet.symbol_bits};

  u8* marks = frame.template allocate<u8>(sort.n);
  const bool long_keys =
      alphabet.symbol_bits > short_key_symbol_bits && parts.largest() * 100 <= sort.n * max_share_percent;
  if (long_keys) {
    sort_by_long_keys(ex, sort, {text, symbol_of, packed}, parts, marks);
  } else {
    sort_by_short_keys(ex, sort, packed, marks);
  }
  for_each(ex, "suffix array: first heads", Heads::word_count(sort.n), PackHeads{marks, sort.heads});
}

}  // namespace copse::detail
