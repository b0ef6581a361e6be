#include "primitives/split.h"

#include "primitives/core/counted.h"
#include "primitives/core/dispatch.h"
#include "primitives/sort/sort_arguments.h"

namespace copse {

namespace detail {

// The body: split.inl, for either executor.
template <class Executor>
void split_values(const Executor& ex, u64 n, const u32* buckets, u32 bucket_count, const u32* in, u32* out,
                  u64* offsets);
template <class Executor>
void split_indices(const Executor& ex, u64 n, const u32* buckets, u32 bucket_count, u32* out, u64* offsets);
template <class Executor>
void split_whole_records(const Executor& ex, u64 n, const u32* buckets, u32 bucket_count, const std::byte* in,
                         u64 record_bytes, std::byte* out, u64* offsets);

}  // namespace detail

namespace {

constexpr const char* split_name = "split";

void check_buckets(u32 bucket_count, BufferSpan<u64> offsets) {
  detail::check_range(split_name, bucket_count, "buckets", 1, max_split_buckets);
  if (!offsets.empty() && offsets.size() != u64{bucket_count} + 1) {
    detail::refuse(split_name, detail::counted(offsets.size(), "offsets") + " for " +
                                   std::to_string(bucket_count) +
                                   " buckets; there can be none, or one more than there are buckets");
  }
}

void check_count(u64 count, u64 expected, const char* things) {
  detail::check_one_each(split_name, count, things, expected, "buckets given");
}

u64* data_or_null(BufferSpan<u64> offsets) {
  return offsets.empty() ? nullptr : offsets.data();
}

}  // namespace

void split(Context& context, BufferSpan<const u32> buckets, u32 bucket_count, BufferSpan<const u32> values_in,
           BufferSpan<u32> values_out, BufferSpan<u64> offsets) {
  check_buckets(bucket_count, offsets);
  check_count(values_in.size(), buckets.size(), "values");
  check_count(values_out.size(), buckets.size(), "output values");
  detail::check_apart(split_name, values_in, values_out);
  detail::check_apart(split_name, buckets, values_out);
  dispatch(context, [&](const auto& ex) {
    detail::split_values(ex, buckets.size(), buckets.data(), bucket_count, values_in.data(), values_out.data(),
                         data_or_null(offsets));
  });
}

void split_index(Context& context, BufferSpan<const u32> buckets, u32 bucket_count, BufferSpan<u32> indices_out,
                 BufferSpan<u64> offsets) {
  check_buckets(bucket_count, offsets);
  check_count(indices_out.size(), buckets.size(), "indices");
  detail::check_index_count(split_name, "elements", buckets.size());
  detail::check_apart(split_name, buckets, indices_out);
  dispatch(context, [&](const auto& ex) {
    detail::split_indices(ex, buckets.size(), buckets.data(), bucket_count, indices_out.data(),
                          data_or_null(offsets));
  });
}

void split_records(Context& context, BufferSpan<const u32> buckets, u32 bucket_count,
                   BufferSpan<const std::byte> records_in, u64 record_bytes, BufferSpan<std::byte> records_out,
                   BufferSpan<u64> offsets) {
  check_buckets(bucket_count, offsets);
  detail::check_record_bytes(split_name, record_bytes);
  detail::check_index_count(split_name, "records", buckets.size());
  detail::check_whole_records(split_name, records_in.size(), record_bytes);
  detail::check_whole_records(split_name, records_out.size(), record_bytes);
  check_count(records_in.size() / record_bytes, buckets.size(), "records");
  check_count(records_out.size() / record_bytes, buckets.size(), "output records");
  detail::check_apart(split_name, records_in, records_out);
  detail::check_apart(split_name, buckets, records_out);
  dispatch(context, [&](const auto& ex) {
    detail::split_whole_records(ex, buckets.size(), buckets.data(), bucket_count, records_in.data(), record_bytes,
                                records_out.data(), data_or_null(offsets));
  });
}

}  // namespace copse
