// Flags are read in words of 8 bytes, and counted as the bits of these words.

#include "primitives/flags.h"
#include "primitives/inputs.h"
#include "primitives/reduce.h"

namespace copse::detail {

/// Reads byte flags as words. Word w holds the flags from address base + 8 w on, where base is aligned.
struct ByteFlagWords {
  const u8* flags;
  u64 n;

  COPSE_HD u64 lead() const { return reinterpret_cast<u64>(flags) % 8; }
  COPSE_HD u64 word_count() const { return n == 0 ? 0 : divide_rounding_up(lead() + n, 8); }

  /// Returns word w. The lowest bit of each byte is its flag; bytes outside the array have `outside`.
  COPSE_HD u64 operator()(u64 w, u64 outside) const {
    const u64 skipped = lead();
    u64 word = 0;
    if (8 * w >= skipped && 8 * (w + 1) <= skipped + n) {
      std::memcpy(&word, __builtin_assume_aligned(flags + (8 * w - skipped), 8), sizeof word);
    } else {
      for (u64 k = 0; k < 8; ++k) {
        const u64 place = 8 * w + k;
        const bool inside = place >= skipped && place < skipped + n;
        word |= (inside ? u64(flags[place - skipped] != 0) : outside) << (8 * k);
      }
    }
    word |= word >> 4;
    word |= word >> 2;
    word |= word >> 1;
    return word & 0x0101010101010101u;
  }
};

/// Reads bit flags as words. Bits past the end are `outside`.
struct BitFlagWords {
  const u32* words;
  u64 n;

  COPSE_HD u64 word_count() const { return divide_rounding_up(n, 32); }
  COPSE_HD u64 operator()(u64 w, u64 outside) const {
    const u32 word = words[w];
    if (n - 32 * w >= 32) return word;
    const u32 inside = (1u << (n - 32 * w)) - 1;
    return (word & inside) | (outside != 0 ? ~inside : 0);
  }
};

template <class Words>
struct FlagsInWord {
  Words words;
  COPSE_HD u64 operator()(u64 w) const {
    const u64 word = words(w, 0);
    return population_count(u32(word)) + population_count(u32(word >> 32));
  }
};

template <class Words>
struct AnyInWord {
  Words words;
  COPSE_HD bool operator()(u64 w) const { return words(w, 0) != 0; }
};

template <class Words>
struct AllInWord {
  Words words;
  u64 full;
  COPSE_HD bool operator()(u64 w) const { return words(w, 1) == full; }
};

template <class Executor, class Words>
void ask(const Executor& ex, const Words& words, u64 full, FlagQuestion question, void* out) {
  const u64 n = words.word_count();
  if (question == FlagQuestion::count) {
    reduce(ex, "count flags", n, FlagsInWord<Words>{words}, u64{0}, Plus{}, static_cast<u64*>(out));
  } else if (question == FlagQuestion::any) {
    any_of(ex, "any flag", n, AnyInWord<Words>{words}, static_cast<u32*>(out));
  } else {
    all_of(ex, "all flags", n, AllInWord<Words>{words, full}, static_cast<u32*>(out));
  }
}

template <class Executor>
void ask_byte_flags(const Executor& ex, const u8* flags, u64 n, FlagQuestion question, void* out) {
  ask(ex, ByteFlagWords{flags, n}, 0x0101010101010101u, question, out);
}

template <class Executor>
void ask_bit_flags(const Executor& ex, const u32* words, u64 n, FlagQuestion question, void* out) {
  ask(ex, BitFlagWords{words, n}, 0xffffffffu, question, out);
}

template void ask_byte_flags(const BodyExecutor&, const u8*, u64, FlagQuestion, void*);
template void ask_bit_flags(const BodyExecutor&, const u32*, u64, FlagQuestion, void*);

}  // namespace copse::detail
