#pragma once

#include <charconv>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>
#include <type_traits>

namespace copse {

namespace detail {

/// Returns true if the magnitude of a decimal number is below 1. For numbers such as "1e-5000" that std::from_chars
/// reports as out of range, since it does not tell on which side.
///   number: as std::from_chars accepts it, without a plus sign, and not 0
constexpr bool is_below_one(std::string_view number) {
  const size_t e = number.find_first_of("eE");
  const std::string_view digits = number.substr(0, e);
  const size_t point = digits.find('.') < digits.size() ? digits.find('.') : digits.size();
  const size_t first = digits.find_first_of("123456789");
  long long exponent = 0;
  if (e < number.size()) {
    std::string_view text = number.substr(e + 1);
    if (!text.empty() && text.front() == '+') text.remove_prefix(1);
    const bool is_negative = !text.empty() && text.front() == '-';
    if (is_negative) text.remove_prefix(1);
    constexpr long long enough = std::numeric_limits<long long>::max() / 16;  // no text is as long as this
    for (const char digit : text) exponent = exponent > enough ? exponent : 10 * exponent + (digit - '0');
    if (is_negative) exponent = -exponent;
  }
  // The first digit that is not 0 stands for 10 to this power, or for a lower one behind the point.
  return exponent + static_cast<long long>(point) - static_cast<long long>(first) <= 0;
}

}  // namespace detail

/// Returns the number that the whole text spells, in the C locale; nullopt if the text is not a number, if the
/// number is too large for the type, or if other text follows it. A number too small for a floating-point type
/// becomes 0.
template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (stop != end) return std::nullopt;
  if (error == std::errc{}) return value;
  if constexpr (std::is_floating_point_v<Number>) {
    if (error == std::errc::result_out_of_range && detail::is_below_one(text)) return Number{0};
  }
  return std::nullopt;
}

}  // namespace copse
