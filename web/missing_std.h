#pragma once

// The parts of the C++20 library that libc++ 13 of Debian's emscripten does not have, and that Copse uses:
// std::atomic_ref, and std::from_chars and std::to_chars for floating-point numbers. The preset web includes this file
// before all others. With a library that has them, the file is empty.

#include <version>

#ifdef __EMSCRIPTEN__

#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <type_traits>

namespace std {

#ifndef __cpp_lib_atomic_ref

/// As the standard has it, for numbers. The orders of memory are all the strictest one, since the module has one thread.
template <class T>
class atomic_ref {
 public:
  explicit atomic_ref(T& value) : at_(&value) {}

  T load(memory_order = memory_order_seq_cst) const { return __atomic_load_n(at_, __ATOMIC_SEQ_CST); }
  void store(T value, memory_order = memory_order_seq_cst) const {
    __atomic_store_n(at_, value, __ATOMIC_SEQ_CST);
  }
  T exchange(T value, memory_order = memory_order_seq_cst) const {
    return __atomic_exchange_n(at_, value, __ATOMIC_SEQ_CST);
  }
  T fetch_add(T value, memory_order = memory_order_seq_cst) const {
    return __atomic_fetch_add(at_, value, __ATOMIC_SEQ_CST);
  }
  T fetch_or(T value, memory_order = memory_order_seq_cst) const {
    return __atomic_fetch_or(at_, value, __ATOMIC_SEQ_CST);
  }
  T fetch_and(T value, memory_order = memory_order_seq_cst) const {
    return __atomic_fetch_and(at_, value, __ATOMIC_SEQ_CST);
  }
  T fetch_xor(T value, memory_order = memory_order_seq_cst) const {
    return __atomic_fetch_xor(at_, value, __ATOMIC_SEQ_CST);
  }
  bool compare_exchange_strong(T& expected, T value, memory_order = memory_order_seq_cst) const {
    return __atomic_compare_exchange_n(at_, &expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  }
  bool compare_exchange_strong(T& expected, T value, memory_order, memory_order) const {
    return compare_exchange_strong(expected, value);
  }
  bool compare_exchange_weak(T& expected, T value, memory_order = memory_order_seq_cst,
                             memory_order = memory_order_seq_cst) const {
    return compare_exchange_strong(expected, value);
  }

 private:
  T* at_;
};

#endif

#ifndef __cpp_lib_to_chars

namespace copse_missing {

/// Returns the end of the decimal number that begins at `first`, as std::from_chars reads it; `first` if there is none.
inline const char* end_of_number(const char* first, const char* last) {
  const char* at = first;
  const auto skip_digits = [&] {
    const char* const before = at;
    while (at != last && *at >= '0' && *at <= '9') ++at;
    return at != before;
  };
  if (at != last && *at == '-') ++at;
  for (const char* word : {"infinity", "inf", "nan"}) {
    const char* letter = at;
    const char* of_word = word;
    while (letter != last && *of_word != 0 && (*letter | 0x20) == *of_word) ++letter, ++of_word;
    if (*of_word == 0) return letter;
  }
  bool has_digits = skip_digits();
  if (at != last && *at == '.') {
    ++at;
    has_digits = skip_digits() || has_digits;
  }
  if (!has_digits) return first;
  if (at != last && (*at | 0x20) == 'e') {
    const char* const before = at++;
    if (at != last && (*at == '-' || *at == '+')) ++at;
    if (!skip_digits()) at = before;
  }
  return at;
}

inline float read(const char* text, float) {
  return strtof(text, nullptr);
}
inline double read(const char* text, double) {
  return strtod(text, nullptr);
}
inline long double read(const char* text, long double) {
  return strtold(text, nullptr);
}

}  // namespace copse_missing

/// As the standard has it, for decimal numbers in the general format. musl rounds to the nearest number, as it should.
template <class T>
requires is_floating_point_v<T> from_chars_result from_chars(const char* first, const char* last, T& value) {
  const char* const end = copse_missing::end_of_number(first, last);
  if (end == first) return {first, errc::invalid_argument};
  const string text(first, end);
  errno = 0;
  const T read = copse_missing::read(text.c_str(), T{});
  if (errno == ERANGE) return {end, errc::result_out_of_range};
  value = read;
  return {end, errc{}};
}

/// Writes the fewest digits that give the same number when they are read.
inline to_chars_result to_chars(char* first, char* last, float value) {
  char text[32];
  for (int digits = 1; digits <= 9; ++digits) {
    snprintf(text, sizeof text, "%.*g", digits, double(value));
    if (strtof(text, nullptr) == value) break;
  }
  const size_t length = strlen(text);
  if (length > size_t(last - first)) return {last, errc::value_too_large};
  memcpy(first, text, length);
  return {first + length, errc{}};
}

#endif

}  // namespace std

#endif
