#include <cmath>

#include "bench/grids/moving_ball_body.h"

namespace copse::bench {

namespace {

inline constexpr u32 phase_count = 32;

/// Twists the ball around its axis. Waves run over it.
struct MoveVertex {
  const vec3* rest;
  const u32* phase;
  vec3* positions;
  COPSE_HD void operator()(u64 i) const {
    const vec3 p = rest[i];
    const float time = float(*phase % phase_count) * (6.2831853f / float(phase_count));
    const float angle = 2.5f * p.y * sinf(time);
    const float c = cosf(angle), s = sinf(angle);
    const float radius = 1 + 0.12f * sinf(9 * p.x + time) * sinf(11 * p.y - time) * sinf(7 * p.z);
    positions[i] = vec3(radius * (c * p.x - s * p.z), radius * p.y, radius * (s * p.x + c * p.z));
  }
};

struct CountPhase {
  u32* phase;
  COPSE_HD void operator()(u64) const { ++*phase; }
};

}  // namespace

template <class Executor>
void move_ball(const Executor& ex, const vec3* rest, u64 vertex_count, u32* phase, vec3* positions) {
  for_each(ex, "bench: move", vertex_count, MoveVertex{rest, phase, positions});
  for_each(ex, "bench: phase", 1, CountPhase{phase});
}

template void move_ball(const copse::detail::BodyExecutor&, const vec3*, u64, u32*, vec3*);

}  // namespace copse::bench
