#include "primitives/gather.h"

#include <algorithm>
#include <numeric>
#include <random>

#include "primitives/core/bits.h"
#include "primitives/core/buffer.h"
#include "primitives/invert_index.h"
#include "tests/support/backends.h"
#include "tests/support/sizes.h"

namespace copse::test {

class Gather : public OnEachBackend {};
COPSE_ON_EACH_BACKEND(Gather);
class Scatter : public OnEachBackend {};
COPSE_ON_EACH_BACKEND(Scatter);
class InvertIndex : public OnEachBackend {};
COPSE_ON_EACH_BACKEND(InvertIndex);

using Bytes = std::vector<std::byte>;

Bytes random_records(u64 n, u32 seed) {
  std::mt19937 random(seed);
  Bytes bytes(n);
  for (std::byte& byte : bytes) byte = std::byte(random());
  return bytes;
}

template <class Id>
std::vector<Id> random_indices(u64 n, u64 limit, u32 seed) {
  std::mt19937_64 random(seed);
  std::vector<Id> indices(n);
  for (Id& id : indices) id = Id(random() % limit);
  return indices;
}

template <class Id>
std::vector<Id> random_permutation(u64 n, u32 seed) {
  std::vector<Id> indices(n);
  std::iota(indices.begin(), indices.end(), Id{0});
  std::shuffle(indices.begin(), indices.end(), std::mt19937_64(seed));
  return indices;
}

template <class Id>
Bytes slow_gather(const Bytes& in, u64 record_bytes, const std::vector<Id>& indices, Bytes out) {
  const u64 count = in.size() / record_bytes;
  for (size_t i = 0; i < indices.size(); ++i) {
    if (indices[i] >= count) continue;
    std::copy_n(&in[indices[i] * record_bytes], record_bytes, &out[i * record_bytes]);
  }
  return out;
}

template <class Id>
Bytes slow_scatter(const Bytes& in, u64 record_bytes, const std::vector<Id>& indices, Bytes out) {
  const u64 count = out.size() / record_bytes;
  for (size_t i = 0; i < indices.size(); ++i) {
    if (indices[i] >= count) continue;
    std::copy_n(&in[i * record_bytes], record_bytes, &out[indices[i] * record_bytes]);
  }
  return out;
}

/// Gathers n records of `record_bytes`. Both arrays begin `shift` bytes after an aligned address. Checks that
/// nothing around the arrays changes.
template <class Id>
void expect_gather(Context& context, u64 n, u64 record_count, u64 record_bytes, u64 shift, Id limit) {
  const Bytes in_host = random_records(record_count * record_bytes, 1);
  Bytes out_host = random_records(n * record_bytes + shift + 16, 2);
  const auto indices = random_indices<Id>(n, limit, 3);
  Bytes shifted_in(shift);
  shifted_in.insert(shifted_in.end(), in_host.begin(), in_host.end());
  const Buffer<std::byte> in(context, shifted_in);
  Buffer<std::byte> out(context, out_host);
  const Buffer<Id> index(context, indices);
  gather(context, in.span().subspan(shift, in_host.size()), record_bytes, index.span(),
         out.span().subspan(shift, n * record_bytes));

  const Bytes records(out_host.begin() + i64(shift), out_host.end() - 16);
  const Bytes expected = slow_gather(in_host, record_bytes, indices, records);
  std::copy(expected.begin(), expected.end(), out_host.begin() + i64(shift));
  EXPECT_EQ(out.download(), out_host) << n << " records of " << record_bytes << " bytes, shifted by " << shift;
}

template <class Id>
void expect_scatter(Context& context, u64 n, u64 record_count, u64 record_bytes, u64 shift) {
  const Bytes in_host = random_records(n * record_bytes, 1);
  Bytes out_host = random_records(record_count * record_bytes + shift + 16, 2);
  auto indices = random_permutation<Id>(larger(n, record_count), 3);
  indices.resize(n);
  Bytes shifted_in(shift);
  shifted_in.insert(shifted_in.end(), in_host.begin(), in_host.end());
  const Buffer<std::byte> in(context, shifted_in);
  Buffer<std::byte> out(context, out_host);
  const Buffer<Id> index(context, indices);
  scatter(context, in.span().subspan(shift, in_host.size()), record_bytes, index.span(),
          out.span().subspan(shift, record_count * record_bytes));

  const Bytes records(out_host.begin() + i64(shift), out_host.end() - 16);
  const Bytes expected = slow_scatter(in_host, record_bytes, indices, records);
  std::copy(expected.begin(), expected.end(), out_host.begin() + i64(shift));
  EXPECT_EQ(out.download(), out_host) << n << " records of " << record_bytes << " bytes, shifted by " << shift;
}

TEST_P(Gather, MovesRecordsOfEverySize) {
  for (u64 bytes = 1; bytes <= 256; ++bytes) expect_gather<u32>(context(), 150, 100, bytes, 0, 100);
  for (u64 bytes : {257, 1000, 4096, 65536}) expect_gather<u32>(context(), 35, 20, bytes, 0, 20);
}

TEST_P(Gather, EqualsSlowGatherAtTileBoundaries) {
  for (u64 n : boundary_sizes()) {
    expect_gather<u32>(context(), n, n / 2 + 1, 4, 0, u32(n / 2 + 1));
    expect_gather<u64>(context(), n, n / 2 + 1, 12, 0, n / 2 + 1);
  }
  for (u64 n : {0, 1, 31, 32, 33, 255, 256, 257, 2047, 2049}) {
    for (u64 bytes : {16, 32, 48, 64, 128}) expect_gather<u32>(context(), n, 1000, bytes, 0, 1000);
  }
}

TEST_P(Gather, TakesAnyAlignment) {
  for (u64 shift : {1, 2, 4, 6, 8, 12}) {
    for (u64 bytes : {1, 4, 8, 16, 20, 64, 128}) expect_gather<u32>(context(), 300, 200, bytes, shift, 200);
  }
}

TEST_P(Gather, LeavesRecordsOfIndicesPastTheEnd) {
  for (u64 bytes : {3, 4, 16, 128}) {
    expect_gather<u32>(context(), 1000, 50, bytes, 0, 100);
    expect_gather<u64>(context(), 1000, 50, bytes, 0, 100);
    expect_gather<u32>(context(), 100, 0, bytes, 0, 0xffffffffu);
    expect_gather<u64>(context(), 100, 7, bytes, 0, ~u64{0});
  }
}

TEST_P(Gather, RefusesWhatDoesNotFit) {
  Buffer<std::byte> in(context(), 64), out(context(), 64);
  Buffer<u32> index(context(), 4);
  EXPECT_COPSE_ERROR(gather(context(), in.span(), 0, index.span(), out.span()), ErrorCode::invalid_argument,
                     "65536");
  EXPECT_COPSE_ERROR(gather(context(), in.span(), 65537, index.span(), out.span()), ErrorCode::invalid_argument,
                     "65537");
  EXPECT_COPSE_ERROR(gather(context(), in.span(), 12, index.span(), out.span()), ErrorCode::invalid_argument,
                     "whole records");
  EXPECT_COPSE_ERROR(gather(context(), in.span(), 8, index.span(), out.span()), ErrorCode::invalid_argument,
                     "4 indices");
  EXPECT_COPSE_ERROR(gather(context(), in.span(), 16, index.span(), in.span()), ErrorCode::invalid_argument,
                     "overlaps the input");
  const BufferSpan<std::byte> same(reinterpret_cast<std::byte*>(index.data()), 16);
  EXPECT_COPSE_ERROR(gather(context(), in.span(), 4, index.span(), same), ErrorCode::invalid_argument,
                     "overlaps the indices");
}

TEST_P(Scatter, MovesRecordsOfEverySize) {
  for (u64 bytes = 1; bytes <= 256; ++bytes) expect_scatter<u32>(context(), 100, 150, bytes, 0);
  for (u64 bytes : {257, 1000, 4096, 65536}) expect_scatter<u64>(context(), 20, 35, bytes, 0);
}

TEST_P(Scatter, EqualsSlowScatterAtTileBoundaries) {
  for (u64 n : boundary_sizes()) {
    expect_scatter<u32>(context(), n, n, 4, 0);
    expect_scatter<u64>(context(), n, n + 10, 12, 0);
  }
  for (u64 n : {0, 1, 31, 32, 33, 255, 256, 257, 2047, 2049}) {
    for (u64 bytes : {16, 32, 48, 64, 128}) expect_scatter<u32>(context(), n, n, bytes, 0);
  }
}

TEST_P(Scatter, TakesAnyAlignment) {
  for (u64 shift : {1, 2, 4, 6, 8, 12}) {
    for (u64 bytes : {1, 4, 8, 16, 20, 64, 128}) expect_scatter<u32>(context(), 200, 300, bytes, shift);
  }
}

TEST_P(Scatter, DropsRecordsOfIndicesPastTheEnd) {
  for (u64 bytes : {3, 4, 16, 128}) {
    expect_scatter<u32>(context(), 1000, 400, bytes, 0);
    expect_scatter<u64>(context(), 1000, 400, bytes, 0);
    expect_scatter<u32>(context(), 100, 0, bytes, 0);
  }
}

TEST_P(Scatter, RefusesWhatDoesNotFit) {
  Buffer<std::byte> in(context(), 64), out(context(), 60);
  Buffer<u64> index(context(), 4);
  EXPECT_COPSE_ERROR(scatter(context(), in.span(), 16, index.span(), out.span()), ErrorCode::invalid_argument,
                     "60 bytes, no whole records");
  EXPECT_COPSE_ERROR(scatter(context(), in.span(), 4, index.span(), out.span()), ErrorCode::invalid_argument,
                     "64 bytes for 4 indices");
  EXPECT_COPSE_ERROR(scatter(context(), in.span(), 16, index.span(), in.span()), ErrorCode::invalid_argument,
                     "overlaps the input");
}

TEST_P(InvertIndex, TurnsGatherIndexIntoScatterIndexAndBack) {
  for (u64 n : boundary_sizes()) {
    const auto host = random_permutation<u32>(n, u32(n));
    const Buffer<u32> index(context(), host);
    Buffer<u32> inverse(context(), n), back(context(), n);
    invert_index(context(), index.span(), inverse.span());
    invert_index(context(), inverse.span(), back.span());
    const auto got = inverse.download();
    for (u64 i = 0; i < n; ++i) ASSERT_EQ(got[host[i]], i) << n;
    EXPECT_EQ(back.download(), host) << n;
  }
}

TEST_P(InvertIndex, MovesTheSameRecordsByScatterAsByGather) {
  const u64 n = 3000;
  const Buffer<u32> index(context(), random_permutation<u32>(n, 5));
  const Buffer<std::byte> in(context(), random_records(n * 32, 6));
  Buffer<u32> inverse(context(), n);
  Buffer<std::byte> gathered(context(), n * 32), scattered(context(), n * 32);
  invert_index(context(), index.span(), inverse.span());
  gather(context(), in.span(), 32, index.span(), gathered.span());
  scatter(context(), in.span(), 32, inverse.span(), scattered.span());
  EXPECT_EQ(gathered.download(), scattered.download());
}

TEST_P(InvertIndex, PassesOverIndicesPastTheEnd) {
  const std::vector<u32> host = {7, 2, invalid_id, 0, 4};
  const Buffer<u32> index(context(), host);
  Buffer<u32> inverse(context(), std::vector<u32>(4, 99));
  invert_index(context(), index.span(), inverse.span());
  EXPECT_EQ(inverse.download(), (std::vector<u32>{3, 99, 1, 99}));
}

TEST_P(InvertIndex, RefusesToWorkInPlace) {
  Buffer<u32> index(context(), 4);
  EXPECT_COPSE_ERROR(invert_index(context(), index.span(), index.span()), ErrorCode::invalid_argument, "overlaps");
}

TEST_P(Gather, LargeRecordsPastFourGigabytes) {
  if (context().backend() == Backend::cpu) GTEST_SKIP() << "the GPU has the memory";
  const u64 n = (u64{1} << 25) + 5, bytes = 128;
  Buffer<std::byte> in(context(), n * bytes), out(context(), n * bytes);
  std::vector<u32> indices(n);
  for (u64 i = 0; i < n; ++i) indices[i] = u32(n - 1 - i);
  const Buffer<u32> index(context(), indices);
  // Each record begins with its number.
  Buffer<u32> numbers(context(), n);
  {
    std::vector<u32> host(n);
    std::iota(host.begin(), host.end(), 0u);
    numbers.upload(host);
  }
  const BufferSpan<const std::byte> number_bytes(reinterpret_cast<const std::byte*>(numbers.data()), n * 4);
  std::vector<u64> places(n);
  for (u64 i = 0; i < n; ++i) places[i] = i * (bytes / 4);
  const Buffer<u64> place(context(), places);
  scatter(context(), number_bytes, 4, place.span(), in.span());
  gather(context(), in.span(), bytes, index.span(), out.span());
  Buffer<u32> back(context(), n);
  gather(context(), out.span(), 4, place.span(),
         BufferSpan<std::byte>(reinterpret_cast<std::byte*>(back.data()), n * 4));
  EXPECT_EQ(back.download(), indices);
}

}  // namespace copse::test
