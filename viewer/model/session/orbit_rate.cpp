#include "viewer/model/session/orbit_rate.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>

namespace copse::viewer {

namespace {

using Clock = std::chrono::steady_clock;

/// The processor time of all threads of this process. It does not count while other processes run, so it tells
/// more than the clock on a busy machine.
double processor_seconds() {
  return double(std::clock()) / CLOCKS_PER_SEC;
}

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Updates the session and returns the seconds that it took. `last_seconds`: those of the last update.
double update(Session& session, double last_seconds) {
  const Clock::time_point begin = Clock::now();
  session.update(last_seconds);
  return seconds_since(begin);
}

}  // namespace

OrbitRate measure_orbit(Session& session, double seconds, Meanwhile meanwhile) {
  constexpr float heights_per_second = 0.5f;  // of the picture, by which the mouse moves
  OrbitRate rate;
  u64 revision = session.picture(0).revision;
  double last_seconds = 0.02;
  const Clock::time_point begin = Clock::now();
  const double processor_begin = processor_seconds();
  bool is_building = false;
  if (meanwhile == Meanwhile::builds) rate.build_count = 0;
  session.view().smooth_samples = 1;  // the picture is whole before its edges are smooth
  while (seconds_since(begin) < seconds) {
    if (meanwhile == Meanwhile::builds && !is_building) {
      session.build(0);
      is_building = true;
    }
    session.camera().orbit(heights_per_second * float(last_seconds), 0);
    last_seconds = update(session, last_seconds);
    rate.longest_update_ms = std::max(rate.longest_update_ms, last_seconds * 1000);
    if (is_building && !session.job().running) {
      is_building = false;
      ++*rate.build_count;
    }
    const Picture& picture = session.picture(0);
    if (picture.revision == revision) continue;
    revision = picture.revision;
    const bool is_smallest = rate.picture_count++ == 0 || picture.image.width < rate.width;
    if (!is_smallest) continue;
    rate.width = picture.image.width;
    rate.height = picture.image.height;
  }
  rate.seconds = seconds_since(begin);
  rate.processor_seconds = processor_seconds() - processor_begin;

  const Clock::time_point rest = Clock::now();
  const double processor_rest = processor_seconds();
  session.set_user_active(false);
  while (session.busy()) last_seconds = update(session, last_seconds);
  session.set_user_active(true);
  rate.seconds_to_rest = seconds_since(rest);
  rate.processor_seconds_to_rest = processor_seconds() - processor_rest;
  rate.whole_width = session.picture(0).image.width;
  rate.whole_height = session.picture(0).image.height;
  return rate;
}

std::string in_words(const OrbitRate& rate) {
  char line[280];
  std::snprintf(line, sizeof line,
                "orbit: %.1f pictures per second of %u x %u or more, each %.0f ms of processor time; longest "
                "update %.0f ms; "
                "%u x %u %.2f s after rest, %.2f s of processor time",
                rate.pictures_per_second(), rate.width, rate.height,
                rate.picture_count > 0 ? rate.processor_seconds * 1000 / rate.picture_count : 0,
                rate.longest_update_ms, rate.whole_width, rate.whole_height, rate.seconds_to_rest,
                rate.processor_seconds_to_rest);
  std::string text = line;
  if (rate.build_count) text += "; built " + std::to_string(*rate.build_count) + " times meanwhile";
  return text + '\n';
}

}  // namespace copse::viewer
