// The data-parallel steps.

#include "copse/primitives.h"
#include "tests/support/values.h"
#include "tests/trust/calls.h"

namespace copse::test {

namespace {

constexpr u64 n = 5000;  // more than a tile, so that look-back and several levels run

/// Arrays of n values, and room for results.
struct Arrays {
  explicit Arrays(Context& c)
      : values(c, random_values<u32>(n, 1)),
        small(c, reduced(random_values<u32>(n, 2), 50)),
        indices(c, numbers(n)),
        flags(c, reduced(random_values<u8>(n, 3), 2)),
        text(c, reduced(random_values<u8>(n, 4), 4)),
        out(c, std::vector<u32>(n)),
        more(c, std::vector<u32>(n)),
        bytes(c, std::vector<u8>(n)),
        words(c, std::vector<u64>(n + 1)),
        count(c, std::vector<u64>(1)) {}

  template <class T>
  static std::vector<T> reduced(std::vector<T> values, u32 below) {
    for (T& value : values) value = T(value % below);
    return values;
  }

  Buffer<u32> values, small, indices;
  Buffer<u8> flags, text;
  Buffer<u32> out, more;
  Buffer<u8> bytes;
  Buffer<u64> words, count;
};

/// A row: run(Context&, Arrays&).
template <class RunCall>
Call arrays_call(const char* name, RunCall run) {
  return {name, [run](Context& context) -> Run {
            auto arrays = std::make_shared<Arrays>(context);
            return [arrays, run](Context& c) -> Bytes { return run(c, *arrays); };
          }};
}

template <class T>
BufferSpan<const std::byte> as_bytes(const Buffer<T>& buffer) {
  return {reinterpret_cast<const std::byte*>(buffer.data()), buffer.size_bytes()};
}
template <class T>
BufferSpan<std::byte> as_bytes(Buffer<T>& buffer) {
  return {reinterpret_cast<std::byte*>(buffer.data()), buffer.size_bytes()};
}

std::vector<Call> scan_calls() {
  return {
      arrays_call("reduce_sum",
                  [](Context& c, Arrays& a) {
                    reduce_sum<u32>(c, a.values.span(), a.out.span().first(1));
                    return bytes_of(a.out);
                  }),
      arrays_call("inclusive_scan",
                  [](Context& c, Arrays& a) {
                    inclusive_scan<u32>(c, a.values.span(), a.out.span());
                    return bytes_of(a.out);
                  }),
      arrays_call("segmented_inclusive_scan",
                  [](Context& c, Arrays& a) {
                    segmented_inclusive_scan<u32>(c, a.values.span(), std::as_const(a.flags).span(), a.out.span());
                    return bytes_of(a.out);
                  }),
      arrays_call("count_flags",
                  [](Context& c, Arrays& a) {
                    count_flags(c, std::as_const(a.flags).span(), a.count.span());
                    return bytes_of(a.count);
                  }),
      arrays_call("histogram",
                  [](Context& c, Arrays& a) {
                    histogram<u32>(c, a.small.span(), {}, a.words.span().first(50));
                    return bytes_of(a.words);
                  }),
      arrays_call("list_rank",
                  [](Context& c, Arrays& a) {
                    std::vector<u32> next = numbers(n, 1);
                    next.back() = invalid_id;
                    a.more.upload(next);
                    list_rank(c, std::as_const(a.more).span(), 0, a.out.span());
                    return bytes_of(a.out);
                  }),
      arrays_call("summed_area_table",
                  [](Context& c, Arrays& a) {
                    summed_area_table<u32>(c, 100, n / 100, a.values.span(), a.out.span());
                    return bytes_of(a.out);
                  }),
  };
}

std::vector<Call> selection_calls() {
  return {
      arrays_call("compact_indices",
                  [](Context& c, Arrays& a) {
                    compact_indices(c, std::as_const(a.flags).span(), a.out.span(), a.count.span());
                    return bytes_of(a.out, a.count);
                  }),
      arrays_call("partition",
                  [](Context& c, Arrays& a) {
                    partition<u32>(c, a.values.span(), std::as_const(a.flags).span(), a.out.span(),
                                   a.count.span());
                    return bytes_of(a.out, a.count);
                  }),
      arrays_call("expand",
                  [](Context& c, Arrays& a) {
                    a.more.upload(std::vector<u32>(n, 1));
                    expand(c, std::as_const(a.more).span(), a.words.span().first(n), a.out.span(), a.count.span());
                    return bytes_of(a.out, a.words, a.count);
                  }),
      arrays_call("unique and run_length_encode",
                  [](Context& c, Arrays& a) {
                    unique<u32>(c, a.small.span(), a.out.span(), a.count.span());
                    run_length_encode<u32>(c, a.small.span(), a.out.span(), a.more.span(), a.count.span());
                    return bytes_of(a.out, a.more, a.count);
                  }),
  };
}

std::vector<Call> sort_calls() {
  return {
      arrays_call("radix_sort_pairs",
                  [](Context& c, Arrays& a) {
                    radix_sort_pairs<u32>(c, a.values.span(), std::as_const(a.indices).span(), a.out.span(),
                                          a.more.span());
                    return bytes_of(a.out, a.more);
                  }),
      arrays_call("merge_sort_keys",
                  [](Context& c, Arrays& a) {
                    merge_sort_keys<u32>(c, a.values.span(), a.out.span());
                    return bytes_of(a.out);
                  }),
      arrays_call("sample_sort_keys",
                  [](Context& c, Arrays& a) {
                    sample_sort_keys<u32>(c, a.values.span(), a.out.span());
                    return bytes_of(a.out);
                  }),
      arrays_call("sort_records",
                  [](Context& c, Arrays& a) {
                    sort_records<u32>(c, as_bytes(std::as_const(a.values)), 8, 4, as_bytes(a.out));
                    return bytes_of(a.out);
                  }),
      arrays_call("split",
                  [](Context& c, Arrays& a) {
                    split(c, std::as_const(a.small).span(), 50, std::as_const(a.values).span(), a.out.span(),
                          a.words.span().first(51));
                    return bytes_of(a.out);
                  }),
      arrays_call("gather and invert_index",
                  [](Context& c, Arrays& a) {
                    gather(c, as_bytes(std::as_const(a.values)), 4, std::as_const(a.indices).span(),
                           as_bytes(a.out));
                    invert_index(c, std::as_const(a.indices).span(), a.more.span());
                    return bytes_of(a.out, a.more);
                  }),
  };
}

std::vector<Call> text_and_table_calls() {
  return {
      arrays_call("suffix_array and lcp_array",
                  [](Context& c, Arrays& a) {
                    suffix_array(c, std::as_const(a.text).span(), a.out.span());
                    lcp_array(c, std::as_const(a.text).span(), std::as_const(a.out).span(), a.more.span());
                    return bytes_of(a.out, a.more);
                  }),
      arrays_call("bwt and inverse_bwt",
                  [](Context& c, Arrays& a) {
                    Buffer<u8> back(c, n);
                    suffix_array(c, std::as_const(a.text).span(), a.out.span());
                    bwt(c, std::as_const(a.text).span(), std::as_const(a.out).span(), a.bytes.span(),
                        a.more.span().first(1));
                    inverse_bwt(c, std::as_const(a.bytes).span(), a.more.download(1)[0], back.span());
                    return bytes_of(a.bytes, back);
                  }),
      arrays_call("a hash map",
                  [](Context& c, Arrays& a) {
                    HashMap<u32, u32> map(c, 2 * n);
                    insert(c, map, std::as_const(a.values).span(), std::as_const(a.indices).span());
                    const HashMap<u32, u32> larger = rehashed(c, map, 4 * n);
                    find(c, larger, std::as_const(a.values).span(), a.out.span(), a.bytes.span());
                    Bytes bytes = bytes_of(a.out, a.bytes);
                    append(bytes, std::vector<u64>{size(c, larger)});
                    return bytes;
                  }),
      arrays_call("a hash set that grows",
                  [](Context& c, Arrays& a) {
                    GrowingHashSet<u32> set(c, 16);
                    set.insert(c, std::as_const(a.values).span());
                    contains(c, set.table(), std::as_const(a.values).span(), a.bytes.span());
                    return bytes_of(a.bytes);
                  }),
      arrays_call("queues, lists and pools",
                  [](Context& c, Arrays&) {
                    const Queue<u32> queue(c, 100);
                    const DoubleQueue<u32> both(c, 100);
                    const TaskQueue<u32> tasks(c, 100);
                    const FreeList list(c, 100);
                    const ScratchPool pool(c, 8, 64);
                    Bytes bytes;
                    append(bytes, std::vector<u64>{queue.size(), both.sizes().front, tasks.capacity(),
                                                   list.report().held_count, pool.slot_count()});
                    return bytes;
                  }),
  };
}

}  // namespace

std::vector<Call> primitive_calls() {
  std::vector<Call> calls;
  for (const auto& table : {scan_calls(), selection_calls(), sort_calls(), text_and_table_calls()}) {
    calls.insert(calls.end(), table.begin(), table.end());
  }
  return calls;
}

}  // namespace copse::test
