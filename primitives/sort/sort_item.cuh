#pragma once

// What moves between the passes of a radix sort: a key and its value in one piece, so that each pass scatters
// once, in runs twice as long as those of two arrays.

#include <cstring>

#include "primitives/no_value.h"
#include "primitives/radix_key.h"

namespace copse::cuda {

namespace detail {

constexpr u32 alignment_for(u64 bytes) {
  return bytes % 16 == 0 ? 16 : bytes % 8 == 0 ? 8 : 4;
}

template <class Bits, class Value>
class SortItem {
 public:
  SortItem() = default;
  __device__ SortItem(const Bits& key, const Value& value) {
    memcpy(words_, &key, sizeof(Bits));
    memcpy(reinterpret_cast<unsigned char*>(words_) + sizeof(Bits), &value, sizeof(Value));
  }
  __device__ Bits key() const {
    Bits key;
    memcpy(&key, words_, sizeof(Bits));
    return key;
  }
  __device__ Value value() const {
    Value value;
    memcpy(&value, reinterpret_cast<const unsigned char*>(words_) + sizeof(Bits), sizeof(Value));
    return value;
  }

 private:
  static constexpr u32 word_count = (sizeof(Bits) + sizeof(Value) + 3) / 4;
  alignas(alignment_for(word_count * 4)) u32 words_[word_count];
};

template <class Bits>
class SortItem<Bits, NoValue> {
 public:
  SortItem() = default;
  __device__ SortItem(const Bits& key, NoValue) : key_(key) {}
  __device__ Bits key() const { return key_; }
  __device__ NoValue value() const { return {}; }

 private:
  Bits key_;
};

/// Items from input functions.
template <class Bits, class Value, class BitsInput, class ValueInput>
struct InputItems {
  BitsInput bits_input;
  ValueInput value_input;
  KeyEncoding<Bits> encoding;

  __device__ SortItem<Bits, Value> operator()(u64 i) const {
    return {encoding.encode(bits_input(i)), value_input(i)};
  }
};

/// Items from an array.
template <class Item>
struct ArrayItems {
  const Item* items;
  __device__ Item operator()(u64 i) const { return items[i]; }
};

/// Items into an array.
template <class Item>
struct ItemArray {
  Item* items;
  __device__ void operator()(u64 place, const Item& item) const { items[place] = item; }
};

/// Items into the arrays of the caller, either of which may be absent.
template <class Bits, class Value>
struct OutputArrays {
  Bits* keys;
  Value* values;
  KeyEncoding<Bits> encoding;

  __device__ void operator()(u64 place, const SortItem<Bits, Value>& item) const {
    if (keys != nullptr) keys[place] = encoding.decode(item.key());
    if constexpr (copse::detail::has_value<Value>) values[place] = item.value();
  }
};

struct DigitOf {
  u32 shift, width;

  template <class Item>
  __device__ u32 operator()(const Item& item) const {
    return digit_of(item.key(), shift, width);
  }
};

}  // namespace detail

}  // namespace copse::cuda
