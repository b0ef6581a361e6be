#include "viewer/model/picture/renderer.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "viewer/model/picture/cameras.h"

namespace copse::viewer {

namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

bool same_shot(const Shot& a, const Shot& b) {
  return same_camera(a.camera, b.camera) && a.view == b.view && a.box == b.box;
}

/// While things move, a picture may take so many times as long as an update.
constexpr double preview_updates = 2;

/// The time that a piece should take on the CPU. It takes longer if its rays visit more than those before.
constexpr double piece_ms = 1.5;

/// Rays of a frustum grid must be those of its camera.
bool can_smooth(const LiveStructure& live) {
  return live.options().kind != StructureKind::frustum;
}

constexpr u32 min_preview_width = 640, min_preview_height = 360;

}  // namespace

bool Renderer::same(const Key& a, const Key& b) {
  return same_shot(a.shot, b.shot) && a.width == b.width && a.height == b.height && a.revision == b.revision &&
         a.keeps_values == b.keeps_values;
}

Renderer::Key Renderer::with_scale_of(Key key, const Key& scale) {
  key.shot.view.heat_limit = scale.shot.view.heat_limit;
  key.shot.view.heat_percentile = scale.shot.view.heat_percentile;
  key.shot.view.heat_legend = scale.shot.view.heat_legend;
  return key;
}

void Renderer::forget() {
  shown_.reset();
  working_ = is_unseen_ = false;
  picture_.device = {};
}

std::optional<double> Renderer::take_trace_ms() {
  return std::exchange(trace_ms_, std::nullopt);
}

bool Renderer::take_aimed() {
  return std::exchange(has_aimed_, false);
}

bool Renderer::is_done(const LiveStructure& live, const PictureRequest& request) const {
  if (request.width == 0 || request.height == 0) return picture_.image.width == 0;
  return at_rest_ && !is_unseen_ && shown_ && same(*shown_, key_of(live, request));
}

Renderer::Key Renderer::key_of(const LiveStructure& live, const PictureRequest& request) {
  return {request.shot, request.width, request.height, live.revision(), request.keeps_values};
}

bool Renderer::advance(LiveStructure& live, const PictureRequest& request) {
  const Key wanted = key_of(live, request);
  if (working_ && !same(making_, wanted) && same(with_scale_of(making_, wanted), wanted)) {
    // Two heat maps share a scale, which changes while both are made. The work goes on: the scale only colours it.
    live.film().set_scale(wanted.shot.view);
    making_ = wanted;
  }
  // A picture that was begun for another view is dropped, unless it is the first one of its view.
  const bool stays = is_first_ && !request.whole && wanted.revision == making_.revision;
  if (working_ && !same(making_, wanted) && !stays) working_ = false;

  on_device_ = request.on_device;
  const Clock::time_point begin = Clock::now();
  const auto has_time_for = [&](double ms) {
    return request.whole || milliseconds_since(begin) + ms < request.budget_ms;
  };
  const u64 revision = picture_.revision;
  try {
    if (is_unseen_) present(live);
    do {
      if (!working_ && !choose(wanted, live, request)) break;
      const Clock::time_point piece_begin = Clock::now();
      const bool done = work(live, request.whole);
      if (done) live.context().wait();
      work_ms_ += milliseconds_since(piece_begin);
      if (done) complete(live);
    } while (has_time_for(piece_ms + (is_unseen_ ? present_ms_ : 0)));
    const bool is_wanted_here = picture_.device.pixels != nullptr && !stays_on_device(live);
    if (is_wanted_here || (is_unseen_ && has_time_for(present_ms_))) present(live);
  } catch (...) {
    working_ = is_unseen_ = false;
    at_rest_ = true;
    shown_ = wanted;
    is_preview_ = is_first_ = false;
    samples_ = ~0u;
    smoothed_ = 1u << 30;
    throw;
  }
  return picture_.revision != revision;
}

/// Begins the next picture or sample. Returns false if there is nothing to do.
bool Renderer::choose(const Key& wanted, LiveStructure& live, const PictureRequest& request) {
  at_rest_ = false;
  if (request.width == 0 || request.height == 0) {
    if (picture_.image.width != 0) {
      const u64 revision = picture_.revision + 1;
      picture_ = {};
      picture_.revision = revision;
      forget();
    }
    at_rest_ = true;
    return false;
  }
  if (shown_ && smoothed_ == 0 && !same(*shown_, wanted) && same(*shown_, with_scale_of(wanted, *shown_))) {
    // Only the scale of colours has changed.
    live.film().set_scale(wanted.shot.view);
    shown_ = making_ = wanted;
    is_unseen_ = true;
    return choose(wanted, live, request);
  }
  if (!shown_ || !same(*shown_, wanted)) {
    const double scale = request.whole ? 1 : reduction(request);
    begin(wanted, live, std::max(u32(request.width * scale), 1u), std::max(u32(request.height * scale), 1u));
    is_first_ = true;
    return true;
  }
  if (is_preview_) {
    begin(wanted, live, request.width, request.height);
    return true;
  }
  const ViewSettings& view = wanted.shot.view;
  if (view.view == View::ambient_occlusion && samples_ < std::clamp(view.ambient_samples, 1u, 4096u)) {
    working_ = sampling_ = true;
    is_first_ = false;
    next_ray_ = 0;
    work_ms_ = 0;
    return true;
  }
  if (is_smoothed(view) && !request.keeps_values && can_smooth(live) && smoothed_ + 1 < view.smooth_samples) {
    if (is_unseen_) present(live);
    live.film().begin_sample(++smoothed_);
    working_ = true;
    is_first_ = false;
    next_ray_ = 0;
    work_ms_ = 0;
    return true;
  }
  at_rest_ = true;
  return false;
}

/// The edge length of a preview as a fraction of the full size: as large as its time allows, in steps of an
/// eighth, and at least 640 x 360.
double Renderer::reduction(const PictureRequest& request) const {
  const double full_ms = double(request.width) * request.height * picture_ns_ * 1e-6;
  const double least = std::min(
      1.0, std::max(double(min_preview_width) / request.width, double(min_preview_height) / request.height));
  const double fitting = std::sqrt(request.budget_ms * preview_updates / std::max(full_ms, 1e-3));
  return std::clamp(std::floor(fitting * 8) / 8, least, 1.0);
}

void Renderer::begin(const Key& wanted, LiveStructure& live, u32 width, u32 height) {
  if (is_unseen_) present(live);
  shown_.reset();
  making_ = wanted;
  is_preview_ = width != wanted.width || height != wanted.height;
  is_first_ = false;
  working_ = true;
  sampling_ = false;
  next_ray_ = 0;
  samples_ = smoothed_ = 0;
  work_ms_ = 0;
  has_aimed_ |= live.aim(wanted.shot.camera, !is_preview_);
  live.film().begin(wanted.shot, width, height);
  // If the film has allocated, the memory of the last picture is gone.
  if (picture_.device.pixels != live.film().pixels()) picture_.device = {};
}

/// The number of rays of one piece, in whole tiles. A GPU gets all rays at once.
u64 Renderer::piece(const LiveStructure& live, double ns_per_ray, bool whole) const {
  constexpr u64 tile = Tiles::edge * Tiles::edge;
  if (live.backend() == Backend::cuda) return u64{1} << 22;
  if (whole) return u64{1} << 16;
  // Where background ends and dense geometry begins, a ray may take ten times as long as in the last piece.
  const double rays = std::clamp(piece_ms * 1e6 / std::max(ns_per_ray, picture_ns_), 1024.0, 65536.0);
  return u64(rays) / tile * tile;
}

/// Traces a piece. Returns true if it was the last one of the picture, or of a sample.
bool Renderer::work(LiveStructure& live, bool whole) {
  Film& film = live.film();
  const TriangleView triangles = live.scene().view();
  const u64 count = std::min(piece(live, sampling_ ? sample_ns_ : trace_ns_, whole), film.ray_count() - next_ray_);
  const Clock::time_point begin = Clock::now();
  if (sampling_) {
    film.add_ambient(live.structure(), triangles, samples_, next_ray_, count);
  } else {
    film.trace(live.structure(), triangles, next_ray_, count);
  }
  if (live.backend() == Backend::cpu) {
    // On the CPU, the work is done when the call returns. The mean of old and new soon forgets one slow moment.
    double& known = sampling_ ? sample_ns_ : trace_ns_;
    known = 0.5 * known + 0.5 * milliseconds_since(begin) * 1e6 / double(count);
  }
  next_ray_ += count;
  if (next_ray_ < film.ray_count()) return false;
  next_ray_ = 0;
  if (!sampling_ && making_.shot.view.view == View::ambient_occlusion) {
    sampling_ = true;
    return false;
  }
  return true;
}

/// Called when all rays of the picture, or of a sample, are traced.
void Renderer::complete(LiveStructure& live) {
  if (samples_ == 0 && smoothed_ == 0) picture_ns_ = work_ms_ * 1e6 / double(live.film().ray_count());
  if (sampling_) ++samples_;
  shown_ = making_;
  working_ = false;
  is_unseen_ = true;
}

/// A picture into which a scale is drawn must be on the host.
bool Renderer::stays_on_device(const LiveStructure& live) const {
  const ViewSettings& view = making_.shot.view;
  const bool shows_values = view.view == View::heat || view.view == View::leaves;
  const bool has_legend = shows_values && view.heat_legend;
  return on_device_ && live.backend() == Backend::cuda && !making_.keeps_values && !has_legend;
}

/// Colours the picture, if that is not done yet, and downloads it, or stores where it is on the device.
void Renderer::present(LiveStructure& live) {
  const Clock::time_point begin = Clock::now();
  Film& film = live.film();
  // A picture that was left on the device may be wanted on the host later. Its last sample counts once.
  if (is_unseen_) smoothed_ > 0 ? film.shade_sample() : film.shade(samples_);
  const u64 revision = picture_.revision + 1;
  if (stays_on_device(live)) {
    film.leave_on_device(picture_);
  } else {
    film.download(picture_);
  }
  picture_.revision = revision;
  picture_.is_preview = is_preview_;
  values_.clear();
  if (making_.keeps_values && !is_preview_) values_ = film.download_values();
  is_unseen_ = false;
  present_ms_ = milliseconds_since(begin);
  trace_ms_ = work_ms_ + present_ms_;
}

}  // namespace copse::viewer
