// The block-sorting half of bzip2: the Burrows-Wheeler transform of a file, block by block, then move-to-front, so that
// most bytes become 0. And all of it back. A real compressor would then code the bytes by their frequencies; here the
// program tells how many bytes that would take.
//
// block_sort [FILE [OUT]]: writes what it makes of FILE to OUT, reads OUT, and restores the file from it.

#include <copse/copse.h>
#include <copse/primitives.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <numeric>
#include <stdexcept>
#include <string>

#include "example_support.h"

namespace {

using Bytes = std::vector<copse::u8>;

constexpr copse::u64 block_bytes = 16 << 20;

/// A block as it stands in the file: its size, the primary row of its transform, and the coded bytes.
struct Block {
  copse::u32 size = 0, primary = 0;
  Bytes coded;
};

/// Replaces each byte by the number of different bytes since it last came.
Bytes move_to_front(const Bytes& bytes) {
  Bytes order(256), coded;
  std::iota(order.begin(), order.end(), copse::u8(0));
  for (const copse::u8 byte : bytes) {
    const auto at = std::find(order.begin(), order.end(), byte);
    coded.push_back(copse::u8(at - order.begin()));
    std::rotate(order.begin(), at, at + 1);
  }
  return coded;
}

Bytes undo_move_to_front(const Bytes& coded) {
  Bytes order(256), bytes;
  std::iota(order.begin(), order.end(), copse::u8(0));
  for (const copse::u8 place : coded) {
    bytes.push_back(order[place]);
    std::rotate(order.begin(), order.begin() + place, order.begin() + place + 1);
  }
  return bytes;
}

// snippet begins
Block sort_block(copse::Context& context, const Bytes& bytes) {
  const copse::u64 n = bytes.size();
  const copse::Buffer<copse::u8> text(context, bytes);
  copse::Buffer<copse::u32> suffixes(context, n), primary(context, 1);
  copse::Buffer<copse::u8> transform(context, n);
  copse::suffix_array(context, text.span(), suffixes.span());
  copse::bwt(context, text.span(), suffixes.span(), transform.span(), primary.span());
  return {copse::u32(n), primary.download()[0], move_to_front(transform.download())};
}

Bytes restore_block(copse::Context& context, const Block& block) {
  const copse::Buffer<copse::u8> transform(context, undo_move_to_front(block.coded));
  copse::Buffer<copse::u8> text(context, block.size);
  copse::inverse_bwt(context, transform.span(), block.primary, text.span());
  return text.download();
}
// snippet ends

/// Returns how many bytes a perfect code takes that knows only how often each byte comes.
double bytes_by_frequency(const Bytes& bytes) {
  double counts[256] = {}, bits = 0;
  for (const copse::u8 byte : bytes) ++counts[byte];
  for (const double count : counts) {
    if (count > 0) bits += count * std::log2(double(bytes.size()) / count);
  }
  return bits / 8;
}

Bytes read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  return Bytes(std::istreambuf_iterator<char>(file), {});
}

/// Returns false if the file ends. Throws: if it ends inside a block.
bool read_block(std::istream& file, Block& block) {
  copse::u32 head[2];
  if (!file.read(reinterpret_cast<char*>(head), sizeof head)) {
    if (file.gcount() == 0) return false;
    throw std::runtime_error("the file ends inside the head of a block");
  }
  if (head[0] > block_bytes) {
    throw std::runtime_error("a block of " + std::to_string(head[0]) + " bytes; at most " +
                             std::to_string(block_bytes) + " are possible");
  }
  block = {head[0], head[1], Bytes(head[0])};
  if (!file.read(reinterpret_cast<char*>(block.coded.data()), head[0])) {
    throw std::runtime_error("the file ends inside a block of " + std::to_string(head[0]) + " bytes");
  }
  return true;
}

bool sort_file(const std::string& in, const std::string& out) {
  copse::Context context;
  const Bytes bytes = read_file(in);
  {
    std::ofstream file(out, std::ios::binary);
    for (copse::u64 first = 0; first < bytes.size(); first += block_bytes) {
      const copse::u64 last = std::min(first + block_bytes, copse::u64(bytes.size()));
      const Block block = sort_block(context, Bytes(bytes.begin() + long(first), bytes.begin() + long(last)));
      file.write(reinterpret_cast<const char*>(&block.size), sizeof block.size);
      file.write(reinterpret_cast<const char*>(&block.primary), sizeof block.primary);
      file.write(reinterpret_cast<const char*>(block.coded.data()), long(block.coded.size()));
    }
    if (!file.flush()) throw std::runtime_error("cannot write " + out);
  }

  Bytes restored, coded;
  std::ifstream file(out, std::ios::binary);
  for (Block block; read_block(file, block);) {
    const Bytes part = restore_block(context, block);
    restored.insert(restored.end(), part.begin(), part.end());
    coded.insert(coded.end(), block.coded.begin(), block.coded.end());
  }
  std::printf("%s: %zu bytes; coded by frequency %.0f, after block sorting %.0f; restored %s\n", in.c_str(),
              bytes.size(), bytes_by_frequency(bytes), bytes_by_frequency(coded),
              restored == bytes ? "to the same bytes" : "to OTHER bytes");
  return restored == bytes;
}

}  // namespace

int main(int argc, char** argv) {
  return example::run("block_sort", [&] {
    return sort_file(argc > 1 ? argv[1] : argv[0], argc > 2 ? argv[2] : "block_sort.out");
  });
}
