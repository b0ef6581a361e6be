#pragma once

#include <charconv>
#include <optional>
#include <string_view>

namespace copse {

/// The number that all of the text spells, in the C locale; none where it is no number, out of the type's range or
/// followed by anything.
template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

}  // namespace copse
