#include "bench/papers/rows.h"
#include "primitives/cuda/radix_sort.cuh"
#include "primitives/inputs.h"
#include "primitives/sort_records.h"

namespace copse::bench {

namespace {

BufferSpan<std::byte> as_bytes(BufferSpan<u32> words) {
  return {reinterpret_cast<std::byte*>(words.data()), words.size_bytes()};
}

/// Returns the key at the start of each record.
template <class Key>
struct KeyOfRecord {
  const u32* words;
  u32 words_per_record;
  COPSE_HD Key operator()(u64 i) const {
    const u32* record = words + i * words_per_record;
    return sizeof(Key) == 4 ? Key(record[0]) : Key(record[0] | u64{record[1]} << 32);
  }
};

/// Returns the bytes: the key is read as a sector of 32 bytes; key and index are read and written by each pass of
/// the sort; the record is moved.
double record_sort_bytes(u64 n, u32 record_bytes, u32 key_bytes, u32 stored_bytes) {
  return double(n) * (32 + 2.0 * key_bytes * (stored_bytes + 4) + 2.0 * record_bytes + 4);
}

template <class Key>
Setup records(u32 record_bytes, u32 key_bytes, double paper_ms) {
  return [=](Comparison& c) {
    const u64 words = c.n * record_bytes / 4;
    const BufferSpan<u32> in = c.hashed<u32>(words), out = c.buffer<u32>(words);
    const BitRange bits{0, 8 * key_bytes};
    c.bytes = record_sort_bytes(c.n, record_bytes, key_bytes, sizeof(Key));
    c.ours = [=, &c] { sort_records<Key>(c.context, as_bytes(in), record_bytes, 0, as_bytes(out), bits); };
    c.expect([=, &c] {
      const BufferSpan<Key> keys = c.buffer<Key>(c.n);
      const BufferSpan<u32> index = c.buffer<u32>(c.n);
      cuda::radix_sort_pairs(c.context.cuda_executor(), "check", c.n,
                             KeyOfRecord<Key>{in.data(), record_bytes / 4}, Index{}, keys.data(), index.data(),
                             bits);
      return gathered(c.context, in.data(), index, out.data(), record_bytes);
    });
    c.add_paper("paper_ms", paper_ms);
  };
}

struct Measured {
  u32 key_bytes, record_bytes, millions;
  double milliseconds;
};

/// Table 1: "Sorting large records".
constexpr Measured table_1[] = {
    {4, 32, 8, 270},   {4, 32, 16, 352},  {4, 32, 32, 733}, {4, 32, 48, 1102}, {4, 32, 64, 1488},
    {4, 64, 8, 182},   {4, 64, 16, 367},  {4, 64, 32, 752}, {4, 128, 8, 194},  {4, 128, 16, 373},
    {4, 256, 8, 196},  {6, 32, 8, 210},   {6, 32, 16, 460}, {6, 32, 32, 955},  {6, 32, 48, 1720},
    {6, 32, 64, 2650}, {6, 64, 8, 230},   {6, 64, 16, 473}, {6, 64, 32, 972},  {6, 128, 8, 244},
    {6, 128, 16, 489}, {6, 256, 8, 248},  {8, 32, 8, 251},  {8, 32, 16, 530},  {8, 32, 32, 1080},
    {8, 32, 48, 1980}, {8, 32, 64, 3124}, {8, 64, 8, 263},  {8, 64, 16, 540},  {8, 64, 32, 1190},
    {8, 128, 8, 278},  {8, 128, 16, 555}, {8, 256, 8, 281},
};

}  // namespace

void add_record_sort_papers(Rows& rows) {
  for (const Measured& m : table_1) {
    const std::string name = "patidar_2009/table_1/key_bytes:" + std::to_string(m.key_bytes) +
                             "/record_bytes:" + std::to_string(m.record_bytes);
    rows.add_on_stream(name, m.millions * million,
                       m.key_bytes == 4 ? records<u32>(m.record_bytes, m.key_bytes, m.milliseconds)
                                        : records<u64>(m.record_bytes, m.key_bytes, m.milliseconds));
  }
}

}  // namespace copse::bench
