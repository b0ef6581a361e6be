#include "scale/replicated_rays.h"

#include "accel/accel_rays.h"
#include "accel/rays/ray_check.h"
#include "primitives/core/check.h"
#include "scale/split_work.h"
#include "trace/batch/check.h"

namespace copse {

namespace {

/// From this many rays per GPU on, tracing takes longer than sharing.
constexpr u64 min_gpu_rays = u64{1} << 19;

/// Calls trace(context, accel, rays, results, options) for each piece of the rays.
template <class Result, class Trace>
void trace_split(const char* function, Devices& devices, const ReplicatedAccel& accel, BufferSpan<const Ray> rays,
                 BufferSpan<Result> results, const TraceOptions& options, const Trace& trace) {
  detail::check_replicas(function, devices, accel);
  detail::check_results(function, "rays", rays, results);
  detail::check_masks(function, "rays", options.masks, rays.size());
  const detail::SplitBatch batch{rays.data(), rays.size(), min_gpu_rays};
  detail::split_work(function, devices, batch, [&](Context& context, const detail::SplitPiece& piece) {
    const auto part = [&](auto span) { return span.subspan(piece.first, piece.count); };
    const detail::NearElements near_rays(devices, context, piece.device, part(rays));
    const detail::NearElements near_masks(devices, context, piece.device,
                                          options.masks.empty() ? options.masks : part(options.masks));
    detail::NearElements near_results(devices, context, piece.device, part(results));
    TraceOptions of_piece = options;
    of_piece.masks = near_masks.span();
    if (piece.device > 0) of_piece.chosen = {};
    trace(context, accel.on(piece.device), near_rays.span(), near_results.span(), of_piece);
    near_results.store();
  });
}

template <class Result>
void closest_split(Devices& devices, const ReplicatedAccel& accel, BufferSpan<const Ray> rays,
                   BufferSpan<Result> hits, const TraceOptions& options) {
  trace_split("closest_hits", devices, accel, rays, hits, options,
              [](Context& context, const Accel& on_device, BufferSpan<const Ray> part, BufferSpan<Result> found,
                 const TraceOptions& of_piece) { closest_hits(context, on_device, part, found, of_piece); });
}

/// Returns rays of any layout as records, in the memory of the first device.
template <class Result>
Buffer<Ray> records_of_rays(const char* function, Devices& devices, const ReplicatedAccel& accel,
                            const RaySpan& rays, BufferSpan<Result> results) {
  Context& first = devices.first();
  detail::check_replicas(function, devices, accel);
  detail::check_rays(function, first, rays, results);
  return ray_records(first, rays);
}

}  // namespace

void closest_hits(Devices& devices, const ReplicatedAccel& accel, BufferSpan<const Ray> rays, BufferSpan<Hit> hits,
                  const TraceOptions& options) {
  closest_split(devices, accel, rays, hits, options);
}

void closest_hits(Devices& devices, const ReplicatedAccel& accel, BufferSpan<const Ray> rays,
                  BufferSpan<ShortHit> hits, const TraceOptions& options) {
  closest_split(devices, accel, rays, hits, options);
}

void any_hits(Devices& devices, const ReplicatedAccel& accel, BufferSpan<const Ray> rays, BufferSpan<u8> occluded,
              const TraceOptions& options) {
  trace_split("any_hits", devices, accel, rays, occluded, options,
              [](Context& context, const Accel& on_device, BufferSpan<const Ray> part, BufferSpan<u8> found,
                 const TraceOptions& of_piece) { any_hits(context, on_device, part, found, of_piece); });
}

void closest_hits(Devices& devices, const ReplicatedAccel& accel, const RaySpan& rays, BufferSpan<Hit> hits,
                  const TraceOptions& options) {
  const Buffer<Ray> records = records_of_rays("closest_hits", devices, accel, rays, hits);
  closest_hits(devices, accel, records.span(), hits, options);
}

void any_hits(Devices& devices, const ReplicatedAccel& accel, const RaySpan& rays, BufferSpan<u8> occluded,
              const TraceOptions& options) {
  const Buffer<Ray> records = records_of_rays("any_hits", devices, accel, rays, occluded);
  any_hits(devices, accel, records.span(), occluded, options);
}

}  // namespace copse
