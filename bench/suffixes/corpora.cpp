#include "bench/suffixes/corpora.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <unordered_set>

namespace copse::bench {

namespace {

using Random = std::mt19937_64;

u64 below(Random& random, u64 limit) {
  return random() % limit;
}

/// Makes a pronounceable word of 1 to 6 syllables.
std::string make_word(Random& random, u64 syllables) {
  static constexpr const char* onsets[] = {"t", "n", "s", "r", "l",  "d",  "c",  "m",  "p", "f", "th", "st", "b",
                                           "w", "g", "h", "v", "pr", "tr", "ch", "sh", "k", "j", "qu", ""};
  static constexpr const char* rhymes[] = {"e",  "a",   "i",  "o", "en", "er",  "in", "on",  "an", "al", "at",
                                           "es", "ing", "ed", "u", "ar", "ion", "it", "ous", "ea", "y"};
  std::string word;
  for (u64 k = 0; k < syllables; ++k) {
    const auto pick = [&](u64 count) { return std::min(below(random, count), below(random, count)); };
    word += onsets[pick(std::size(onsets))];
    word += rhymes[pick(std::size(rhymes))];
  }
  return word;
}

/// Copies `length` bytes that stand somewhere before, and changes one in `rarity` of them to `other()`.
template <class Other>
void copy_passage(std::vector<u8>& text, Random& random, u64 length, u64 rarity, Other other) {
  const u64 from = below(random, text.size() - length);
  for (u64 k = 0; k < length; ++k) {
    const u8 byte = text[from + k];
    text.push_back(rarity != 0 && below(random, rarity) == 0 ? other() : byte);
  }
}

}  // namespace

std::vector<u8> english_like(u64 n) {
  constexpr u64 vocabulary_size = 60000;
  Random random(1);
  std::vector<std::string> vocabulary;
  for (u64 k = 0; k < vocabulary_size; ++k)
    vocabulary.push_back(make_word(random, 1 + k % 4 + (k > 2000) + (k > 20000)));
  // Word k comes about 1 / (k + 2) as often as the first, by Zipf's law.
  const double log_size = std::log(double(vocabulary_size));
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<u8> text;
  text.reserve(n + 4096);
  bool sentence_begins = true;
  while (text.size() < n) {
    if (text.size() > 10000 && below(random, 4000) == 0) {
      copy_passage(text, random, 20 + below(random, 20) * below(random, 100), 0, [] { return u8('?'); });
      continue;
    }
    const auto k = std::min<u64>(u64(std::exp(uniform(random) * log_size)) - 1, vocabulary_size - 1);
    std::string word = vocabulary[k];
    if (sentence_begins) word[0] = char(std::toupper(word[0]));
    sentence_begins = false;
    if (below(random, 200) == 0) word = std::to_string(below(random, 2100));
    text.insert(text.end(), word.begin(), word.end());
    const u64 mark = below(random, 100);
    if (mark < 6) {
      text.push_back('.');
      sentence_begins = true;
    } else if (mark < 12) {
      text.push_back(',');
    } else if (mark == 12) {
      text.push_back('\n');
    }
    text.push_back(' ');
  }
  text.resize(n);
  return text;
}

std::vector<u8> source_code(u64 n) {
  namespace fs = std::filesystem;
  std::vector<std::string> paths;
  for (const char* root : {"/usr/include", "/usr/local"}) {
    std::error_code error;
    for (fs::recursive_directory_iterator at(root, fs::directory_options::skip_permission_denied, error), end;
         at != end; at.increment(error)) {
      const std::string ending = at->path().extension();
      if (at->is_regular_file(error) &&
          (ending == ".h" || ending == ".hpp" || ending == ".cuh" || ending == ".inl")) {
        paths.push_back(at->path());
      }
    }
  }
  std::sort(paths.begin(), paths.end());
  std::vector<u8> text;
  text.reserve(n);
  std::unordered_set<std::string> seen;  // no file comes twice, as in the tree of one program
  for (const std::string& path : paths) {
    std::ifstream file(path, std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(file), {});
    if (seen.insert(bytes).second) text.insert(text.end(), bytes.begin(), bytes.end());
    if (text.size() >= n) break;
  }
  if (text.empty()) return mutated_repeats(n);
  Random random(2);
  for (const u64 once = text.size(); text.size() < n;) {
    const u8 byte = text[text.size() - once];
    text.push_back(below(random, 500) == 0 ? u8('a' + below(random, 26)) : byte);
  }
  text.resize(n);
  return text;
}

std::vector<u8> dna(u64 n) {
  constexpr const char* letters = "ACGT";
  Random random(3);
  const auto letter = [&] { return u8(letters[below(random, 4)]); };
  std::vector<u8> text;
  text.reserve(n + 8192);
  while (text.size() < n) {
    if (text.size() > 10000 && below(random, 5) < 2) {
      copy_passage(text, random, 300 + below(random, 6000), 12, letter);
    } else {
      for (u64 k = below(random, 8000); k > 0; --k) text.push_back(letter());
    }
  }
  text.resize(n);
  return text;
}

std::vector<u8> mutated_repeats(u64 n) {
  const std::vector<u8> part = english_like(u64{1} << 20);
  Random random(4);
  std::vector<u8> text(n);
  for (u64 i = 0; i < n; ++i) text[i] = part[i % part.size()];
  for (u64 i = below(random, 2000); i < n; i += 1 + below(random, 2000)) text[i] = u8('a' + below(random, 26));
  return text;
}

}  // namespace copse::bench
