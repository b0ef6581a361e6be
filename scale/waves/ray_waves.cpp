// Closest and any hits of rays of all ranks. In each wave, a rank traces the rays that are there as one batch, and
// sends the replies to their sources.

#include "scale/waves/ray_waves.h"

#include "accel/accel_rays.h"
#include "primitives/core/dispatch.h"
#include "scale/shards/sharded_accel_access.h"
#include "scale/waves/wave_check.h"
#include "trace/batch/check.h"

namespace copse {

namespace detail {

// The body: wave_steps.inl, for either executor.
template <class Executor>
void begin_wave_rays(const Executor& ex, const Ray* rays, u64 n, u32 rank, ForwardedRay* live);
template <class Executor>
void route_wave_rays(const Executor& ex, const ForwardedRay* live, u64 n, const SpineView& spine, u32* to);
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
void RayQuestion<Reply>::run(BufferSpan<const Ray> rays) {
  Buffer<ForwardedRay> live;
  mail_.comm().agree([&] {
    live = Buffer<ForwardedRay>(context(), rays.size());
    dispatch(context(), [&](const auto& ex) {
      begin_wave_rays(ex, rays.data(), rays.size(), mail_.comm().rank(), live.data());
    });
  });
  run_waves(mail_, std::move(live), *this);
}

template <class Reply>
void RayQuestion<Reply>::route(const Buffer<ForwardedRay>& live, Buffer<u32>& to) {
  const SpineView spine = ShardedAccelAccess::spine_view(accel_);
  dispatch(context(), [&](const auto& ex) { route_wave_rays(ex, live.data(), live.size(), spine, to.data()); });
}

template <class Reply>
void RayQuestion<Reply>::answer(Buffer<ForwardedRay>& live) {
  SplitByRank back;
  Buffer<Reply> replies;
  mail_.comm().agree([&] {
    Buffer<Ray> traced(context(), live.size());
    Buffer<u32> reply_to(context(), live.size());
    dispatch(context(), [&](const auto& ex) { take_wave_rays(ex, live.data(), live.size(), traced.data()); });
    trace(traced, live, reply_to);
    back = mail_.split(reply_to);
    replies = Buffer<Reply>(context(), back.begins.back());
    pack(traced, live, back.ids, replies);
  });
  u64 reply_count = 0;
  const Buffer<Reply> own = mail_.send(replies, back.begins, reply_count);
  mail_.comm().agree([&] { keep(own); });
}

namespace {

class ClosestQuery final : public RayQuestion<FoundHit> {
 public:
  ClosestQuery(Communicator& comm, Context& context, const ShardedAccel& accel, BufferSpan<const Ray> rays,
               BufferSpan<Hit> hits)
      : RayQuestion(comm, context, accel), hits_(hits), primitives_(context, rays.size()) {
    dispatch(context, [&](const auto& ex) {
      begin_closest(ex, rays.data(), rays.size(), hits.data(), primitives_.data());
    });
  }

  void trace(const Buffer<Ray>& rays, Buffer<ForwardedRay>& live, Buffer<u32>& reply_to) override {
    found_ = Buffer<ShortHit>(context(), rays.size());
    closest_hits(context(), own(), rays.span(), found_.span());
    dispatch(context(), [&](const auto& ex) {
      note_closest(ex, found_.data(), rays.size(), rank(), rank_count(), live.data(), reply_to.data());
    });
  }

  void pack(const Buffer<Ray>& rays, const Buffer<ForwardedRay>& live, const Buffer<u32>& ids,
            Buffer<FoundHit>& replies) override {
    dispatch(context(), [&](const auto& ex) {
      pack_closest(ex, own().packed_triangles().triangles.span(), live.data(), rays.data(), found_.data(),
                   ids.data(), replies.size(), replies.data());
    });
  }

  void keep(const Buffer<FoundHit>& replies) override {
    dispatch(context(), [&](const auto& ex) {
      keep_closest(ex, replies.data(), replies.size(), hits_.data(), primitives_.data());
    });
  }

 private:
  BufferSpan<Hit> hits_;
  Buffer<u32> primitives_;  // of the hits so far, through all ranks
  Buffer<ShortHit> found_;
};

/// A reply is the number of a ray that hit something.
class AnyQuery final : public RayQuestion<u32> {
 public:
  AnyQuery(Communicator& comm, Context& context, const ShardedAccel& accel, BufferSpan<u8> occluded)
      : RayQuestion(comm, context, accel), occluded_(occluded) {
    dispatch(context, [&](const auto& ex) { begin_any(ex, occluded.size(), occluded.data()); });
  }

  void trace(const Buffer<Ray>& rays, Buffer<ForwardedRay>& live, Buffer<u32>& reply_to) override {
    Buffer<u8> found(context(), rays.size());
    any_hits(context(), own(), rays.span(), found.span());
    dispatch(context(), [&](const auto& ex) {
      note_any(ex, found.data(), rays.size(), rank(), rank_count(), live.data(), reply_to.data());
    });
  }

  void pack(const Buffer<Ray>&, const Buffer<ForwardedRay>& live, const Buffer<u32>& ids,
            Buffer<u32>& replies) override {
    dispatch(context(),
             [&](const auto& ex) { pack_any(ex, live.data(), ids.data(), replies.size(), replies.data()); });
  }

  void keep(const Buffer<u32>& replies) override {
    dispatch(context(), [&](const auto& ex) { keep_any(ex, replies.data(), replies.size(), occluded_.data()); });
  }

 private:
  BufferSpan<u8> occluded_;
};

template <class Result>
void check_sharded_rays(const char* function, const Communicator& comm, const Context& context,
                        const ShardedAccel& accel, BufferSpan<const Ray> rays, BufferSpan<Result> results) {
  check_sharded(function, comm, context, accel);
  check_results(function, "rays", rays, results);
  check_message_count(function, "rays", rays.size());
}

}  // namespace

}  // namespace detail

void closest_hits(Communicator& comm, Context& context, const ShardedAccel& accel, BufferSpan<const Ray> rays,
                  BufferSpan<Hit> hits) {
  std::unique_ptr<detail::ClosestQuery> query;
  comm.agree([&] {
    detail::check_sharded_rays("closest_hits", comm, context, accel, rays, hits);
    if (comm.size() == 1) return closest_hits(context, accel.own(), rays, hits);
    query = std::make_unique<detail::ClosestQuery>(comm, context, accel, rays, hits);
  });
  if (query != nullptr) query->run(rays);
}

void any_hits(Communicator& comm, Context& context, const ShardedAccel& accel, BufferSpan<const Ray> rays,
              BufferSpan<u8> occluded) {
  std::unique_ptr<detail::AnyQuery> query;
  comm.agree([&] {
    detail::check_sharded_rays("any_hits", comm, context, accel, rays, occluded);
    if (comm.size() == 1) return any_hits(context, accel.own(), rays, occluded);
    query = std::make_unique<detail::AnyQuery>(comm, context, accel, occluded);
  });
  if (query != nullptr) query->run(rays);
}

}  // namespace copse
