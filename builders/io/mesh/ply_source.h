#pragma once

// Sources of the values in the body of a PLY file, one after the other: BinarySource and AsciiSource have the same
// functions.

#include <bit>
#include <cstring>
#include <limits>
#include <string>

#include "builders/io/file/words.h"
#include "builders/io/mesh/ply_header.h"
#include "builders/io/whole_file.h"

namespace copse::detail {

static_assert(std::endian::native == std::endian::little, "Copse runs on little-endian machines");

/// The place that a reader has reached, for messages.
struct PlyPlace {
  const std::filesystem::path* path;
  const PlyElement* element = nullptr;
  u64 number = 0;  // index in the element, from 0

  [[noreturn]] void fail(const std::string& message) const {
    throw_bad_file(*path, element->name + " " + std::to_string(number) + ": " + message);
  }
  [[noreturn]] void fail_short() const {
    fail("the file ends inside it; the header promises " + std::to_string(element->count) + " of '" +
         element->name + "'");
  }
};

template <bool is_big_endian>
class BinarySource {
 public:
  BinarySource(std::string_view data, const PlyPlace& place)
      : next_(data.data()), end_(data.data() + data.size()), place_(&place) {}

  /// Returns the smallest number of bytes that a value may take.
  static u64 min_bytes(PlyType type) { return bytes_of(type); }

  u64 bytes_left() const { return u64(end_ - next_); }
  std::string_view rest() const { return {next_, bytes_left()}; }

  i64 integer(PlyType type) {
    switch (type) {
      case PlyType::i8: return load<i8>();
      case PlyType::u8: return load<u8>();
      case PlyType::i16: return load<i16>();
      case PlyType::u16: return load<u16>();
      case PlyType::i32: return load<i32>();
      default: return load<u32>();
    }
  }

  double real(PlyType type) {
    if (type == PlyType::f32) return load<float>();
    if (type == PlyType::f64) return load<double>();
    return double(integer(type));
  }

  void skip(PlyType type, u64 count) {
    if (count > bytes_left() / bytes_of(type)) place_->fail_short();
    next_ += count * bytes_of(type);
  }

 private:
  using i8 = std::int8_t;
  using i16 = std::int16_t;

  template <class T>
  T load() {
    if (bytes_left() < sizeof(T)) place_->fail_short();
    char bytes[sizeof(T)];
    std::memcpy(bytes, next_, sizeof(T));
    if constexpr (is_big_endian) {
      for (size_t i = 0; i < sizeof(T) / 2; ++i) std::swap(bytes[i], bytes[sizeof(T) - 1 - i]);
    }
    next_ += sizeof(T);
    T value;
    std::memcpy(&value, bytes, sizeof(T));
    return value;
  }

  const char* next_;
  const char* end_;
  const PlyPlace* place_;
};

class AsciiSource {
 public:
  AsciiSource(std::string_view text, const PlyPlace& place) : rest_(text), place_(&place) {}

  /// A character and a space.
  static u64 min_bytes(PlyType) { return 2; }

  /// Counts the space that the last word may lack.
  u64 bytes_left() const { return rest_.size() + 1; }
  std::string_view rest() const { return rest_; }

  i64 integer(PlyType) {
    i64 value = 0;
    const std::string_view word = take();
    if (parse_number(word, value) != std::errc{}) place_->fail(in_quotes(word) + " is not an integer");
    return value;
  }

  /// Infinity for a number that is too large.
  double real(PlyType type) { return type == PlyType::f32 ? double(parsed<float>()) : parsed<double>(); }

  void skip(PlyType, u64 count) {
    for (u64 i = 0; i < count; ++i) parsed<double>();
  }

 private:
  template <class T>
  T parsed() {
    T value = 0;
    const std::string_view word = take();
    const std::errc error = parse_number(word, value);
    if (error == std::errc::result_out_of_range) return std::numeric_limits<T>::infinity();
    if (error != std::errc{}) place_->fail(in_quotes(word) + " is not a number");
    return value;
  }

  std::string_view take() {
    constexpr std::string_view spaces = " \t\r\n";
    const size_t begin = rest_.find_first_not_of(spaces);
    if (begin == std::string_view::npos) place_->fail_short();
    const size_t end = std::min(rest_.find_first_of(spaces, begin), rest_.size());
    const std::string_view word = rest_.substr(begin, end - begin);
    rest_.remove_prefix(end);
    return word;
  }

  std::string_view rest_;
  const PlyPlace* place_;
};

}  // namespace copse::detail
