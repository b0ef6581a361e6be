#include "viewer/model/session/history.h"

#include <utility>

namespace copse::viewer {

Choices choices_of(Session& session) {
  Choices choices;
  for (u32 side = 0; side < 2; ++side) choices.structures[side] = session.wanted(side);
  choices.update_mode = session.update_mode();
  choices.view = session.view();
  choices.overlay = session.overlay();
  choices.overlay.subtree = 0;
  choices.comparison = session.comparison();
  choices.deformation = session.playback().deformation;
  choices.strength = session.playback().strength;
  choices.placed = session.placed_by_hand();
  return choices;
}

void choose(Session& session, const Choices& choices) {
  session.update_mode() = choices.update_mode;
  session.view() = choices.view;
  const u32 subtree = session.overlay().subtree;
  session.overlay() = choices.overlay;
  session.overlay().subtree = subtree;
  session.comparison() = choices.comparison;
  session.playback().deformation = choices.deformation;
  session.playback().strength = choices.strength;
  session.place_by_hand(choices.placed);
  for (u32 side = 0; side < 2; ++side) {
    session.wanted(side) = choices.structures[side];
    if (session.differs(side)) session.build(side);
  }
}

void History::note(const Choices& now) {
  if (now_ == now) {
    now_ = now;  // in another scene, equal choices are of that scene
    return;
  }
  if (now_) past_.push_back(*now_);
  if (past_.size() > capacity) past_.erase(past_.begin());
  future_.clear();
  now_ = now;
}

std::optional<Choices> History::undo() {
  return move(past_, future_);
}

std::optional<Choices> History::redo() {
  return move(future_, past_);
}

std::optional<Choices> History::move(std::vector<Choices>& from, std::vector<Choices>& to) {
  if (from.empty()) return std::nullopt;
  to.push_back(*now_);
  now_ = std::move(from.back());
  from.pop_back();
  return now_;
}

}  // namespace copse::viewer
