#pragma once

// Points that travel between ranks.

#include "scale/questions/forwarded_point.h"
#include "scale/shards/sharded_accel_access.h"
#include "scale/waves/wave_check.h"
#include "scale/waves/waves.h"

namespace copse::detail {

/// A batch of queries about points.
class PointQuestion : public WaveQuestion<ForwardedPoint> {
 public:
  ///   goes_out: true: points visit the ranks on their way out; false: the nearest ranks
  PointQuestion(Communicator& comm, Context& context, const ShardedAccel& accel, bool goes_out)
      : mail_(comm, context), accel_(accel), goes_out_(goes_out) {}

  /// Sends points from rank to rank until all are done. Collective.
  ///   limit: the square of the maximum distance
  void run(BufferSpan<const vec3> points, float limit);

 protected:
  u32 rank() const { return mail_.comm().rank(); }
  u32 rank_count() const { return mail_.comm().size(); }
  Context& context() const { return mail_.context(); }
  CompressedBvh4View tree() const { return accel_.own().view().tree; }
  BufferSpan<const PackedTriangle> triangles() const { return accel_.own().view().triangles; }
  SpineView spine() const { return ShardedAccelAccess::spine_view(accel_); }
  const WaveMail& mail() const { return mail_; }

 private:
  void route(const Buffer<ForwardedPoint>& live, Buffer<u32>& to) override;

  WaveMail mail_;
  const ShardedAccel& accel_;
  bool goes_out_;
};

}  // namespace copse::detail
