#pragma once

#include <vector>

#include "viewer/model/scene/placed_meshes.h"

namespace copse::viewer {

/// Objects that fall into a heap: balls for the simulation, cubes and balls for the eye. The same step is the same on
/// every run. The method is that of Jakobsen, "Advanced Character Physics", GDC 2001: positions of now and before take
/// the place of velocities, and overlaps are pushed apart.
class Pile {
 public:
  static constexpr u32 steps_per_second = 60, seconds = 8;

  /// `count`: of the objects, 1 to 100000.
  explicit Pile(u32 count);

  /// Moves to a step; from the beginning if it lies before the present one.
  void go_to(u32 step);
  u32 step() const { return step_; }

  /// Returns the floor and all objects, at the present step.
  std::vector<Instance> instances() const;
  /// Returns the scene at the present step.
  Geometry scene() const;

 private:
  void rewind();
  void advance();
  void push_apart();
  void stay_inside();

  u32 count_, step_ = 0;
  float reach_;  // half the width of the box in which they stay
  std::vector<vec3> now_, before_;
  std::vector<float> turn_;  // about a fixed axis of each, in radians
};

}  // namespace copse::viewer
