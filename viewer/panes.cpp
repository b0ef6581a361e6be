#include "viewer/panes.h"

#include <algorithm>
#include <cmath>

namespace copse::viewer {

std::vector<Rectangle> picture_places(const Rectangle& place, u32 count) {
  constexpr float gap = 2;
  if (count < 2) return {place};
  Rectangle left = place, right = place;
  left.width = right.width = std::max(std::floor((place.width - gap) / 2), 0.0f);
  right.x = place.x + place.width - right.width;
  return {left, right};
}

std::vector<Rectangle> picture_places(const Rectangle& place, Session& session) {
  return picture_places(place, session.comparison() == Comparison::side_by_side ? 2u : 1u);
}

std::vector<Pane> panes_of(Session& session, const Rectangle& place) {
  std::vector<Pane> panes;
  for (const Rectangle& one : picture_places(place, session)) {
    const u32 side = u32(panes.size());
    Pane pane{.place = one,
              .picture = &session.picture(side),
              .lines = &session.lines(side),
              .lines_revision = session.lines_revision(side),
              .lines_on_top = session.overlay().on_top};
    const Picture& difference = session.difference();
    if (session.comparison() == Comparison::difference && difference.image.width > 0) pane.picture = &difference;
    panes.push_back(pane);
  }
  return panes;
}

}  // namespace copse::viewer
