#pragma once

#include "accel/accel_queries.h"
#include "primitives/core/check.h"
#include "scale/replicated_accel.h"
#include "scale/split_work.h"

namespace copse {

// Queries about points to a ReplicatedAccel, shared by all devices. Points and answers are in the memory of the first
// device, and the answers equal those of one device, byte for byte. The functions throw the errors of the functions
// of the same names in accel/accel_queries.h; also Error invalid_argument if `accel` is of other devices, or in a
// capture. They do not wait. They are inline, so that only programs that call them need the library's part
// copse::queries.

namespace detail {

/// Calls ask(context, accel, points, answers) for each piece of the points.
///   answers: `each` answers per point
template <class Answer, class Ask>
void ask_split(const char* function, Devices& devices, const ReplicatedAccel& accel, BufferSpan<const vec3> points,
               BufferSpan<Answer> answers, u64 each, const Ask& ask) {
  check_replicas(function, devices, accel);
  constexpr u64 min_gpu_points = u64{1} << 15;
  split_work(function, devices, {points.data(), points.size(), min_gpu_points},
             [&](Context& context, const SplitPiece& piece) {
               const NearElements near_points(devices, context, piece.device,
                                              points.subspan(piece.first, piece.count));
               NearElements near_answers(devices, context, piece.device,
                                         answers.subspan(piece.first * each, piece.count * each));
               ask(context, accel.on(piece.device), near_points.span(), near_answers.span());
               near_answers.store();
             });
}

}  // namespace detail

/// Stores the point of the surface that is nearest to each point. None is farther than `max_distance`.
///   nearest: as many as points; must not overlap them
inline void nearest_points(Devices& devices, const ReplicatedAccel& accel, BufferSpan<const vec3> points,
                           BufferSpan<NearestPoint> nearest, float max_distance = infinity) {
  detail::check_results("nearest_points", "points", points, nearest);
  detail::ask_split(
      "nearest_points", devices, accel, points, nearest, 1,
      [&](Context& context, const Accel& on_device, BufferSpan<const vec3> part, BufferSpan<NearestPoint> found) {
        nearest_points(context, on_device, part, found, max_distance);
      });
}

/// Stores the k triangles nearest to each point, nearest first.
///   neighbours: k per point, those of point i from k * i on; k follows from the sizes
inline void nearest_primitives(Devices& devices, const ReplicatedAccel& accel, BufferSpan<const vec3> points,
                               BufferSpan<Neighbour> neighbours, float max_distance = infinity) {
  const u64 k =
      detail::results_each("nearest_primitives", "points", points.size(), "neighbours", neighbours.size());
  detail::check_apart("nearest_primitives", "points", points, neighbours);
  detail::ask_split(
      "nearest_primitives", devices, accel, points, neighbours, k,
      [&](Context& context, const Accel& on_device, BufferSpan<const vec3> part, BufferSpan<Neighbour> found) {
        nearest_primitives(context, on_device, part, found, max_distance);
      });
}

/// Stores in inside[i] 1 if point i is inside the closed mesh, else 0.
///   inside: as many as points; must not overlap them
inline void points_inside(Devices& devices, const ReplicatedAccel& accel, BufferSpan<const vec3> points,
                          BufferSpan<u8> inside) {
  detail::check_results("points_inside", "points", points, inside);
  detail::ask_split("points_inside", devices, accel, points, inside, 1,
                    [](Context& context, const Accel& on_device, BufferSpan<const vec3> part,
                       BufferSpan<u8> found) { points_inside(context, on_device, part, found); });
}

}  // namespace copse
