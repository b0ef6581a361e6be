// Flags are read in aligned words of 8 bytes, and counted as the bits of these words. The first and the last word
// may hold memory that is not of the array, so their flags are read one by one.

#include "primitives/core/compiler.h"
#include "primitives/count.h"
#include "primitives/inputs.h"

namespace copse::detail {

/// Reads byte flags as words. Word w holds the flags from address base + 8 w on, where base is aligned. The lowest
/// bit of each byte is its flag.
struct ByteFlagWords {
  const u8* flags;
  u64 n;

  static constexpr u64 full = 0x0101010101010101u;

  COPSE_HD u64 lead() const { return reinterpret_cast<u64>(flags) % 8; }
  COPSE_HD u64 word_count() const { return n == 0 ? 0 : divide_rounding_up(lead() + n, 8); }

  /// Returns a word that is neither the first nor the last.
  COPSE_HD u64 inside(u64 w) const {
    u64 word;
    std::memcpy(&word, aligned_to<8>(flags + (8 * w - lead())), sizeof word);
    word |= word >> 4;
    word |= word >> 2;
    word |= word >> 1;
    return word & full;
  }

  /// Returns any word. Bytes outside the array have `outside`.
  COPSE_HD u64 at_border(u64 w, bool outside) const {
    u64 word = 0;
    for (u64 k = 0; k < 8; ++k) {
      const u64 place = 8 * w + k;
      const bool is_inside = place >= lead() && place < lead() + n;
      word |= u64(is_inside ? flags[place - lead()] != 0 : outside) << (8 * k);
    }
    return word;
  }
};

/// Reads bit flags as words of 64 flags. Word w holds the flags from address base + 8 w on, where base is aligned.
struct BitFlagWords {
  const u32* words;
  u64 n;

  static constexpr u64 full = ~u64{0};

  COPSE_HD u64 lead() const { return reinterpret_cast<u64>(words) % 8 / 4; }
  COPSE_HD u64 word_count() const { return n == 0 ? 0 : divide_rounding_up(32 * lead() + n, 64); }

  /// Returns a word that is neither the first nor the last.
  COPSE_HD u64 inside(u64 w) const {
    u64 word;
    std::memcpy(&word, aligned_to<8>(words + (2 * w - lead())), sizeof word);
    return word;
  }

  /// Returns any word. Bits outside the array are `outside`.
  COPSE_HD u64 at_border(u64 w, bool outside) const {
    return u64(half(2 * w + 1, outside)) << 32 | half(2 * w, outside);
  }

  /// Returns 32 flags: those of words[place - lead()], as far as they are in the array.
  COPSE_HD u32 half(u64 place, bool outside) const {
    const u64 first = 32 * (place - lead());
    if (place < lead() || first >= n) return outside ? ~0u : 0;
    const u32 inside = n - first >= 32 ? ~0u : (1u << (n - first)) - 1;
    return (words[place - lead()] & inside) | (outside ? ~inside : 0);
  }
};

template <class Words>
struct FlagsInWord {
  Words words;
  COPSE_HD static u32 count(u64 word) { return population_count(u32(word)) + population_count(u32(word >> 32)); }
  COPSE_HD u32 operator()(u64 w) const { return count(words.at_border(w, false)); }
  COPSE_HD u32 inside(u64 w) const { return count(words.inside(w)); }
};

template <class Words>
struct AnyInWord {
  Words words;
  COPSE_HD bool operator()(u64 w) const { return words.at_border(w, false) != 0; }
  COPSE_HD bool inside(u64 w) const { return words.inside(w) != 0; }
};

template <class Words>
struct AllInWord {
  Words words;
  COPSE_HD bool operator()(u64 w) const { return words.at_border(w, true) == Words::full; }
  COPSE_HD bool inside(u64 w) const { return words.inside(w) == Words::full; }
};

template <class Executor, class Words>
void ask(const Executor& ex, const Words& words, FlagQuestion question, void* out) {
  const u64 n = words.word_count();
  if (question == FlagQuestion::count) {
    count_if(ex, "count flags", n, FlagsInWord<Words>{words}, static_cast<u64*>(out));
  } else if (question == FlagQuestion::any) {
    any_of(ex, "any flag", n, AnyInWord<Words>{words}, static_cast<u32*>(out));
  } else {
    all_of(ex, "all flags", n, AllInWord<Words>{words}, static_cast<u32*>(out));
  }
}

template <class Executor>
void ask_byte_flags(const Executor& ex, const u8* flags, u64 n, FlagQuestion question, void* out) {
  ask(ex, ByteFlagWords{flags, n}, question, out);
}

template <class Executor>
void ask_bit_flags(const Executor& ex, const u32* words, u64 n, FlagQuestion question, void* out) {
  ask(ex, BitFlagWords{words, n}, question, out);
}

template void ask_byte_flags(const BodyExecutor&, const u8*, u64, FlagQuestion, void*);
template void ask_bit_flags(const BodyExecutor&, const u32*, u64, FlagQuestion, void*);

}  // namespace copse::detail
