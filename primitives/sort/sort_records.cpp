#include "primitives/sort_records.h"

#include <string>

#include "primitives/core/check.h"
#include "primitives/core/dispatch.h"
#include "primitives/sort/record_arguments.h"
#include "primitives/sort/sort_records_body.h"

namespace copse {

namespace {

constexpr const char* name = "sort records";

[[noreturn]] void refuse(const std::string& what) {
  throw Error(ErrorCode::invalid_argument, std::string(name) + ": " + what);
}

template <class Key>
void check(BufferSpan<const std::byte> in, u64 record_bytes, u64 key_offset, BufferSpan<std::byte> out,
           BitRange bits) {
  check_record_bytes(name, record_bytes);
  if (key_offset > record_bytes || record_bytes - key_offset < sizeof(Key)) {
    refuse("a key of " + std::to_string(sizeof(Key)) + " bytes at byte " + std::to_string(key_offset) +
           " of records of " + std::to_string(record_bytes));
  }
  check_whole_records(name, in.size(), record_bytes);
  if (in.size() != out.size()) {
    refuse("the output has " + std::to_string(out.size()) + " bytes, the input " + std::to_string(in.size()));
  }
  check_index_count(name, "records", in.size() / record_bytes);
  if (overlap(in, out)) refuse("the output overlaps the input");
  if (bits.begin > bits.end || bits.end > all_bits<Key>.end) {
    refuse("bits " + std::to_string(bits.begin) + " to " + std::to_string(bits.end) + " of a key of " +
           std::to_string(all_bits<Key>.end) + " bits");
  }
}

}  // namespace

template <class Key>
void sort_records(Context& context, BufferSpan<const std::byte> records_in, u64 record_bytes, u64 key_offset,
                  BufferSpan<std::byte> records_out, BitRange bits, SortOrder order) {
  check<Key>(records_in, record_bytes, key_offset, records_out, bits);
  if (records_in.empty()) return;
  dispatch(context, [&](const auto& ex) {
    const detail::RecordArray in{records_in.data(), records_in.size() / record_bytes, record_bytes, key_offset};
    detail::sort_whole_records(ex, in, records_out.data(), bits, encoding_of<Key>(order));
  });
}

#define COPSE_SORT_RECORDS(Key)                                                                           \
  template void sort_records<Key>(Context&, BufferSpan<const std::byte>, u64, u64, BufferSpan<std::byte>, \
                                  BitRange, SortOrder);
COPSE_SORT_RECORDS(u32)
COPSE_SORT_RECORDS(u64)
COPSE_SORT_RECORDS(i32)
COPSE_SORT_RECORDS(i64)
COPSE_SORT_RECORDS(float)
COPSE_SORT_RECORDS(double)
#undef COPSE_SORT_RECORDS

}  // namespace copse
