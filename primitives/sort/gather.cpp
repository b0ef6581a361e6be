#include "primitives/gather.h"

#include <string>

#include "primitives/core/check.h"
#include "primitives/core/dispatch.h"
#include "primitives/sort/gather_body.h"
#include "primitives/sort/record_arguments.h"

namespace copse {

namespace {

[[noreturn]] void refuse(const char* name, const std::string& why) {
  throw Error(ErrorCode::invalid_argument, name + std::string(": ") + why);
}

/// `by_index`: the records that the indices name; `in_order`: those that stand in their order.
template <class Id>
void check(const char* name, BufferSpan<const std::byte> by_index, BufferSpan<const std::byte> in_order,
           u64 record_bytes, BufferSpan<const Id> indices, BufferSpan<std::byte> out) {
  check_record_bytes(name, record_bytes);
  check_whole_records(name, by_index.size(), record_bytes);
  if (in_order.size() % record_bytes != 0 || in_order.size() / record_bytes != indices.size()) {
    refuse(name, std::to_string(in_order.size()) + " bytes for " + std::to_string(indices.size()) +
                     " indices of records of " + std::to_string(record_bytes) + " bytes");
  }
  if (overlap(by_index, in_order)) refuse(name, "the output overlaps the input");
  if (overlap(indices, out)) refuse(name, "the output overlaps the indices");
}

template <class Id>
void run_gather(Context& context, BufferSpan<const std::byte> in, u64 record_bytes, BufferSpan<const Id> indices,
                BufferSpan<std::byte> out) {
  check<Id>("gather", in, out, record_bytes, indices, out);
  const detail::IndicesBelow<Id> index{indices.data(), in.size() / record_bytes};
  dispatch(context, [&](const auto& ex) {
    detail::gather_by_array(ex, in.data(), record_bytes, index, indices.size(), out.data());
  });
}

template <class Id>
void run_scatter(Context& context, BufferSpan<const std::byte> in, u64 record_bytes, BufferSpan<const Id> indices,
                 BufferSpan<std::byte> out) {
  check<Id>("scatter", out, in, record_bytes, indices, out);
  const detail::IndicesBelow<Id> index{indices.data(), out.size() / record_bytes};
  dispatch(context, [&](const auto& ex) {
    detail::scatter_by_array(ex, in.data(), record_bytes, index, indices.size(), out.data());
  });
}

}  // namespace

void gather(Context& context, BufferSpan<const std::byte> in, u64 record_bytes, BufferSpan<const u32> indices,
            BufferSpan<std::byte> out) {
  run_gather(context, in, record_bytes, indices, out);
}

void gather(Context& context, BufferSpan<const std::byte> in, u64 record_bytes, BufferSpan<const u64> indices,
            BufferSpan<std::byte> out) {
  run_gather(context, in, record_bytes, indices, out);
}

void scatter(Context& context, BufferSpan<const std::byte> in, u64 record_bytes, BufferSpan<const u32> indices,
             BufferSpan<std::byte> out) {
  run_scatter(context, in, record_bytes, indices, out);
}

void scatter(Context& context, BufferSpan<const std::byte> in, u64 record_bytes, BufferSpan<const u64> indices,
             BufferSpan<std::byte> out) {
  run_scatter(context, in, record_bytes, indices, out);
}

}  // namespace copse
