#include "viewer/model/scene/playback.h"

#include <algorithm>
#include <cmath>

namespace copse::viewer {

void Playback::advance(double seconds) {
  if (!playing) return;
  const double step = seconds * double(speed) / std::max(double(period), 1e-3);
  if (!std::isfinite(step)) return;
  const double next = double(phase) + step;
  if (loops) {
    phase = float(next - std::floor(next));
    if (phase >= 1) phase = 0;  // if the float rounded up
    return;
  }
  constexpr float last = 0x1.fffffep-1f;  // the largest float below 1
  phase = float(std::clamp(next, 0.0, double(last)));
  if (next < 0 || next > double(last)) playing = false;
}

}  // namespace copse::viewer
