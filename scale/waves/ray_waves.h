#pragma once

// Rays that travel between ranks, in waves. In each wave every rank
//
//   1. finds for each ray that it has the next rank to visit; rays without one are done,
//   2. sends the rays there,
//   3. traces those that it got through its own triangles,
//   4. sends what it found to the ranks that brought the rays, which keep the best.
//
// It ends when no rank has a ray. A ray visits a rank once, so there are at most as many waves as ranks, and one more
// to see that there are no rays left. Each step that may fail is one of Communicator::agree().
//
// Source of the waves: rays are forwarded between the owners of parts of a scene as in Wald, Parker, "Data Parallel
// Path Tracing with Object Hierarchies", HPG 2022. Where we differ: a hit follows from the ray and the triangles alone,
// so it does not depend on the order of the ranks.

#include "scale/sharded_rays.h"
#include "scale/waves/forwarded_ray.h"

namespace copse::detail {

/// What a batch of rays asks. A wave calls its functions in this order.
template <class Reply>
class WaveQuery {
 public:
  virtual ~WaveQuery() = default;

  /// Traces rays through the triangles of this rank, and notes in `live` that they were here. Stores for each the rank
  /// that gets a reply, or the number of ranks.
  virtual void trace(const Buffer<Ray>& rays, Buffer<ForwardedRay>& live, Buffer<u32>& reply_to) = 0;

  /// Stores the replies for some of the rays that were traced.
  virtual void pack(const Buffer<Ray>& rays, const Buffer<ForwardedRay>& live, const Buffer<u32>& ids,
                    Buffer<Reply>& replies) = 0;

  /// Takes replies for rays that this rank brought.
  virtual void keep(const Buffer<Reply>& replies) = 0;
};

/// Elements in the order of the ranks that they are sent to.
struct SplitByRank {
  Buffer<u32> ids;
  std::vector<u64> begins;  // [rank], and the end
};

class RayWaves {
 public:
  RayWaves(Communicator& comm, Context& context, const ShardedAccel& accel)
      : comm_(comm), context_(context), accel_(accel) {}

  /// Sends rays on their way until all are done.
  template <class Reply>
  void run(BufferSpan<const Ray> rays, WaveQuery<Reply>& query);

 private:
  Buffer<ForwardedRay> begin(BufferSpan<const Ray> rays);
  SplitByRank route(const Buffer<ForwardedRay>& live);
  SplitByRank split(const Buffer<u32>& to);
  template <class T>
  Buffer<T> send(const Buffer<T>& sorted, const std::vector<u64>& begins, u64& total);

  Communicator& comm_;
  Context& context_;
  const ShardedAccel& accel_;
};

}  // namespace copse::detail
