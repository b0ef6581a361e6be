// Pictures, in two passes: one finds the hit of every pixel, the other colours the hits. Colours of distance and heat
// need the extremes of all hits, which are reduced in between.

#include "builders/geometry/make_triangle_table.h"
#include "primitives/inputs.h"
#include "primitives/reduce.h"
#include "trace/frustum_march.h"
#include "trace/grid_march.h"
#include "trace/heat_colour.h"
#include "trace/random.h"
#include "trace/shade/render_job.h"
#include "trace/shade_colour.h"
#include "trace/surface_point.h"
#include "trace/traverse.h"

namespace copse::detail {

namespace {

/// Rows of the picture as kernels see them. x and y are those of a pixel of the whole picture.
///   Triangles: TriangleTable, or BufferSpan<const PackedTriangle>
template <class Triangles>
struct Canvas {
  Triangles triangles;
  Camera camera;
  u32 width, height;
  RowRange rows;
  PixelHit* hits;
  Rgba8* pixels;

  /// The threads take the rows in tiles of 8 x 8 pixels, so that neighbours visit the same nodes.
  COPSE_HD u64 thread_count() const {
    return divide_rounding_up(width, 8) * divide_rounding_up(rows.count, 8) * 64;
  }

  /// False if the thread's pixel is past the edge.
  COPSE_HD bool pixel_of(u64 thread, u32& x, u32& y) const {
    const u64 tile = thread / 64, tiles_per_row = divide_rounding_up(width, 8);
    const u32 within = u32(thread % 64);
    x = u32(tile % tiles_per_row) * 8 + within % 8;
    const u32 row = u32(tile / tiles_per_row) * 8 + within / 8;
    y = rows.first + row;
    return x < width && row < rows.count;
  }

  /// The place of a pixel in the arrays.
  COPSE_HD u64 place_of(u32 x, u32 y) const { return u64(y - rows.first) * width + x; }

  COPSE_HD Ray ray_of(u32 x, u32 y) const { return camera_ray(camera, x, y, width, height); }

  COPSE_HD Triangle triangle_of(const PixelHit& hit) const { return triangles_of(triangles).triangle(hit.at); }
  COPSE_HD u32 primitive_of(const PixelHit& hit) const { return triangles_of(triangles).primitive(hit.at); }
};

COPSE_HD inline u32 visits_of(const NoCounter&) {
  return 0;
}
COPSE_HD inline u32 visits_of(const VisitCounter& counter) {
  return counter.nodes + counter.primitives;
}

template <class View, class Triangles, class Counter>
struct TracePixels {
  View view;
  Canvas<Triangles> canvas;
  COPSE_HD void operator()(u64 thread) const {
    u32 x, y;
    if (!canvas.pixel_of(thread, x, y)) return;
    Counter counter;
    const TriangleAt closest = closest_triangle(view, canvas.triangles, canvas.ray_of(x, y), counter);
    canvas.hits[canvas.place_of(x, y)] = {closest.hit.t, closest.at, closest.hit.u, closest.hit.v,
                                          visits_of(counter)};
  }
};

struct ColourByNormal {
  template <class Triangles>
  COPSE_HD static vec3 colour(const Canvas<Triangles>&, const PixelHit&, const vec3& normal,
                              const vec3& direction) {
    return mul_rn(normal_tint(normal), headlight(dot_rn(normal, direction)));
  }
};

struct ColourByPrimitive {
  template <class Triangles>
  COPSE_HD static vec3 colour(const Canvas<Triangles>& canvas, const PixelHit& hit, const vec3& normal,
                              const vec3& direction) {
    return mul_rn(id_colour(canvas.primitive_of(hit)), headlight(dot_rn(normal, direction)));
  }
};

/// Surfaces before a background.
template <class Colour, class Triangles>
struct ShadeSurface {
  Canvas<Triangles> canvas;
  COPSE_HD void operator()(u64 i) const {
    const PixelHit hit = canvas.hits[i];
    const u32 x = u32(i % canvas.width), y = canvas.rows.first + u32(i / canvas.width);
    vec3 colour = background_colour(div_rn(float(y), float(canvas.height)));
    if (is_hit(hit)) {
      const vec3 direction = canvas.ray_of(x, y).direction;
      colour = Colour::colour(canvas, hit, facing_normal(canvas.triangle_of(hit), direction), direction);
    }
    canvas.pixels[i] = to_rgba(colour);
  }
};

/// The bits of a distance. Distances are not negative, so their bits have their order.
template <u32 of_a_miss>
struct DistanceBits {
  const PixelHit* hits;
  COPSE_HD u32 operator()(u64 i) const { return !is_hit(hits[i]) ? of_a_miss : bits_of(add_rn(hits[i].t, 0.0f)); }
};

template <class Triangles>
struct ShadeDistance {
  Canvas<Triangles> canvas;
  const u32* extremes;
  COPSE_HD void operator()(u64 i) const {
    vec3 colour(0.02f, 0.025f, 0.05f);
    if (is_hit(canvas.hits[i])) {
      const float nearest = float_from_bits(extremes[0]), farthest = float_from_bits(extremes[1]);
      const float range = sub_rn(farthest, nearest);
      colour = distance_colour(range > 0 ? div_rn(sub_rn(canvas.hits[i].t, nearest), range) : 0.0f);
    }
    canvas.pixels[i] = to_rgba(colour);
  }
};

COPSE_HD inline Aabb scene_box(const BvhView& bvh, const Aabb*) {
  const BvhNode root = bvh.nodes.data()[0];
  return {root.lo, root.hi};
}
template <class View>
COPSE_HD inline Aabb scene_box(const View&, const Aabb* box) {
  return *box;
}

template <class View, class Triangles>
struct ShadeOcclusion {
  View view;
  Canvas<Triangles> canvas;
  u32 ray_count;
  float distance;   // 0: a quarter of the scene's diagonal
  const Aabb* box;  // as in RenderJob

  COPSE_HD float reach() const {
    if (distance > 0) return distance;
    const Aabb scene = scene_box(view, box);
    return mul_rn(length_rn(sub_rn(scene.hi, scene.lo)), 0.25f);
  }

  /// The share of rays that escape.
  COPSE_HD float openness(const SurfacePoint& point, u32 seed) const {
    const float t_max = reach();
    SpherePoints sphere(seed);
    u32 escaped = 0;
    for (u32 k = 0; k < ray_count; ++k) {
      const vec3 direction = ambient_direction(point.normal, sphere.next());
      if (!any_hit(view, canvas.triangles, Ray{point.position, 0.0f, direction, t_max})) ++escaped;
    }
    return div_rn(float(escaped), float(ray_count));
  }

  COPSE_HD void operator()(u64 thread) const {
    u32 x, y;
    if (!canvas.pixel_of(thread, x, y)) return;
    const u64 i = canvas.place_of(x, y);
    const PixelHit hit = canvas.hits[i];
    vec3 colour(1.0f);
    if (is_hit(hit)) {
      const vec3 direction = canvas.ray_of(x, y).direction;
      const SurfacePoint point = surface_point(canvas.triangle_of(hit), hit.u, hit.v, direction);
      // Light adds up in linear values. The values of the screen are about their square roots.
      colour = vec3(mul_rn(0.90f, sqrt_rn(openness(point, y * canvas.width + x))));
    }
    canvas.pixels[i] = to_rgba(colour);
  }
};

struct Visits {
  const PixelHit* hits;
  COPSE_HD u32 operator()(u64 i) const { return hits[i].visits; }
};

template <class Triangles>
struct ShadeHeat {
  Canvas<Triangles> canvas;
  const u32* most;
  u32 limit;  // 0: the maximum
  COPSE_HD void operator()(u64 i) const {
    const u32 hottest = larger(limit == 0 ? *most : limit, 1u);
    canvas.pixels[i] = to_rgba(heat_scale(div_rn(float(canvas.hits[i].visits), float(hottest))));
  }
};

/// The box of a packed triangle. It is empty at places beyond the tree's triangles, and for a triangle that a refit
/// made infinite.
struct PackedBox {
  const PackedTriangle* packed;
  const WideBvhCounts* counts;
  COPSE_HD Aabb operator()(u64 place) const {
    if (place >= counts->primitive_count) return Aabb::empty();
    const Aabb box = bounds(packed[place].triangle());
    return is_valid(box) ? box : Aabb::empty();
  }
};

struct MergeBoxes {
  COPSE_HD Aabb operator()(const Aabb& a, const Aabb& b) const { return merge(a, b); }
};

/// Finds the hit of every pixel.
template <class Executor, class View, class Triangles>
void trace_pixels(const Executor& ex, const View& view, const Canvas<Triangles>& canvas, Shading shading) {
  if (shading == Shading::heat) {
    for_each(ex, "render: trace and count", canvas.thread_count(),
             TracePixels<View, Triangles, VisitCounter>{view, canvas});
  } else {
    for_each(ex, "render: trace", canvas.thread_count(), TracePixels<View, Triangles, NoCounter>{view, canvas});
  }
}

/// Finds the extremes for the colours of distance and heat.
template <class Executor>
void find_extremes(const Executor& ex, const RenderJob& job, u64 pixel_count) {
  if (job.options.shading == Shading::distance) {
    reduce(ex, "render: nearest", pixel_count, DistanceBits<invalid_id>{job.hits}, invalid_id, Smaller{},
           job.extremes);
    reduce(ex, "render: farthest", pixel_count, DistanceBits<0>{job.hits}, u32{0}, Larger{}, job.extremes + 1);
  } else if (job.options.shading == Shading::heat) {
    reduce(ex, "render: most visits", pixel_count, Visits{job.hits}, u32{0}, Larger{}, job.extremes + 1);
  }
}

template <class Executor, class View, class Triangles>
void colour_pixels(const Executor& ex, const View& view, const Canvas<Triangles>& canvas, const RenderJob& job,
                   u64 pixel_count) {
  const RenderOptions& options = job.options;
  switch (options.shading) {
    case Shading::normal:
      for_each(ex, "render: normals", pixel_count, ShadeSurface<ColourByNormal, Triangles>{canvas});
      break;
    case Shading::primitive:
      for_each(ex, "render: primitives", pixel_count, ShadeSurface<ColourByPrimitive, Triangles>{canvas});
      break;
    case Shading::distance:
      for_each(ex, "render: distances", pixel_count, ShadeDistance<Triangles>{canvas, job.extremes});
      break;
    case Shading::ambient_occlusion:
      if constexpr (!std::is_same_v<View, FrustumGridView>) {
        for_each(ex, "render: ambient occlusion", canvas.thread_count(),
                 ShadeOcclusion<View, Triangles>{view, canvas, options.ambient_rays, options.ambient_distance,
                                                 job.box});
      }
      break;
    case Shading::heat:
      for_each(ex, "render: heat", pixel_count,
               ShadeHeat<Triangles>{canvas, job.extremes + 1, options.heat_limit});
      break;
  }
}

template <class Executor, class View, class Triangles>
void render_through(const Executor& ex, const View& view, const Triangles& triangles, const RenderJob& job) {
  const Canvas<Triangles> canvas{triangles, job.camera, job.options.width, job.options.height,
                                 job.rows,  job.hits,   job.pixels};
  const u64 pixel_count = u64(job.options.width) * job.rows.count;
  if (job.steps != RenderSteps::colour) {
    trace_pixels(ex, view, canvas, job.options.shading);
    find_extremes(ex, job, pixel_count);
  }
  if (job.steps != RenderSteps::trace) colour_pixels(ex, view, canvas, job, pixel_count);
}

}  // namespace

template <class Executor, class View>
void render_pixels(const Executor& ex, const View& view, const RenderJob& job) {
  ScratchArena::Frame frame(ex.scratch);
  render_through(ex, view, make_triangle_table(ex, frame, job.views), job);
}

template <class Executor>
void render_packed(const Executor& ex, const CompressedBvh4View& view, RenderJob job) {
  ScratchArena::Frame frame(ex.scratch);
  auto* box = frame.template allocate<Aabb>(1);
  if (job.options.shading == Shading::ambient_occlusion && job.steps != RenderSteps::trace) {
    reduce(ex, "render: box", job.packed.size(), PackedBox{job.packed.data(), view.counts.data()}, Aabb::empty(),
           MergeBoxes{}, box);
    job.box = box;
  }
  render_through(ex, view, job.packed, job);
}

template void render_pixels(const BodyExecutor&, const BvhView&, const RenderJob&);
template void render_pixels(const BodyExecutor&, const GridView&, const RenderJob&);
template void render_pixels(const BodyExecutor&, const FrustumGridView&, const RenderJob&);
template void render_packed(const BodyExecutor&, const CompressedBvh4View&, RenderJob);

}  // namespace copse::detail
