#include "scale/waves/ray_waves.h"

#include <string>

#include "accel/accel_rays.h"
#include "primitives/core/backend_check.h"
#include "primitives/core/check.h"
#include "primitives/core/dispatch.h"
#include "scale/shards/sharded_accel_access.h"
#include "trace/batch/check.h"

namespace copse {

namespace detail {

// The body: wave_steps.inl, for either executor.
template <class Executor>
void begin_wave_rays(const Executor& ex, const Ray* rays, u64 n, u32 rank, ForwardedRay* live);
template <class Executor>
void route_wave_rays(const Executor& ex, const ForwardedRay* live, u64 n, const SpineView& spine, u32* to);
template <class Executor>
void split_by_rank(const Executor& ex, const u32* to, u64 n, u32 rank_count, u32* ids, u64* begins);
template <class Executor>
void move_wave_rays(const Executor& ex, const ForwardedRay* live, const u32* ids, u64 count, ForwardedRay* out);
template <class Executor>
void take_wave_rays(const Executor& ex, const ForwardedRay* live, u64 n, Ray* rays);
template <class Executor>
void begin_closest(const Executor& ex, const Ray* rays, u64 n, Hit* hits, u32* primitives);
template <class Executor>
void note_closest(const Executor& ex, const ShortHit* found, u64 n, u32 rank, u32 rank_count, ForwardedRay* live,
                  u32* reply_to);
template <class Executor>
void pack_closest(const Executor& ex, BufferSpan<const PackedTriangle> triangles, const ForwardedRay* live,
                  const Ray* rays, const ShortHit* found, const u32* ids, u64 count, FoundHit* replies);
template <class Executor>
void keep_closest(const Executor& ex, const FoundHit* replies, u64 count, Hit* hits, u32* primitives);
template <class Executor>
void begin_any(const Executor& ex, u64 n, u8* occluded);
template <class Executor>
void note_any(const Executor& ex, const u8* found, u64 n, u32 rank, u32 rank_count, ForwardedRay* live,
              u32* reply_to);
template <class Executor>
void pack_any(const Executor& ex, const ForwardedRay* live, const u32* ids, u64 count, u32* replies);
template <class Executor>
void keep_any(const Executor& ex, const u32* replies, u64 count, u8* occluded);

template <class Reply>
void RayWaves::run(BufferSpan<const Ray> rays, WaveQuery<Reply>& query) {
  Buffer<ForwardedRay> live;
  comm_.agree([&] { live = begin(rays); });
  while (true) {
    SplitByRank next;
    Buffer<ForwardedRay> sorted;
    comm_.agree([&] {
      next = route(live);
      sorted = Buffer<ForwardedRay>(context_, next.begins.back());
      dispatch(context_, [&](const auto& ex) {
        move_wave_rays(ex, live.data(), next.ids.data(), sorted.size(), sorted.data());
      });
    });
    u64 ray_count = 0;
    live = send(sorted, next.begins, ray_count);
    if (ray_count == 0) return;
    SplitByRank back;
    Buffer<Reply> replies;
    comm_.agree([&] {
      Buffer<Ray> traced(context_, live.size());
      Buffer<u32> reply_to(context_, live.size());
      dispatch(context_, [&](const auto& ex) { take_wave_rays(ex, live.data(), live.size(), traced.data()); });
      query.trace(traced, live, reply_to);
      back = split(reply_to);
      replies = Buffer<Reply>(context_, back.begins.back());
      query.pack(traced, live, back.ids, replies);
    });
    u64 reply_count = 0;
    const Buffer<Reply> own = send(replies, back.begins, reply_count);
    comm_.agree([&] { query.keep(own); });
  }
}

Buffer<ForwardedRay> RayWaves::begin(BufferSpan<const Ray> rays) {
  Buffer<ForwardedRay> live(context_, rays.size());
  dispatch(context_,
           [&](const auto& ex) { begin_wave_rays(ex, rays.data(), rays.size(), comm_.rank(), live.data()); });
  return live;
}

SplitByRank RayWaves::route(const Buffer<ForwardedRay>& live) {
  Buffer<u32> to(context_, live.size());
  const SpineView spine = ShardedAccelAccess::spine_view(accel_);
  dispatch(context_, [&](const auto& ex) { route_wave_rays(ex, live.data(), live.size(), spine, to.data()); });
  return split(to);
}

/// Elements that go to no rank come last, and past the end.
SplitByRank RayWaves::split(const Buffer<u32>& to) {
  SplitByRank result{Buffer<u32>(context_, to.size()), {}};
  Buffer<u64> begins(context_, comm_.size() + 2);
  dispatch(context_, [&](const auto& ex) {
    split_by_rank(ex, to.data(), to.size(), comm_.size(), result.ids.data(), begins.data());
  });
  result.begins = begins.download(comm_.size() + 1);
  return result;
}

/// Sends elements to the ranks, and returns what this rank gets. `total` is the number of all that are sent.
template <class T>
Buffer<T> RayWaves::send(const Buffer<T>& sorted, const std::vector<u64>& begins, u64& total) {
  const u32 size = comm_.size(), rank = comm_.rank();
  std::vector<u64> counts(u64{size} * size);  // [from][to]
  for (u32 to = 0; to < size; ++to) counts[rank * size + to] = begins[to + 1] - begins[to];
  comm_.sum(counts);
  total = 0;
  for (const u64 count : counts) total += count;
  Buffer<T> received;
  if (total == 0) return received;
  u64 own = 0;
  for (u32 from = 0; from < size; ++from) own += counts[from * size + rank];
  comm_.agree([&] { received = Buffer<T>(context_, own); });
  std::vector<Outgoing> outgoing;
  std::vector<Incoming> incoming;
  u64 place = 0;
  for (u32 other = 0; other < size; ++other) {
    outgoing.push_back({sorted.data() + begins[other], counts[rank * size + other] * sizeof(T)});
    incoming.push_back({received.data() + place, counts[other * size + rank] * sizeof(T)});
    place += counts[other * size + rank];
  }
  comm_.exchange(context_, outgoing, incoming);
  return received;
}

namespace {

class ClosestQuery final : public WaveQuery<FoundHit> {
 public:
  ClosestQuery(const Communicator& comm, Context& context, const Accel& accel, BufferSpan<const Ray> rays,
               BufferSpan<Hit> hits)
      : comm_(comm), context_(context), accel_(accel), hits_(hits), primitives_(context, rays.size()) {
    dispatch(context, [&](const auto& ex) {
      begin_closest(ex, rays.data(), rays.size(), hits.data(), primitives_.data());
    });
  }

  void trace(const Buffer<Ray>& rays, Buffer<ForwardedRay>& live, Buffer<u32>& reply_to) override {
    found_ = Buffer<ShortHit>(context_, rays.size());
    closest_hits(context_, accel_, rays.span(), found_.span());
    dispatch(context_, [&](const auto& ex) {
      note_closest(ex, found_.data(), rays.size(), comm_.rank(), comm_.size(), live.data(), reply_to.data());
    });
  }

  void pack(const Buffer<Ray>& rays, const Buffer<ForwardedRay>& live, const Buffer<u32>& ids,
            Buffer<FoundHit>& replies) override {
    dispatch(context_, [&](const auto& ex) {
      pack_closest(ex, accel_.packed_triangles().triangles.span(), live.data(), rays.data(), found_.data(),
                   ids.data(), replies.size(), replies.data());
    });
  }

  void keep(const Buffer<FoundHit>& replies) override {
    dispatch(context_, [&](const auto& ex) {
      keep_closest(ex, replies.data(), replies.size(), hits_.data(), primitives_.data());
    });
  }

 private:
  const Communicator& comm_;
  Context& context_;
  const Accel& accel_;
  BufferSpan<Hit> hits_;
  Buffer<u32> primitives_;  // of the hits so far, through all ranks
  Buffer<ShortHit> found_;
};

/// A reply is the number of a ray that hit something.
class AnyQuery final : public WaveQuery<u32> {
 public:
  AnyQuery(const Communicator& comm, Context& context, const Accel& accel, BufferSpan<u8> occluded)
      : comm_(comm), context_(context), accel_(accel), occluded_(occluded) {
    dispatch(context, [&](const auto& ex) { begin_any(ex, occluded.size(), occluded.data()); });
  }

  void trace(const Buffer<Ray>& rays, Buffer<ForwardedRay>& live, Buffer<u32>& reply_to) override {
    Buffer<u8> found(context_, rays.size());
    any_hits(context_, accel_, rays.span(), found.span());
    dispatch(context_, [&](const auto& ex) {
      note_any(ex, found.data(), rays.size(), comm_.rank(), comm_.size(), live.data(), reply_to.data());
    });
  }

  void pack(const Buffer<Ray>&, const Buffer<ForwardedRay>& live, const Buffer<u32>& ids,
            Buffer<u32>& replies) override {
    dispatch(context_,
             [&](const auto& ex) { pack_any(ex, live.data(), ids.data(), replies.size(), replies.data()); });
  }

  void keep(const Buffer<u32>& replies) override {
    dispatch(context_, [&](const auto& ex) { keep_any(ex, replies.data(), replies.size(), occluded_.data()); });
  }

 private:
  const Communicator& comm_;
  Context& context_;
  const Accel& accel_;
  BufferSpan<u8> occluded_;
};

template <class Result>
void check_sharded_rays(const char* function, const Communicator& comm, const Context& context,
                        const ShardedAccel& accel, BufferSpan<const Ray> rays, BufferSpan<Result> results) {
  if (accel.rank_count() == 0) refuse(function, "the structure was never built");
  if (accel.rank_count() != comm.size()) {
    refuse(function, "the structure was built by " + std::to_string(accel.rank_count()) +
                         " ranks, but there are " + std::to_string(comm.size()));
  }
  check_backend(function, context, "the structure was", accel.own().backend());
  check_results(function, "rays", rays, results);
  constexpr u64 max_rays = (u64{1} << 32) - 1;
  if (rays.size() > max_rays) {
    refuse(function, std::to_string(rays.size()) + " rays on one rank, at most " + std::to_string(max_rays) +
                         " are possible");
  }
}

}  // namespace

}  // namespace detail

void closest_hits(Communicator& comm, Context& context, const ShardedAccel& accel, BufferSpan<const Ray> rays,
                  BufferSpan<Hit> hits) {
  std::unique_ptr<detail::ClosestQuery> query;
  comm.agree([&] {
    detail::check_sharded_rays("closest_hits", comm, context, accel, rays, hits);
    if (comm.size() == 1) return closest_hits(context, accel.own(), rays, hits);
    query = std::make_unique<detail::ClosestQuery>(comm, context, accel.own(), rays, hits);
  });
  if (query != nullptr) detail::RayWaves(comm, context, accel).run(rays, *query);
}

void any_hits(Communicator& comm, Context& context, const ShardedAccel& accel, BufferSpan<const Ray> rays,
              BufferSpan<u8> occluded) {
  std::unique_ptr<detail::AnyQuery> query;
  comm.agree([&] {
    detail::check_sharded_rays("any_hits", comm, context, accel, rays, occluded);
    if (comm.size() == 1) return any_hits(context, accel.own(), rays, occluded);
    query = std::make_unique<detail::AnyQuery>(comm, context, accel.own(), occluded);
  });
  if (query != nullptr) detail::RayWaves(comm, context, accel).run(rays, *query);
}

}  // namespace copse
