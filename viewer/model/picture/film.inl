#include "primitives/inputs.h"
#include "primitives/reduce.h"
#include "trace/heat_colour.h"
#include "trace/random.h"
#include "trace/shade_colour.h"
#include "viewer/model/picture/film_job.h"

namespace copse::viewer {

namespace {

COPSE_HD inline Ray dead_ray() {
  return {vec3(0), 0.0f, vec3(0), -1.0f};
}

struct MakePictureRays {
  FilmJob job;
  u64 first;
  Ray* rays;
  COPSE_HD void operator()(u64 k) const {
    u32 x, y;
    rays[k] = job.tiles.pixel_of(first + k, x, y)
                  ? job.space.clip(camera_ray(job.camera, x, y, job.tiles.width, job.tiles.height))
                  : dead_ray();
  }
};

/// A point on the unit sphere, the same on all backends. Four points of a Kronecker sequence in the cube are tried
/// (its steps are powers of the inverse of the root of x^4 = x + 1); the first inside the ball is projected
/// outwards. Each pixel begins at another place of the sequence. The samples of one pixel follow the sequence, so
/// they spread evenly.
COPSE_HD inline vec3 sphere_point(u32 pixel, u32 sample, const vec3& instead) {
  const u32 x = detail::pcg_hash(pixel), y = detail::pcg_hash(pixel ^ 0x9e3779b9u),
            z = detail::pcg_hash(pixel + 0x85ebca6bu);
  for (u32 attempt = 0; attempt < 4; ++attempt) {
    const u32 step = sample * 4 + attempt;
    const vec3 p = mul_rn(vec3(float(i32(x + step * 3518319155u)), float(i32(y + step * 2882110345u)),
                               float(i32(z + step * 2360945575u))),
                          1.0f / 2147483648.0f);
    const float square = dot_rn(p, p);
    if (square > 0.01f && square <= 1.0f) return div_rn(p, sqrt_rn(square));
  }
  return instead;
}

struct MakeAmbientRays {
  FilmJob job;
  u64 first;
  Ray* rays;
  COPSE_HD void operator()(u64 k) const {
    const SurfaceHit surface = job.surfaces[first + k];
    u32 x, y;
    if (!job.tiles.pixel_of(first + k, x, y) || surface.id == invalid_id) {
      rays[k] = dead_ray();
      return;
    }
    const Ray ray = camera_ray(job.camera, x, y, job.tiles.width, job.tiles.height);
    const vec3 point = add_rn(ray.origin, mul_rn(ray.direction, surface.t));
    // Starts off the surface, by more than the rounding of the point.
    const float scale = larger(largest_component(point), larger(largest_component(ray.origin), surface.t));
    const vec3 origin = add_rn(point, mul_rn(surface.normal, mul_rn(scale, 1.0f / 32768.0f)));
    // The normal plus a random point of the unit sphere is cosine-distributed.
    vec3 direction = add_rn(surface.normal, sphere_point(u32(first + k), job.sample, surface.normal));
    const float length = length_rn(direction);
    direction = length > 1e-3f ? div_rn(direction, length) : surface.normal;
    rays[k] = job.space.clip({origin, 0.0f, direction, job.ambient_reach});
  }
};

struct AddAmbient {
  FilmJob job;
  u64 first;
  const u8* occluded;
  COPSE_HD void operator()(u64 k) const {
    const u32 before = job.sample == 0 ? 0 : job.open_counts[first + k];
    job.open_counts[first + k] = before + (occluded[k] != 0 ? 0 : 1);
  }
};

/// Distances are not negative, so their bits compare as they do.
template <u32 of_a_miss>
struct DistanceBits {
  const SurfaceHit* surfaces;
  COPSE_HD u32 operator()(u64 i) const {
    return surfaces[i].id == invalid_id ? of_a_miss : bits_of(add_rn(larger(surfaces[i].t, 0.0f), 0.0f));
  }
};

struct ValueOf {
  const u32* values;
  COPSE_HD u32 operator()(u64 i) const { return values[i]; }
};

struct ShadePixels {
  FilmJob job;
  COPSE_HD void operator()(u64 i) const {
    const u32 x = u32(i % job.tiles.width), y = u32(i / job.tiles.width);
    const u64 place = job.tiles.ray_of(x, y);
    const SurfaceHit surface = job.surfaces[place];
    const bool met = surface.id != invalid_id;
    if (job.distances != nullptr) job.distances[i] = met ? surface.t : infinity;
    const vec3 plain = met || job.view == View::heat ? colour(surface, place, x, y) : background(y);
    job.pixels[i] = detail::to_rgba(job.wire && is_edge(surface.id, x, y) ? wire_colour(plain) : plain);
  }

  /// True where the pixel to the right or the one below shows something else.
  COPSE_HD bool is_edge(u32 id, u32 x, u32 y) const {
    const u32 right = smaller(x + 1, job.tiles.width - 1), below = smaller(y + 1, job.tiles.height - 1);
    return job.surfaces[job.tiles.ray_of(right, y)].id != id || job.surfaces[job.tiles.ray_of(x, below)].id != id;
  }

  /// Dark lines, but light ones over what is nearly black.
  COPSE_HD static vec3 wire_colour(const vec3& plain) {
    const float light = add_rn(add_rn(plain.x, plain.y), plain.z);
    return mix_rn(plain, light > 0.45f ? vec3(0.05f, 0.07f, 0.12f) : vec3(0.85f, 0.9f, 1.0f), 0.7f);
  }

  COPSE_HD vec3 background(u32 y) const {
    if (job.view == View::distance) return vec3(0.02f, 0.025f, 0.05f);
    return detail::background_colour(div_rn(float(y), float(job.tiles.height)));
  }

  COPSE_HD float light(const SurfaceHit& surface, u32 x, u32 y) const {
    const Ray ray = camera_ray(job.camera, x, y, job.tiles.width, job.tiles.height);
    return detail::headlight(dot_rn(surface.normal, ray.direction));
  }

  /// A value as a fraction of the maximum.
  COPSE_HD float share(u32 value) const {
    const u32 most = job.view == View::heat && job.heat_limit != 0 ? job.heat_limit : job.extremes[2];
    return div_rn(float(value), float(larger(most, 1u)));
  }

  COPSE_HD float farness(float t) const {
    const float nearest = float_from_bits(job.extremes[0]), farthest = float_from_bits(job.extremes[1]);
    const float range = sub_rn(farthest, nearest);
    return range > 0 ? div_rn(sub_rn(t, nearest), range) : 0.0f;
  }

  COPSE_HD vec3 leaf_colour(u32 value) const {
    return job.leaf_tint == LeafTint::id ? detail::id_colour(value) : detail::heat_scale(share(value));
  }

  COPSE_HD vec3 colour(const SurfaceHit& surface, u64 place, u32 x, u32 y) const {
    switch (job.view) {
      case View::shaded: return mul_rn(vec3(0.84f, 0.85f, 0.87f), light(surface, x, y));
      case View::normals: return add_rn(vec3(0.5f), mul_rn(surface.normal, 0.5f));
      case View::primitives: return mul_rn(detail::id_colour(surface.id), light(surface, x, y));
      case View::distance: return detail::distance_colour(farness(surface.t));
      case View::ambient_occlusion: {
        // Light adds up linearly. Values of the screen are about the square roots.
        const float open = div_rn(float(job.open_counts[place]), float(larger(job.sample, 1u)));
        return vec3(mul_rn(0.90f, sqrt_rn(open)));
      }
      case View::heat: return detail::heat_scale(share(job.values[place]));
      case View::leaves: return mul_rn(leaf_colour(job.values[place]), light(surface, x, y));
    }
    return vec3(0);
  }
};

struct AddColours {
  FilmJob job;
  u32 sample;
  COPSE_HD void operator()(u64 i) const {
    const ColourSum before = sample == 0 ? ColourSum{0, 0, 0} : job.sums[i];
    const Rgba8 pixel = job.pixels[i];
    job.sums[i] = {before.r + pixel.r, before.g + pixel.g, before.b + pixel.b};
  }
};

struct TakeMeans {
  FilmJob job;
  u32 count;
  COPSE_HD void operator()(u64 i) const {
    const ColourSum sum = job.sums[i];
    const u32 half = count / 2;
    job.pixels[i] = {u8((sum.r + half) / count), u8((sum.g + half) / count), u8((sum.b + half) / count), 255};
  }
};

}  // namespace

template <class Executor>
void make_picture_rays(const Executor& ex, const FilmJob& job, u64 first, BufferSpan<Ray> rays) {
  for_each(ex, "picture: rays", rays.size(), MakePictureRays{job, first, rays.data()});
}

template <class Executor>
void make_ambient_rays(const Executor& ex, const FilmJob& job, u64 first, BufferSpan<Ray> rays) {
  for_each(ex, "picture: ambient rays", rays.size(), MakeAmbientRays{job, first, rays.data()});
}

template <class Executor>
void add_ambient(const Executor& ex, const FilmJob& job, u64 first, BufferSpan<const u8> occluded) {
  for_each(ex, "picture: ambient light", occluded.size(), AddAmbient{job, first, occluded.data()});
}

template <class Executor>
void shade_film(const Executor& ex, const FilmJob& job) {
  const u64 ray_count = job.tiles.ray_count();
  if (job.view == View::distance) {
    reduce(ex, "picture: nearest", ray_count, DistanceBits<invalid_id>{job.surfaces}, invalid_id, Smaller{},
           job.extremes);
    reduce(ex, "picture: farthest", ray_count, DistanceBits<0>{job.surfaces}, u32{0}, Larger{}, job.extremes + 1);
  }
  if (job.view == View::heat || job.view == View::leaves) {
    reduce(ex, "picture: most", ray_count, ValueOf{job.values}, u32{0}, Larger{}, job.extremes + 2);
  }
  for_each(ex, "picture: colours", u64{job.tiles.width} * job.tiles.height, ShadePixels{job});
}

template <class Executor>
void add_colours(const Executor& ex, const FilmJob& job, u32 sample) {
  for_each(ex, "picture: sums", u64{job.tiles.width} * job.tiles.height, AddColours{job, sample});
}

template <class Executor>
void take_means(const Executor& ex, const FilmJob& job, u32 count) {
  for_each(ex, "picture: means", u64{job.tiles.width} * job.tiles.height, TakeMeans{job, count});
}

using Executor = copse::detail::BodyExecutor;
template void make_picture_rays(const Executor&, const FilmJob&, u64, BufferSpan<Ray>);
template void make_ambient_rays(const Executor&, const FilmJob&, u64, BufferSpan<Ray>);
template void add_ambient(const Executor&, const FilmJob&, u64, BufferSpan<const u8>);
template void shade_film(const Executor&, const FilmJob&);
template void add_colours(const Executor&, const FilmJob&, u32);
template void take_means(const Executor&, const FilmJob&, u32);

}  // namespace copse::viewer
