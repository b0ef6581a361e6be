// Ranks that send by NCCL. NCCL moves memory of GPUs alone and carries no errors. So each exchange begins and ends with an
// agreement of all ranks, by another communicator or by small calls of NCCL.

#include "scale/transports/nccl_transport.h"

#include <string>
#include <vector>

#include "primitives/core/bits.h"
#include "primitives/core/check.h"
#include "primitives/core/device.h"

namespace copse {

namespace detail {

namespace {

void check_nccl(const Context& context, const NcclOptions& options) {
  const char* const function = "communicator_of_nccl";
  constexpr double max_seconds = 1e6;
  if (!(options.deadline_seconds > 0 && options.deadline_seconds <= max_seconds))
    refuse(function, "deadline_seconds is " + std::to_string(options.deadline_seconds) +
                         "; it can be above 0 and up to 1000000");
  if (context.backend() != Backend::cuda)
    refuse(function, std::string("the context is of the backend ") + name_of(context.backend()) +
                         "; NCCL needs one of cuda");
}

}  // namespace

NcclTransport::NcclTransport(Context& context, Communicator others, const NcclOptions& options)
    : backend_(context.backend()), others_(std::move(others)) {
  NcclId id;
  others_.agree([&] {
    nccl_ = std::make_shared<NcclRank>(options, [this] { check_group(); });
    if (rank() == 0) id = new_nccl_id(options);
  });
  id = others_.all_gather(id)[0];
  others_.agree([&] { run([&] { nccl_->join(context, rank(), size(), id); }); });
}

template <class Call>
void NcclTransport::run(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    if (size() > 1) {
      others_.transport_->fail(Error(error.code(), "rank " + std::to_string(rank()) + ": " + error.what()));
    }
    throw;
  }
}

void NcclTransport::all_gather(const void* mine, u64 bytes, void* all) {
  others_.transport_->all_gather(mine, bytes, all);
}

void NcclTransport::sum(u64* numbers, u64 count) {
  others_.transport_->sum(numbers, count);
}

void NcclTransport::exchange(Context& context, std::span<const Outgoing> send, std::span<const Incoming> receive) {
  if (!reaches(context)) return others_.transport_->exchange(context, send, receive);
  others_.agree([&] { context.wait(); });
  others_.agree([&] { run([&] { nccl_->exchange(context, send, receive); }); });
}

void NcclTransport::fail(const Error& error) noexcept {
  others_.transport_->fail(error);
  nccl_->end(error);
}

void NcclHostTransport::all_gather(const void* mine, u64 bytes, void* all) {
  for (u64 begin = 0; begin < bytes; begin += piece_bytes) {
    const u64 count = smaller(piece_bytes, bytes - begin);
    context_.device().upload(sent(0), static_cast<const u8*>(mine) + begin, count);
    nccl_->all_gather(context_, sent(0), count, received(0));
    for (u32 r = 0; r < size_; ++r)
      context_.device().download(static_cast<u8*>(all) + r * bytes + begin, received(0) + r * count, count);
  }
}

void NcclHostTransport::sum(u64* numbers, u64 count) {
  constexpr u64 per_piece = piece_bytes / sizeof(u64);
  for (u64 begin = 0; begin < count; begin += per_piece) {
    const u64 some = smaller(per_piece, count - begin);
    context_.device().upload(sent(0), numbers + begin, some * sizeof(u64));
    nccl_->sum(context_, reinterpret_cast<u64*>(sent(0)), some);
    context_.device().download(numbers + begin, sent(0), some * sizeof(u64));
  }
}

/// In rounds of one piece for each pair of ranks. Both ranks of a pair know how many rounds it takes.
void NcclHostTransport::exchange(Context&, std::span<const Outgoing> send, std::span<const Incoming> receive) {
  u64 longest = 0;
  for (u32 r = 0; r < size_; ++r) longest = larger(longest, larger(send[r].bytes, receive[r].bytes));
  for (u64 begin = 0; begin < longest; begin += piece_bytes) {
    std::vector<Outgoing> outgoing(size_);
    std::vector<Incoming> incoming(size_);
    const auto bytes_of = [&](u64 all) { return begin < all ? smaller(piece_bytes, all - begin) : 0; };
    for (u32 r = 0; r < size_; ++r) {
      outgoing[r] = {sent(r), bytes_of(send[r].bytes)};
      incoming[r] = {received(r), bytes_of(receive[r].bytes)};
      if (outgoing[r].bytes > 0)
        context_.device().upload(sent(r), static_cast<const u8*>(send[r].data) + begin, outgoing[r].bytes);
    }
    nccl_->exchange(context_, outgoing, incoming);
    for (u32 r = 0; r < size_; ++r) {
      if (incoming[r].bytes > 0)
        context_.device().download(static_cast<u8*>(receive[r].data) + begin, received(r), incoming[r].bytes);
    }
  }
}

Communicator make_nccl_communicator(Context& context, u32 rank, u32 size, const NcclId& id,
                                    const NcclOptions& options) {
  auto nccl = std::make_shared<NcclRank>(options, [] {});
  nccl->join(context, rank, size, id);
  Communicator others(std::make_unique<NcclHostTransport>(context, rank, size, nccl));
  return Communicator(std::make_unique<NcclTransport>(context.backend(), std::move(nccl), std::move(others)));
}

Communicator make_nccl_communicator(Context& context, Communicator ranks, const NcclOptions& options) {
  return Communicator(std::make_unique<NcclTransport>(context, std::move(ranks), options));
}

}  // namespace detail

NcclId new_nccl_id(const NcclOptions& options) {
  const detail::NcclLibrary library(options.library);
  NcclId id;
  library.check(library.get_unique_id(&id), "ncclGetUniqueId", nullptr);
  return id;
}

Communicator communicator_of_nccl(Context& context, u32 rank, u32 size, const NcclId& id,
                                  const NcclOptions& options) {
  if (rank >= size)
    detail::refuse("communicator_of_nccl",
                   "rank " + std::to_string(rank) + " of " + detail::counted(size, "ranks") + ", counted from 0");
  detail::check_nccl(context, options);
  return detail::make_nccl_communicator(context, rank, size, id, options);
}

Communicator communicator_of_nccl(Context& context, Communicator ranks, const NcclOptions& options) {
  ranks.agree([&] { detail::check_nccl(context, options); });
  return detail::make_nccl_communicator(context, std::move(ranks), options);
}

}  // namespace copse
