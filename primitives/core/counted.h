#pragma once

// Numbers with their nouns, for messages: 1 ray, 2 rays.

#include <string>
#include <string_view>

#include "primitives/core/types.h"

namespace copse::detail {

/// Returns the singular of an English plural: "leaf" for "leaves". It knows the nouns of our messages.
inline std::string singular_of(std::string_view plural) {
  struct Ending {
    std::string_view of_many, of_one;
  };
  constexpr Ending endings[] = {{"vertices", "vertex"}, {"indices", "index"}, {"leaves", "leaf"}, {"xes", "x"},
                                {"shes", "sh"},         {"sses", "ss"},       {"ies", "y"},       {"s", ""}};
  for (const Ending& ending : endings) {
    if (!plural.ends_with(ending.of_many)) continue;
    return std::string(plural.substr(0, plural.size() - ending.of_many.size())).append(ending.of_one);
  }
  return std::string(plural);
}

/// Returns the form of a noun that fits the count.
///   nouns: its plural, which words with "of" or "in" may follow, as in "bytes of text"
inline std::string noun_for(u64 count, std::string_view nouns) {
  if (count != 1) return std::string(nouns);
  const size_t of = nouns.find(" of "), in = nouns.find(" in ");
  const size_t end = of < in ? of : in;
  const std::string noun = singular_of(nouns.substr(0, end));
  return end == std::string_view::npos ? noun : noun + std::string(nouns.substr(end));
}

/// Returns a count and its noun: "1 ray", "2 rays".
inline std::string counted(u64 count, std::string_view nouns) {
  return std::to_string(count) + " " + noun_for(count, nouns);
}

}  // namespace copse::detail
