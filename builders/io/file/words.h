#pragma once

// Words and numbers of text files, without regard to the locale.

#include <algorithm>
#include <charconv>
#include <string_view>
#include <system_error>
#include <type_traits>

#include "primitives/core/parse_number.h"

namespace copse::detail {

/// Removes the first word from `line` and returns it; empty at the end. Spaces and tabs separate words.
inline std::string_view take_word(std::string_view& line) {
  const size_t begin = std::min(line.find_first_not_of(" \t"), line.size());
  const size_t end = std::min(line.find_first_of(" \t", begin), line.size());
  const std::string_view word = line.substr(begin, end - begin);
  line.remove_prefix(end);
  return word;
}

/// Reads the number that all of `word` is; it may begin with a plus sign. A number too small for a floating-point
/// T becomes 0 or the nearest denormal number. "nan" and "inf" are numbers.
/// Returns invalid_argument if `word` is not a number, result_out_of_range if it is too large for T.
template <class T>
std::errc parse_number(std::string_view word, T& value) {
  if (word.size() > 1 && word[0] == '+' && word[1] != '-') word.remove_prefix(1);
  const char* const end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, value);
  if (error != std::errc::invalid_argument && stop != end) return std::errc::invalid_argument;
  if constexpr (std::is_floating_point_v<T> && !std::is_same_v<T, long double>) {
    if (error == std::errc::result_out_of_range) {
      if (!is_below_one(word)) return error;
      long double wide = 0;  // stays 0 for a number that is too small for it, too
      parse_number(word, wide);
      value = T(wide);
      return {};
    }
  }
  return error;
}

}  // namespace copse::detail
