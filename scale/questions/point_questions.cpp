// The nearest triangle of points of all ranks, and whether they are inside. For the former, a rank replies only if it
// has a better triangle. For the latter, it replies if an odd number of its triangles are on the way out, and each
// reply toggles the answer.

#include <memory>

#include "primitives/core/dispatch.h"
#include "scale/questions/point_question.h"
#include "scale/sharded_queries.h"
#include "trace/batch/check.h"

namespace copse {

namespace detail {

// The body: point_steps.inl, for either executor.
template <class Executor>
void begin_points(const Executor& ex, const vec3* points, u64 n, float limit, u32 rank, ForwardedPoint* live);
template <class Executor>
void route_points(const Executor& ex, const ForwardedPoint* live, u64 n, const SpineView& spine, bool goes_out,
                  u32* to);
template <class Executor>
void find_nearest_here(const Executor& ex, const CompressedBvh4View& tree,
                       BufferSpan<const PackedTriangle> triangles, u32 rank, u32 rank_count, ForwardedPoint* live,
                       u64 n, NearestPoint* nearest, u32* reply_to);
template <class Executor>
void pack_nearest(const Executor& ex, const ForwardedPoint* live, const NearestPoint* nearest, const u32* ids,
                  u64 count, FoundPoint* replies);
template <class Executor>
void begin_nearest(const Executor& ex, u64 n, NearestPoint* nearest);
template <class Executor>
void keep_nearest(const Executor& ex, const FoundPoint* replies, u64 count, NearestPoint* nearest);
template <class Executor>
void count_ways_out(const Executor& ex, const CompressedBvh4View& tree, BufferSpan<const PackedTriangle> triangles,
                    const SpineView& spine, u32 rank, u32 rank_count, ForwardedPoint* live, u64 n, u32* reply_to);
template <class Executor>
void pack_indices(const Executor& ex, const ForwardedPoint* live, const u32* ids, u64 count, u32* replies);
template <class Executor>
void begin_inside(const Executor& ex, u64 n, u8* inside);
template <class Executor>
void toggle_inside(const Executor& ex, const u32* replies, u64 count, u8* inside);

void PointQuestion::run(BufferSpan<const vec3> points, float limit) {
  Buffer<ForwardedPoint> live;
  mail_.comm().agree([&] {
    live = Buffer<ForwardedPoint>(context(), points.size());
    dispatch(context(),
             [&](const auto& ex) { begin_points(ex, points.data(), points.size(), limit, rank(), live.data()); });
  });
  run_waves(mail_, std::move(live), *this);
}

void PointQuestion::route(const Buffer<ForwardedPoint>& live, Buffer<u32>& to) {
  dispatch(context(),
           [&](const auto& ex) { route_points(ex, live.data(), live.size(), spine(), goes_out_, to.data()); });
}

namespace {

class NearestQuestion final : public PointQuestion {
 public:
  NearestQuestion(Communicator& comm, Context& context, const ShardedAccel& accel,
                  BufferSpan<NearestPoint> nearest)
      : PointQuestion(comm, context, accel, false), nearest_(nearest) {
    dispatch(context, [&](const auto& ex) { begin_nearest(ex, nearest.size(), nearest.data()); });
  }

  void answer(Buffer<ForwardedPoint>& live) override {
    SplitByRank back;
    Buffer<FoundPoint> replies;
    mail().comm().agree([&] {
      Buffer<NearestPoint> found(context(), live.size());
      Buffer<u32> reply_to(context(), live.size());
      dispatch(context(), [&](const auto& ex) {
        find_nearest_here(ex, tree(), triangles(), rank(), rank_count(), live.data(), live.size(), found.data(),
                          reply_to.data());
      });
      back = mail().split(reply_to);
      replies = Buffer<FoundPoint>(context(), back.begins.back());
      dispatch(context(), [&](const auto& ex) {
        pack_nearest(ex, live.data(), found.data(), back.ids.data(), replies.size(), replies.data());
      });
    });
    u64 reply_count = 0;
    const Buffer<FoundPoint> own = mail().send(replies, back.begins, reply_count);
    mail().comm().agree([&] {
      dispatch(context(), [&](const auto& ex) { keep_nearest(ex, own.data(), own.size(), nearest_.data()); });
    });
  }

 private:
  BufferSpan<NearestPoint> nearest_;
};

/// A reply is the number of a point with an odd number of triangles on its way out.
class InsideQuestion final : public PointQuestion {
 public:
  InsideQuestion(Communicator& comm, Context& context, const ShardedAccel& accel, BufferSpan<u8> inside)
      : PointQuestion(comm, context, accel, true), inside_(inside) {
    dispatch(context, [&](const auto& ex) { begin_inside(ex, inside.size(), inside.data()); });
  }

  void answer(Buffer<ForwardedPoint>& live) override {
    SplitByRank back;
    Buffer<u32> replies;
    mail().comm().agree([&] {
      Buffer<u32> reply_to(context(), live.size());
      dispatch(context(), [&](const auto& ex) {
        count_ways_out(ex, tree(), triangles(), spine(), rank(), rank_count(), live.data(), live.size(),
                       reply_to.data());
      });
      back = mail().split(reply_to);
      replies = Buffer<u32>(context(), back.begins.back());
      dispatch(context(), [&](const auto& ex) {
        pack_indices(ex, live.data(), back.ids.data(), replies.size(), replies.data());
      });
    });
    u64 reply_count = 0;
    const Buffer<u32> own = mail().send(replies, back.begins, reply_count);
    mail().comm().agree([&] {
      dispatch(context(), [&](const auto& ex) { toggle_inside(ex, own.data(), own.size(), inside_.data()); });
    });
  }

 private:
  BufferSpan<u8> inside_;
};

template <class Result>
void check_points(const char* function, const Communicator& comm, const Context& context,
                  const ShardedAccel& accel, BufferSpan<const vec3> points, BufferSpan<Result> results) {
  check_sharded(function, comm, context, accel);
  check_results(function, "points", points, results);
  check_message_count(function, "points", points.size());
}

}  // namespace

}  // namespace detail

void nearest_points(Communicator& comm, Context& context, const ShardedAccel& accel, BufferSpan<const vec3> points,
                    BufferSpan<NearestPoint> nearest, float max_distance) {
  std::unique_ptr<detail::NearestQuestion> question;
  comm.agree([&] {
    detail::check_points("nearest_points", comm, context, accel, points, nearest);
    if (comm.size() == 1) return nearest_points(context, accel.own(), points, nearest, max_distance);
    question = std::make_unique<detail::NearestQuestion>(comm, context, accel, nearest);
  });
  if (question != nullptr) question->run(points, detail::square_limit(max_distance));
}

void points_inside(Communicator& comm, Context& context, const ShardedAccel& accel, BufferSpan<const vec3> points,
                   BufferSpan<u8> inside) {
  std::unique_ptr<detail::InsideQuestion> question;
  comm.agree([&] {
    detail::check_points("points_inside", comm, context, accel, points, inside);
    if (comm.size() == 1) return points_inside(context, accel.own(), points, inside);
    question = std::make_unique<detail::InsideQuestion>(comm, context, accel, inside);
  });
  if (question != nullptr) question->run(points, 0);
}

}  // namespace copse
