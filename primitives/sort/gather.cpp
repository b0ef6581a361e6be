// The public functions that move records by index, and the one that inverts an index.

#include "primitives/gather.h"

#include "primitives/core/counted.h"
#include "primitives/core/dispatch.h"
#include "primitives/invert_index.h"
#include "primitives/sort/sort_arguments.h"

namespace copse {

namespace detail {

// The body: gather.inl, for either executor.
template <class Executor, class Id>
void gather_by_array(const Executor& ex, const void* in, u64 record_bytes, u64 record_count, const Id* indices,
                     u64 n, void* out);
template <class Executor, class Id>
void scatter_by_array(const Executor& ex, const void* in, u64 record_bytes, u64 record_count, const Id* indices,
                      u64 n, void* out);
template <class Executor>
void invert_indices(const Executor& ex, const u32* index, u64 n, u32* inverse, u64 inverse_count);

}  // namespace detail

namespace {

/// Checks the arguments. `by_index` has the records that the indices name, and `in_order` has those that are in
/// the order of the indices.
template <class Id>
void check(const char* name, BufferSpan<const std::byte> by_index, BufferSpan<const std::byte> in_order,
           u64 record_bytes, BufferSpan<const Id> indices, BufferSpan<std::byte> out) {
  detail::check_record_bytes(name, record_bytes);
  detail::check_whole_records(name, by_index.size(), record_bytes);
  if (in_order.size() % record_bytes != 0 || in_order.size() / record_bytes != indices.size()) {
    detail::refuse(name, detail::counted(in_order.size(), "bytes") + " for " +
                             detail::counted(indices.size(), "indices") + " of records of " +
                             detail::counted(record_bytes, "bytes"));
  }
  detail::check_apart(name, by_index, in_order);
  detail::check_apart(name, indices, out, "the output overlaps the indices");
}

template <class Id>
void run_gather(Context& context, BufferSpan<const std::byte> in, u64 record_bytes, BufferSpan<const Id> indices,
                BufferSpan<std::byte> out) {
  check<Id>("gather", in, out, record_bytes, indices, out);
  dispatch(context, [&](const auto& ex) {
    detail::gather_by_array(ex, in.data(), record_bytes, in.size() / record_bytes, indices.data(), indices.size(),
                            out.data());
  });
}

template <class Id>
void run_scatter(Context& context, BufferSpan<const std::byte> in, u64 record_bytes, BufferSpan<const Id> indices,
                 BufferSpan<std::byte> out) {
  check<Id>("scatter", out, in, record_bytes, indices, out);
  dispatch(context, [&](const auto& ex) {
    detail::scatter_by_array(ex, in.data(), record_bytes, out.size() / record_bytes, indices.data(),
                             indices.size(), out.data());
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

void invert_index(Context& context, BufferSpan<const u32> index, BufferSpan<u32> inverse) {
  constexpr const char* name = "invert index";
  detail::check_range(name, index.size(), "elements", 0, 0xffffffffu);
  detail::check_apart(name, index, inverse);
  dispatch(context, [&](const auto& ex) {
    detail::invert_indices(ex, index.data(), index.size(), inverse.data(), inverse.size());
  });
}

}  // namespace copse
