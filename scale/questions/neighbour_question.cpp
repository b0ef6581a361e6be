// The k nearest triangles of points of all ranks. Each rank on a point's way replies with a list. The rank that
// brought the point keeps the best k in a heap.

#include <algorithm>
#include <memory>
#include <string>

#include "primitives/core/dispatch.h"
#include "scale/questions/list_head.h"
#include "scale/questions/list_mail.h"
#include "scale/questions/point_question.h"
#include "scale/sharded_queries.h"
#include "trace/batch/check.h"

namespace copse {

namespace detail {

// The body: neighbour_steps.inl, for either executor.
template <class Executor>
void find_neighbours_here(const Executor& ex, const CompressedBvh4View& tree,
                          BufferSpan<const PackedTriangle> triangles, u32 rank, u32 rank_count,
                          ForwardedPoint* live, u64 n, u32 k, Neighbour* found, u32* counts, u32* reply_to);
template <class Executor>
void pack_neighbours(const Executor& ex, BufferSpan<const PackedTriangle> triangles, const Neighbour* found, u32 k,
                     const u32* ids, const u64* offsets, u64 count, FoundNeighbour* items);
template <class Executor>
void begin_counts(const Executor& ex, u64 n, u32* counts);
template <class Executor>
void keep_neighbours(const Executor& ex, const ListHead* heads, u64 count, const u64* offsets,
                     const FoundNeighbour* items, u32 k, FoundNeighbour* best, u32* counts);
template <class Executor>
void store_neighbours(const Executor& ex, FoundNeighbour* best, const u32* counts, u64 n, u32 k,
                      Neighbour* neighbours);

namespace {

class NeighbourQuestion final : public PointQuestion {
 public:
  ///   k: the same on all ranks, also on those without points
  NeighbourQuestion(Communicator& comm, Context& context, const ShardedAccel& accel, u64 point_count, u32 k)
      : PointQuestion(comm, context, accel, false),
        k_(k),
        best_(context, point_count * k),
        best_counts_(context, point_count) {
    dispatch(context, [&](const auto& ex) { begin_counts(ex, point_count, best_counts_.data()); });
  }

  void answer(Buffer<ForwardedPoint>& live) override {
    SplitByRank back;
    ListsOfMessages<FoundNeighbour> lists;
    mail().comm().agree([&] {
      Buffer<Neighbour> found(context(), live.size() * k_);
      Buffer<u32> counts(context(), live.size()), reply_to(context(), live.size());
      dispatch(context(), [&](const auto& ex) {
        find_neighbours_here(ex, tree(), triangles(), rank(), rank_count(), live.data(), live.size(), k_,
                             found.data(), counts.data(), reply_to.data());
      });
      back = mail().split(reply_to);
      lists.begin(context(), live, counts, back);
      dispatch(context(), [&](const auto& ex) {
        pack_neighbours(ex, triangles(), found.data(), k_, back.ids.data(), lists.offsets.data(),
                        lists.heads.size(), lists.items.data());
      });
    });
    const ListsOfMessages<FoundNeighbour> own = lists.send(mail(), back);
    mail().comm().agree([&] {
      dispatch(context(), [&](const auto& ex) {
        keep_neighbours(ex, own.heads.data(), own.heads.size(), own.offsets.data(), own.items.data(), k_,
                        best_.data(), best_counts_.data());
      });
    });
  }

  /// Stores the results, when all points are done.
  void store(BufferSpan<Neighbour> neighbours) {
    dispatch(context(), [&](const auto& ex) {
      store_neighbours(ex, best_.data(), best_counts_.data(), best_counts_.size(), k_, neighbours.data());
    });
  }

 private:
  u32 k_;
  Buffer<FoundNeighbour> best_;
  Buffer<u32> best_counts_;
};

/// Returns the number of neighbours that all ranks ask for; 0 if none has points.
u32 same_k(Communicator& comm, u64 point_count, u32 k) {
  struct Asked {
    u64 point_count;
    u32 k;
  };
  const std::vector<Asked> all = comm.all_gather(Asked{point_count, k});
  const auto has_points = [](const Asked& asked) { return asked.point_count > 0; };
  const auto first = std::find_if(all.begin(), all.end(), has_points);
  if (first == all.end()) return 0;
  for (auto other = first; other != all.end(); ++other) {
    if (!has_points(*other) || other->k == first->k) continue;
    refuse("nearest_primitives", std::to_string(first->k) + " neighbours per point on rank " +
                                     std::to_string(first - all.begin()) + " and " + std::to_string(other->k) +
                                     " on rank " + std::to_string(other - all.begin()) +
                                     "; all ranks must ask for the same number");
  }
  return first->k;
}

}  // namespace

}  // namespace detail

void nearest_primitives(Communicator& comm, Context& context, const ShardedAccel& accel,
                        BufferSpan<const vec3> points, BufferSpan<Neighbour> neighbours, float max_distance) {
  constexpr const char* function = "nearest_primitives";
  if (comm.size() == 1) {
    detail::check_sharded(function, comm, context, accel);
    return nearest_primitives(context, accel.own(), points, neighbours, max_distance);
  }
  u32 own_k = 0;
  comm.agree([&] {
    detail::check_sharded(function, comm, context, accel);
    own_k = detail::results_each(function, "points", points.size(), "neighbours", neighbours.size());
    detail::check_apart(function, "points", points, neighbours);
    detail::check_message_count(function, "points", points.size());
  });
  const u32 k = detail::same_k(comm, points.size(), own_k);
  if (k == 0) return;
  std::unique_ptr<detail::NeighbourQuestion> question;
  comm.agree(
      [&] { question = std::make_unique<detail::NeighbourQuestion>(comm, context, accel, points.size(), k); });
  question->run(points, detail::square_limit(max_distance));
  comm.agree([&] { question->store(neighbours); });
}

}  // namespace copse
