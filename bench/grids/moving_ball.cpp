#include "bench/grids/moving_ball.h"

#include "bench/grids/moving_ball_body.h"
#include "primitives/core/dispatch.h"

namespace copse::bench {

MovingBall::MovingBall(Context& context, const Mesh& ball)
    : context_(context),
      rest_(context, ball.positions),
      positions_(context, ball.positions),
      triangles_(context, ball.triangles),
      phase_(context, 1) {
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
