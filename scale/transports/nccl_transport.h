#pragma once

#include <memory>
#include <span>

#include "primitives/core/buffer.h"
#include "scale/transport.h"
#include "scale/transports/nccl_rank.h"

namespace copse::detail {

/// As communicator_of_nccl, for a context of any backend: tests have a library that sends memory of the host.
Communicator make_nccl_communicator(Context& context, u32 rank, u32 size, const NcclId& id,
                                    const NcclOptions& options);
Communicator make_nccl_communicator(Context& context, Communicator ranks, const NcclOptions& options);

/// Sends what is in the memory of GPUs by NCCL, and all else by another communicator of the same ranks.
class NcclTransport final : public Transport {
 public:
  /// Joins the ranks of a communicator by NCCL. Collective.
  NcclTransport(Context& context, Communicator others, const NcclOptions& options);
  /// Takes ranks that have joined.
  NcclTransport(Backend backend, std::shared_ptr<NcclRank> nccl, Communicator others)
      : backend_(backend), nccl_(std::move(nccl)), others_(std::move(others)) {}

  u32 rank() const override { return others_.rank(); }
  u32 size() const override { return others_.size(); }
  bool reaches(const Context& context) const override { return context.backend() == backend_; }
  void check_group() override { others_.transport_->check_group(); }
  void all_gather(const void* mine, u64 bytes, void* all) override;
  void sum(u64* numbers, u64 count) override;
  void exchange(Context& context, std::span<const Outgoing> send, std::span<const Incoming> receive) override;
  void fail(const Error& error) noexcept override;

 private:
  /// Ends the group with an error of NCCL, for ranks that wait for this one by NCCL.
  template <class Call>
  void run(const Call& call);

  Backend backend_;
  std::shared_ptr<NcclRank> nccl_;
  Communicator others_;  // goes before NCCL, so that no rank waits for one that has left
};

/// Sends memory of the host by NCCL, through the memory of a GPU, for ranks that have nothing else.
class NcclHostTransport final : public Transport {
 public:
  NcclHostTransport(Context& context, u32 rank, u32 size, std::shared_ptr<NcclRank> nccl)
      : context_(context),
        rank_(rank),
        size_(size),
        nccl_(std::move(nccl)),
        staging_(context, 2 * size * piece_bytes) {}

  u32 rank() const override { return rank_; }
  u32 size() const override { return size_; }
  bool reaches(const Context& context) const override { return context.backend() == Backend::cpu; }
  void all_gather(const void* mine, u64 bytes, void* all) override;
  void sum(u64* numbers, u64 count) override;
  void exchange(Context& context, std::span<const Outgoing> send, std::span<const Incoming> receive) override;
  void fail(const Error& error) noexcept override { nccl_->end(error); }

 private:
  u8* sent(u32 other) { return staging_.data() + other * piece_bytes; }
  u8* received(u32 other) { return staging_.data() + (size_ + other) * piece_bytes; }

  static constexpr u64 piece_bytes = u64{1} << 18;

  Context& context_;
  u32 rank_, size_;
  std::shared_ptr<NcclRank> nccl_;
  Buffer<u8> staging_;  // two pieces per rank
};

}  // namespace copse::detail
