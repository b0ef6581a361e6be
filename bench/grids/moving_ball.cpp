#include "bench/grids/moving_ball.h"

#include "bench/grids/moving_ball_body.h"
#include "primitives/core/dispatch.h"

namespace copse::bench {

MovingBall::MovingBall(Context& context, u32 subdivisions) : context_(context), phase_(context, 1) {
  const Mesh mesh = generate_sphere(subdivisions);
  rest_ = Buffer<vec3>(context, mesh.positions);
  positions_ = Buffer<vec3>(context, mesh.positions);
  triangles_ = Buffer<uvec3>(context, mesh.triangles);
  reset();
}

void MovingBall::reset() {
  phase_.upload(std::vector<u32>{0});
  move();
}

void MovingBall::move() {
  dispatch(context_,
           [&](const auto& ex) { move_ball(ex, rest_.data(), rest_.size(), phase_.data(), positions_.data()); });
}

}  // namespace copse::bench
