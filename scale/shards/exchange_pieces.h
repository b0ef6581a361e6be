#pragma once

// An exchange of elements between ranks. A rank does not send itself what it keeps: it stores that where it belongs.

#include <vector>

#include "primitives/core/buffer.h"
#include "scale/communicator.h"

namespace copse::detail {

/// Where the piece of each rank begins in an array, and where the last one ends: [rank + 1].
using PieceBegins = std::vector<u64>;

inline u64 piece_size(const PieceBegins& begins, u32 rank) {
  return begins[rank + 1] - begins[rank];
}

/// Returns the begins in an array from which the piece of a rank is taken out.
inline PieceBegins without_piece(PieceBegins begins, u32 rank) {
  const u64 size = piece_size(begins, rank);
  for (size_t other = rank + 1; other < begins.size(); ++other) begins[other] -= size;
  return begins;
}

/// Calls work(begin, end, place) for what is before a rank's piece, and for what is behind it, where there is something.
///   place: where that begins in an array without the piece
template <class Work>
void around_piece(const PieceBegins& begins, u32 rank, const Work& work) {
  if (begins[rank] > 0) work(u64{0}, begins[rank], u64{0});
  if (begins.back() > begins[rank + 1]) work(begins[rank + 1], begins.back(), begins[rank]);
}

/// Sends a piece to each other rank, and receives one from each. Collective.
template <class T>
void exchange_pieces(Communicator& comm, Context& context, const Buffer<T>& send, const PieceBegins& send_begins,
                     Buffer<T>& receive, const PieceBegins& receive_begins) {
  std::vector<Outgoing> outgoing(comm.size());
  std::vector<Incoming> incoming(comm.size());
  for (u32 other = 0; other < comm.size(); ++other) {
    if (other == comm.rank()) continue;
    outgoing[other] = {send.data() + send_begins[other], piece_size(send_begins, other) * sizeof(T)};
    incoming[other] = {receive.data() + receive_begins[other], piece_size(receive_begins, other) * sizeof(T)};
  }
  comm.exchange(context, outgoing, incoming);
}

}  // namespace copse::detail
