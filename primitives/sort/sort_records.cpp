#include "primitives/sort_records.h"

#include "primitives/core/counted.h"
#include "primitives/core/dispatch.h"
#include "primitives/sort/sort_arguments.h"

namespace copse {

namespace detail {

// The body: sort_records.inl, for either executor.
template <class Executor, class Bits>
void sort_whole_records(const Executor& ex, const std::byte* in, u64 count, u64 record_bytes, u64 key_offset,
                        std::byte* out, BitRange bits, const KeyEncoding<Bits>& encoding);

}  // namespace detail

namespace {

constexpr const char* sort_records_name = "sort records";

template <class Key>
void check(BufferSpan<const std::byte> in, u64 record_bytes, u64 key_offset, BufferSpan<std::byte> out,
           BitRange bits) {
  detail::check_record_bytes(sort_records_name, record_bytes);
  if (key_offset > record_bytes || record_bytes - key_offset < sizeof(Key)) {
    detail::refuse(sort_records_name, "a key of " + detail::counted(sizeof(Key), "bytes") + " at byte " +
                                          std::to_string(key_offset) + " does not fit in records of size " +
                                          std::to_string(record_bytes));
  }
  detail::check_whole_records(sort_records_name, in.size(), record_bytes);
  detail::check_sort_output(sort_records_name, "bytes", in, out, detail::InPlace::refused);
  detail::check_index_count(sort_records_name, "records", in.size() / record_bytes);
  detail::check_key_bits<Key>(sort_records_name, bits);
}

}  // namespace

template <class Key>
void sort_records(Context& context, BufferSpan<const std::byte> records_in, u64 record_bytes, u64 key_offset,
                  BufferSpan<std::byte> records_out, BitRange bits, SortOrder order) {
  check<Key>(records_in, record_bytes, key_offset, records_out, bits);
  if (records_in.empty()) return;
  dispatch(context, [&](const auto& ex) {
    detail::sort_whole_records(ex, records_in.data(), records_in.size() / record_bytes, record_bytes, key_offset,
                               records_out.data(), bits, encoding_of<Key>(order));
  });
}

#define COPSE_SORT_RECORDS(Key)                                                              \
  template COPSE_API void sort_records<Key>(Context&, BufferSpan<const std::byte>, u64, u64, \
                                            BufferSpan<std::byte>, BitRange, SortOrder);
COPSE_SORT_RECORDS(u32)
COPSE_SORT_RECORDS(u64)
COPSE_SORT_RECORDS(i32)
COPSE_SORT_RECORDS(i64)
COPSE_SORT_RECORDS(float)
COPSE_SORT_RECORDS(double)
#undef COPSE_SORT_RECORDS

}  // namespace copse
