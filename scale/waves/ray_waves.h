#pragma once

// Rays that travel between ranks.

#include "scale/sharded_rays.h"
#include "scale/waves/forwarded_ray.h"
#include "scale/waves/waves.h"

namespace copse::detail {

/// A batch of rays. A wave calls trace, pack and keep in this order.
template <class Reply>
class RayQuestion : public WaveQuestion<ForwardedRay> {
 public:
  RayQuestion(Communicator& comm, Context& context, const ShardedAccel& accel)
      : mail_(comm, context), accel_(accel) {}

  /// Sends rays from rank to rank until all are done. Collective.
  void run(BufferSpan<const Ray> rays);

 protected:
  u32 rank() const { return mail_.comm().rank(); }
  u32 rank_count() const { return mail_.comm().size(); }
  Context& context() const { return mail_.context(); }
  const Accel& own() const { return accel_.own(); }

  /// Traces rays through the triangles of this rank, and notes the visit in `live`. Stores for each ray the rank that
  /// gets a reply, or the number of ranks for none.
  virtual void trace(const Buffer<Ray>& rays, Buffer<ForwardedRay>& live, Buffer<u32>& reply_to) = 0;

  /// Stores the replies for some of the rays that were traced.
  virtual void pack(const Buffer<Ray>& rays, const Buffer<ForwardedRay>& live, const Buffer<u32>& ids,
                    Buffer<Reply>& replies) = 0;

  /// Takes over the replies for rays that this rank brought.
  virtual void keep(const Buffer<Reply>& replies) = 0;

 private:
  void route(const Buffer<ForwardedRay>& live, Buffer<u32>& to) override;
  void answer(Buffer<ForwardedRay>& live) override;

  WaveMail mail_;
  const ShardedAccel& accel_;
};

}  // namespace copse::detail
