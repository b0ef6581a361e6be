#pragma once

#include <optional>
#include <vector>

#include "viewer/model/session/session.h"

namespace copse::viewer {

/// What undo brings back: the choices of the panels, and the instances that were moved by hand, but not the camera, the
/// file that is open and the time.
struct Choices {
  StructureOptions structures[2];
  UpdateMode update_mode = UpdateMode::refit;
  ViewSettings view;
  OverlaySettings overlay;
  Comparison comparison = Comparison::off;
  Deformation deformation = Deformation::none;
  float strength = 0;
  PlacedByHand placed;

  bool operator==(const Choices&) const = default;
};

/// Returns the current choices of a session. The subtree of the overlay is left out, since it belongs to one tree.
Choices choices_of(Session& session);
/// Makes these the choices of a session, and builds the structures that differ from them.
void choose(Session& session, const Choices& choices);

/// The choices before each change, for undo and redo. Keeps the last 100.
class History {
 public:
  static constexpr size_t capacity = 100;

  /// Takes the choices as they are now. Call it whenever the user's hand rests: a slider that is dragged is one change.
  void note(const Choices& now);

  bool can_undo() const { return !past_.empty(); }
  bool can_redo() const { return !future_.empty(); }

  /// Returns the choices before the last change, or after the one that was undone last. None if there are none.
  std::optional<Choices> undo();
  std::optional<Choices> redo();

 private:
  std::optional<Choices> move(std::vector<Choices>& from, std::vector<Choices>& to);

  std::optional<Choices> now_;
  std::vector<Choices> past_, future_;  // the nearest last
};

}  // namespace copse::viewer
