#include "primitives/split.h"

#include <string>

#include "primitives/core/check.h"
#include "primitives/core/dispatch.h"
#include "primitives/sort/record_arguments.h"
#include "primitives/sort/split_body.h"

namespace copse {

namespace {

constexpr const char* name = "split";

[[noreturn]] void refuse(const std::string& what) {
  throw Error(ErrorCode::invalid_argument, std::string(name) + ": " + what);
}

void check_buckets(u32 bucket_count, BufferSpan<u64> offsets) {
  if (bucket_count == 0 || bucket_count > max_split_buckets) {
    refuse(std::to_string(bucket_count) + " buckets, 1 to " + std::to_string(max_split_buckets) + " are possible");
  }
  if (!offsets.empty() && offsets.size() != u64{bucket_count} + 1) {
    refuse(std::to_string(offsets.size()) + " offsets for " + std::to_string(bucket_count) +
           " buckets, that takes none or one more than buckets");
  }
}

void check_count(u64 count, u64 expected, const char* what) {
  if (count != expected) {
    refuse(std::to_string(count) + " " + what + " for " + std::to_string(expected) + " buckets given");
  }
}

template <class T, class U>
void check_apart(BufferSpan<T> in, BufferSpan<U> out) {
  if (overlap(in, out)) refuse("the output overlaps the input");
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
  check_apart(values_in, values_out);
  check_apart(buckets, values_out);
  dispatch(context, [&](const auto& ex) {
    detail::split_values(ex, buckets.size(), buckets.data(), bucket_count, values_in.data(), values_out.data(),
                         data_or_null(offsets));
  });
}

void split_index(Context& context, BufferSpan<const u32> buckets, u32 bucket_count, BufferSpan<u32> indices_out,
                 BufferSpan<u64> offsets) {
  check_buckets(bucket_count, offsets);
  check_count(indices_out.size(), buckets.size(), "indices");
  check_index_count(name, "elements", buckets.size());
  check_apart(buckets, indices_out);
  dispatch(context, [&](const auto& ex) {
    detail::split_indices(ex, buckets.size(), buckets.data(), bucket_count, indices_out.data(),
                          data_or_null(offsets));
  });
}

void split_records(Context& context, BufferSpan<const u32> buckets, u32 bucket_count,
                   BufferSpan<const std::byte> records_in, u64 record_bytes, BufferSpan<std::byte> records_out,
                   BufferSpan<u64> offsets) {
  check_buckets(bucket_count, offsets);
  check_record_bytes(name, record_bytes);
  check_index_count(name, "records", buckets.size());
  check_whole_records(name, records_in.size(), record_bytes);
  check_whole_records(name, records_out.size(), record_bytes);
  check_count(records_in.size() / record_bytes, buckets.size(), "records");
  check_count(records_out.size() / record_bytes, buckets.size(), "output records");
  check_apart(records_in, records_out);
  check_apart(buckets, records_out);
  dispatch(context, [&](const auto& ex) {
    detail::split_whole_records(ex, buckets.size(), buckets.data(), bucket_count, records_in.data(), record_bytes,
                                records_out.data(), data_or_null(offsets));
  });
}

}  // namespace copse
