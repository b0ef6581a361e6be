#pragma once

#include <span>
#include <vector>

#include "primitives/core/buffer.h"
#include "scale/communicator.h"

namespace copse::detail {

/// The lists of all ranks, one after another.
template <class T>
struct ListsOfRanks {
  std::vector<T> elements;
  std::vector<u64> begins;  // [rank], and the end

  std::span<const T> of(u32 rank) const {
    return std::span(elements).subspan(begins[rank], begins[rank + 1] - begins[rank]);
  }
};

/// Returns the lists of all ranks on every rank. Collective.
///   mine: at least `count` elements in the memory of `context`
template <class T>
ListsOfRanks<T> gather_lists(Communicator& comm, Context& context, const Buffer<T>& mine, u64 count) {
  ListsOfRanks<T> lists{{}, {0}};
  for (const u64 of_rank : comm.all_gather(count)) lists.begins.push_back(lists.begins.back() + of_rank);
  Buffer<T> all;
  comm.agree([&] { all = Buffer<T>(context, lists.begins.back()); });
  const std::vector<Outgoing> outgoing(comm.size(), {mine.data(), count * sizeof(T)});
  std::vector<Incoming> incoming;
  for (u32 rank = 0; rank < comm.size(); ++rank) {
    incoming.push_back(
        {all.data() + lists.begins[rank], (lists.begins[rank + 1] - lists.begins[rank]) * sizeof(T)});
  }
  comm.exchange(context, outgoing, incoming);
  comm.agree([&] { lists.elements = all.download(); });
  return lists;
}

}  // namespace copse::detail
