#pragma once

// Texts for tests of suffix arrays and of what is built on them.

#include <random>
#include <string>
#include <utility>
#include <vector>

#include "primitives/core/types.h"

namespace copse::test {

using Text = std::vector<u8>;

/// Returns `n` random bytes of `symbols` values, 0 and 255 among them if there are two or more.
inline Text random_text(u64 n, u32 symbols, u32 seed) {
  std::mt19937 random(seed);
  Text text(n);
  for (u8& byte : text) byte = u8(symbols == 1 ? 0 : random() % symbols * 255 / (symbols - 1));
  return text;
}

/// Returns the first `n` letters of the infinite Fibonacci word, in which every part recurs soon.
inline Text fibonacci_text(u64 n) {
  std::string a = "b", b = "a";
  while (b.size() < n) {
    const std::string next = b + a;
    a = b;
    b = next;
  }
  return Text(b.begin(), b.begin() + i64(n));
}

inline Text periodic_text(u64 n, const Text& period) {
  Text text(n);
  for (u64 i = 0; i < n; ++i) text[i] = period[i % period.size()];
  return text;
}

/// Returns copies of one random part, with one byte in `rarity` replaced.
inline Text mutated_text(u64 n, u64 part, u32 rarity, u32 seed) {
  std::mt19937 random(seed);
  Text text = periodic_text(n, random_text(part, 4, seed));
  for (u64 i = random() % rarity; i < n; i += 1 + random() % (2 * rarity)) text[i] = u8(random());
  return text;
}

/// Returns texts with long repeats, by name.
inline std::vector<std::pair<std::string, Text>> repetitive_texts(u64 n) {
  std::vector<std::pair<std::string, Text>> texts = {
      {"one letter", Text(n, 'a')},
      {"zeros", Text(n, 0)},
      {"bytes of 255", Text(n, 255)},
      {"Fibonacci", fibonacci_text(n)},
      {"two letters in turn", periodic_text(n, {0, 255})},
      {"a period of 7", periodic_text(n, {1, 2, 1, 2, 1, 2, 3})},
      {"a random part twice", periodic_text(n, random_text(n / 2 + 1, 256, 1))},
      {"mutated copies", mutated_text(n, n / 50 + 1, 100, 2)},
      {"mutated copies of a short part", mutated_text(n, 5, 1000, 3)}};
  Text last_differs(n, 'a');
  if (n > 0) last_differs[n - 1] = 'b';
  texts.emplace_back("one letter and a larger one", last_differs);
  if (n > 0) last_differs[n - 1] = '0';
  texts.emplace_back("one letter and a smaller one", last_differs);
  return texts;
}

}  // namespace copse::test
