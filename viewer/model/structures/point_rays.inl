#include "viewer/model/picture/surface.h"
#include "viewer/model/structures/point_march.h"

namespace copse::viewer {

namespace {

struct CountCells {
  u32 count = 0;
  COPSE_HD void operator()(const uvec3&) { ++count; }
};

struct SeePoints {
  PointsView points;
  const Ray* rays;
  SurfaceHit* surfaces;
  COPSE_HD void operator()(u64 i) const {
    ClosestBall balls(rays[i], ball_radius(*points.grid.shape.data(), points.radius));
    NoNote note;
    march_balls(points.grid, balls, note);
    const BallHit hit = balls.hit();
    surfaces[i] = {hit.normal, hit.t, hit.id};
  }
};

struct MeetPoints {
  PointsView points;
  const Ray* rays;
  u8* occluded;
  COPSE_HD void operator()(u64 i) const {
    ClosestBall balls(rays[i], ball_radius(*points.grid.shape.data(), points.radius));
    NoNote note;
    march_balls(points.grid, balls, note);
    occluded[i] = balls.id != invalid_id ? 1 : 0;
  }
};

struct CountPointVisits {
  PointsView points;
  const Ray* rays;
  u32* visits;
  COPSE_HD void operator()(u64 i) const {
    ClosestBall balls(rays[i], ball_radius(*points.grid.shape.data(), points.radius));
    CountCells count;
    march_balls(points.grid, balls, count);
    visits[i] = count.count + balls.test_count;
  }
};

struct LabelBucket {
  HashGridView grid;
  PositionSpan positions;
  const SurfaceHit* surfaces;
  u32* labels;
  COPSE_HD void operator()(u64 i) const {
    const HashGridShape shape = *grid.shape.data();
    const u32 id = surfaces[i].id;
    // A grid that was not rebuilt may hold points that do not exist any more.
    labels[i] = id < positions.size ? shape.bucket_of(shape.cell_of(positions.at(id))) : 0;
  }
};

}  // namespace

template <class Executor>
void see_points(const Executor& ex, const PointsView& points, BufferSpan<const Ray> rays,
                BufferSpan<SurfaceHit> surfaces) {
  for_each(ex, "picture: points", rays.size(), SeePoints{points, rays.data(), surfaces.data()});
}

template <class Executor>
void meet_points(const Executor& ex, const PointsView& points, BufferSpan<const Ray> rays,
                 BufferSpan<u8> occluded) {
  for_each(ex, "picture: points in the way", rays.size(), MeetPoints{points, rays.data(), occluded.data()});
}

template <class Executor>
void count_point_visits(const Executor& ex, const PointsView& points, BufferSpan<const Ray> rays,
                        BufferSpan<u32> visits) {
  for_each(ex, "picture: visits", rays.size(), CountPointVisits{points, rays.data(), visits.data()});
}

template <class Executor>
void label_buckets(const Executor& ex, const HashGridView& grid, const PositionSpan& positions,
                   BufferSpan<const SurfaceHit> surfaces, BufferSpan<u32> labels) {
  for_each(ex, "picture: buckets", surfaces.size(), LabelBucket{grid, positions, surfaces.data(), labels.data()});
}

using Executor = copse::detail::BodyExecutor;
template void see_points(const Executor&, const PointsView&, BufferSpan<const Ray>, BufferSpan<SurfaceHit>);
template void meet_points(const Executor&, const PointsView&, BufferSpan<const Ray>, BufferSpan<u8>);
template void count_point_visits(const Executor&, const PointsView&, BufferSpan<const Ray>, BufferSpan<u32>);
template void label_buckets(const Executor&, const HashGridView&, const PositionSpan&,
                            BufferSpan<const SurfaceHit>, BufferSpan<u32>);

}  // namespace copse::viewer
