#include "viewer/model/picture/film.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>

#include "primitives/core/dispatch.h"
#include "scale/split_work.h"
#include "trace/colour_scale.h"
#include "trace/heat_colour.h"
#include "viewer/model/picture/percentile.h"

namespace copse::viewer {

// The body: film.inl, for either executor.

/// Stores in rays[k] the ray number first + k.
template <class Executor>
void make_picture_rays(const Executor& ex, const FilmJob& job, u64 first, BufferSpan<Ray> rays);

/// Stores in rays[k] the ambient ray of surface number first + k; a ray that hits nothing if there is no surface.
template <class Executor>
void make_ambient_rays(const Executor& ex, const FilmJob& job, u64 first, BufferSpan<Ray> rays);
/// Counts the ambient rays that are not occluded. Sample 0 resets the counts.
template <class Executor>
void add_ambient(const Executor& ex, const FilmJob& job, u64 first, BufferSpan<const u8> occluded);

/// Colours all pixels.
template <class Executor>
void shade_film(const Executor& ex, const FilmJob& job);

/// Adds the colours of the pixels to the sums. Sample 0 resets the sums.
template <class Executor>
void add_colours(const Executor& ex, const FilmJob& job, u32 sample);
/// Gives the pixels the means of `count` samples.
template <class Executor>
void take_means(const Executor& ex, const FilmJob& job, u32 count);

namespace {

template <class T>
void make_room(Context& context, Buffer<T>& buffer, u64 size) {
  if (buffer.size() < size) buffer = Buffer<T>(context, size);
}

float ambient_reach(const ViewSettings& view, const Aabb& box) {
  const float diagonal = is_valid(box) ? glm::length(box.hi - box.lo) : 0.0f;
  return std::max(view.ambient_reach, 1e-6f) * (diagonal > 0 && is_finite(diagonal) ? diagonal : 1.0f);
}

/// Moves the rays of all pixels within their pixels, by a sequence that spreads evenly: multiples of the inverse of
/// the root of x^3 = x + 1, and of its square.
Camera jittered(Camera camera, const Tiles& tiles, u32 sample) {
  const auto offset = [&](double step) {
    const double place = 0.5 + step * sample;
    return float(place - std::floor(place) - 0.5);  // in pixels
  };
  camera.forward += camera.right * (2 * offset(0.7548776662466927) / float(tiles.width)) +
                    camera.up * (2 * offset(0.5698402909980532) / float(tiles.height));
  return camera;
}

}  // namespace

HalfSpace half_space(const SlicePlane& slice, const Aabb& box) {
  if (!slice.on || !is_valid(box)) return {};
  const u32 axis = std::min(slice.axis, 2u);
  const float place = box.lo[int(axis)] + (box.hi[int(axis)] - box.lo[int(axis)]) * slice.place;
  return {axis, place, slice.flipped ? -1.0f : 1.0f};
}

void Film::begin(const Shot& shot, u32 width, u32 height) {
  shot_ = shot;
  job_ = {.tiles = {width, height},
          .camera = shot.camera,
          .space = half_space(shot.view.slice, shot.box),
          .view = shot.view.view,
          .wire = shot.view.wire,
          .leaf_tint = shot.view.leaf_tint,
          .ambient_reach = ambient_reach(shot.view, shot.box),
          .sample = 0,
          .heat_limit = shot.view.heat_limit,
          .surfaces = nullptr,
          .values = nullptr,
          .open_counts = nullptr,
          .extremes = extremes_.data(),
          .pixels = nullptr,
          .distances = nullptr,
          .sums = nullptr};
  own_heat_limit_ = 0;
  sample_ = 0;
  const u64 pixel_count = u64{width} * height;
  make_room(context_, surfaces_, ray_count());
  make_room(context_, pixels_, pixel_count);
  make_room(context_, distances_, pixel_count);
  if (has_values()) make_room(context_, values_, ray_count());
  if (job_.view == View::ambient_occlusion) make_room(context_, open_counts_, ray_count());
  job_.surfaces = surfaces_.data();
  job_.values = values_.data();
  job_.open_counts = open_counts_.data();
  job_.pixels = pixels_.data();
  job_.distances = distances_.data();
}

void Film::trace(Structure& structure, const TriangleView& triangles, u64 first, u64 count) {
  depth_unit_ = structure.depth_unit();
  if (count == 0) return;
  make_room(context_, rays_, count);
  const BufferSpan<Ray> rays = rays_.span().first(count);
  const BufferSpan<SurfaceHit> surfaces = surfaces_.span().subspan(first, count);
  dispatch(context_, [&](const auto& ex) { make_picture_rays(ex, job_, first, rays); });
  structure.see(triangles, rays, surfaces);
  if (!has_values()) return;
  const BufferSpan<u32> values = values_.span().subspan(first, count);
  if (job_.view == View::heat) {
    structure.count_visits(triangles, rays, values);
  } else {
    structure.label(rays, surfaces, job_.leaf_tint, values);
  }
}

void Film::add_ambient(Structure& structure, const TriangleView& triangles, u32 sample, u64 first, u64 count) {
  if (count == 0) return;
  make_room(context_, rays_, count);
  make_room(context_, occluded_, count);
  const BufferSpan<Ray> rays = rays_.span().first(count);
  const BufferSpan<u8> occluded = occluded_.span().first(count);
  job_.sample = sample;
  dispatch(context_, [&](const auto& ex) { make_ambient_rays(ex, job_, first, rays); });
  structure.occlude(triangles, rays, occluded);
  dispatch(context_,
           [&](const auto& ex) { viewer::add_ambient(ex, job_, first, BufferSpan<const u8>(occluded)); });
}

void Film::take(Devices& devices, Context& context, const Film& other, u64 first, u64 count) {
  const auto copy = [&](auto* to, const auto* from) {
    detail::copy_between(devices, context, to + first, from + first, count * sizeof *to);
  };
  copy(surfaces_.data(), other.surfaces_.data());
  if (has_values()) copy(values_.data(), other.values_.data());
  if (job_.view == View::ambient_occlusion) copy(open_counts_.data(), other.open_counts_.data());
}

void Film::set_scale(const ViewSettings& view) {
  if (view.heat_percentile != shot_.view.heat_percentile) own_heat_limit_ = 0;
  shot_.view.heat_limit = view.heat_limit;
  shot_.view.heat_percentile = view.heat_percentile;
  shot_.view.heat_legend = view.heat_legend;
}

/// The maximum is found on the device. A percentile takes the visits to the host.
void Film::choose_heat_scale() {
  if (own_heat_limit_ == 0 && shot_.view.heat_percentile < 100) {
    own_heat_limit_ = std::max(percentile(values_.download(ray_count()), double(shot_.view.heat_percentile)), 1u);
  }
  job_.heat_limit = shot_.view.heat_limit != 0 ? shot_.view.heat_limit : own_heat_limit_;
}

void Film::shade(u32 samples) {
  job_.sample = samples;
  if (job_.view == View::heat) choose_heat_scale();
  dispatch(context_, [&](const auto& ex) { shade_film(ex, job_); });
}

void Film::begin_sample(u32 sample) {
  if (sample_ == 0) {
    make_room(context_, sums_, u64{job_.tiles.width} * job_.tiles.height);
    job_.sums = sums_.data();
    job_.distances = nullptr;
    dispatch(context_, [&](const auto& ex) { add_colours(ex, job_, 0); });
  }
  sample_ = sample;
  job_.camera = jittered(shot_.camera, job_.tiles, sample);
}

void Film::shade_sample() {
  shade(0);
  dispatch(context_, [&](const auto& ex) {
    add_colours(ex, job_, sample_);
    take_means(ex, job_, sample_ + 1);
  });
}

void Film::download(Picture& picture) const {
  const u64 pixel_count = u64{job_.tiles.width} * job_.tiles.height;
  picture.image = {job_.tiles.width, job_.tiles.height, pixels_.download(pixel_count)};
  picture.distances = distances_.download(pixel_count);
  picture.device = {};
  describe(picture);
  picture.scale_rows = shot_.view.heat_legend ? draw_scale(picture) : 0;
}

/// Returns the rows that the scale covers.
u32 Film::draw_scale(Picture& picture) const {
  if (job_.view == View::heat) {
    return detail::draw_heat_legend(picture.image, picture.heat_limit, picture.max_visits > picture.heat_limit);
  }
  if (!shows_depths() || depth_unit_ == nullptr) return 0;
  const u32 deepest = std::max(extremes_.download()[2], 1u);
  return detail::draw_scale(picture.image, {detail::heat_scale, detail::quarters_to(deepest, false), depth_unit_});
}

void Film::leave_on_device(Picture& picture) const {
  picture.image = {job_.tiles.width, job_.tiles.height, {}};
  picture.distances = {};
  picture.device = {pixels_.data(), distances_.data(), context_.stream()};
  picture.scale_rows = 0;
  describe(picture);
}

void Film::describe(Picture& picture) const {
  picture.camera = shot_.camera;
  picture.samples = job_.sample;
  picture.heat_limit = picture.own_heat_limit = picture.max_visits = 0;
  if (job_.view != View::heat) return;
  picture.max_visits = extremes_.download()[2];
  picture.own_heat_limit = std::max(own_heat_limit_ != 0 ? own_heat_limit_ : picture.max_visits, 1u);
  picture.heat_limit = job_.heat_limit != 0 ? job_.heat_limit : picture.own_heat_limit;
}

std::vector<u32> Film::download_values() const {
  const Tiles& tiles = job_.tiles;
  std::vector<u32> rows(u64{tiles.width} * tiles.height);
  if (!has_values()) return rows;
  const std::vector<u32> in_tiles = values_.download(ray_count());
  for (u32 y = 0; y < tiles.height; ++y) {
    for (u32 x = 0; x < tiles.width; ++x) rows[u64{y} * tiles.width + x] = in_tiles[tiles.ray_of(x, y)];
  }
  return rows;
}

}  // namespace copse::viewer
