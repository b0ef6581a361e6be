// Transforms by hand: numbers, the mouse over a picture, undo, and the box around the chosen instance.

#include "viewer/model/scene/hand.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <glm/vec3.hpp>

#include "tests/viewer/scenes.h"
#include "viewer/model/session/history.h"

namespace copse::test {
namespace {

using namespace viewer;
using glm::dvec3;

const std::filesystem::path grove_file = "assets/grove.glb";

dvec3 placed_at(const Instance& instance, const dvec3& p) {
  dvec3 q;
  for (int row = 0; row < 3; ++row) {
    const float* m = instance.rows[row];
    q[row] = m[0] * p.x + m[1] * p.y + m[2] * p.z + m[3];
  }
  return q;
}

Instance hand_transform(std::initializer_list<float> rows) {
  Instance instance;
  std::copy(rows.begin(), rows.end(), &instance.rows[0][0]);
  return instance;
}

/// The largest difference between the numbers of two transforms.
float largest_difference(const Instance& a, const Instance& b) {
  float largest = 0;
  for (int i = 0; i < 12; ++i) {
    largest = std::max(largest, std::abs((&a.rows[0][0])[i] - (&b.rows[0][0])[i]));
  }
  return largest;
}

/// Where a point is in the picture of a camera, as fractions of its size from the upper left corner.
struct PlaceSeen {
  double x, y, depth;
};
PlaceSeen place_seen(const Camera& camera, const dvec3& p) {
  const dvec3 offset = p - dvec3(camera.eye), forward(camera.forward), right(camera.right), up(camera.up);
  const double depth = glm::dot(offset, forward) / glm::dot(forward, forward);
  return {0.5 + 0.5 * glm::dot(offset, right) / glm::dot(right, right) / depth,
          0.5 - 0.5 * glm::dot(offset, up) / glm::dot(up, up) / depth, depth};
}

const Camera hand_camera = look_at(vec3(4, 3, 7), vec3(0), vec3(0, 1, 0), 40, 1.5f);
const dvec3 held_middle(0.5, -0.25, 1);  // of the instance, not in the middle of the picture

/// A hand that holds an instance whose mesh has its middle at (1, 2, 3).
struct Held {
  Instance instance = hand_transform({0, -2, 0, 4.5f, 2, 0, 0, -2.25f, 0, 0, 2, -5});
  InstanceHand hand;

  explicit Held(HandMotion motion, double x = 0.1, double y = 0) {
    EXPECT_EQ(placed_at(instance, {1, 2, 3}), held_middle);
    const PlaceSeen at = place_seen(hand_camera, held_middle);
    hand.begin(motion, {7, instance, vec3(held_middle), float(at.x + x), float(at.y + y)});
  }
  Instance at(double x, double y) const {
    const PlaceSeen from = place_seen(hand_camera, held_middle);
    return hand.at(hand_camera, float(from.x + x), float(from.y + y));
  }
};

}  // namespace

TEST(HandNumbers, AreThoseOfTheTransform) {
  const TransformNumbers wanted{{1, 2, 3}, {10, 20, 30}, {2, 3, -4}, {0.5f, -0.25f, 0.125f}};
  const TransformNumbers found = numbers_of(with_numbers(Instance{}, wanted));
  for (int k = 0; k < 3; ++k) {
    EXPECT_FLOAT_EQ(found.position[k], wanted.position[k]);
    EXPECT_NEAR(found.turn[k], wanted.turn[k], 1e-4);
    EXPECT_NEAR(found.scale[k], wanted.scale[k], 1e-5);
    EXPECT_NEAR(found.shear[k], wanted.shear[k], 1e-5);
  }
  EXPECT_EQ(numbers_of(Instance{}), TransformNumbers{});
  const Instance quarter = with_numbers(Instance{}, {.turn = {90, 0, 0}});
  EXPECT_NEAR(placed_at(quarter, {0, 1, 0}).z, 1, 1e-6) << "about x, y goes to z";
}

TEST(HandNumbers, GiveTheTransformBack) {
  const Instance transforms[] = {
      hand_transform({0, 0, 1, 0, 0, 1, 0, 0, -1, 0, 0, 0}),    // 90 degrees about y, where angles are not unique
      hand_transform({0, 1, 0, 5, 0, 0, 1, 6, 1, 0, 0, 7}),     // axes that change places
      hand_transform({-1, 0, 0, 0, 0, -1, 0, 0, 0, 0, -1, 0}),  // mirrored in a point
      hand_transform({1, 2, 3, 0, 0, 1, 4, 0, 5, 6, 1, 0}),     // sheared
      hand_transform({3e-6f, 1e-6f, 0, 1, 0, 2e-6f, 0, 1, 0, 0, 1e-6f, 1})};
  for (const Instance& instance : transforms) {
    const float scale = std::abs(instance.rows[0][0]) > 1e-3f || instance.rows[2][2] == 0 ? 1 : 1e-6f;
    EXPECT_LT(largest_difference(with_numbers(instance, numbers_of(instance)), instance), 4e-6f * scale + 1e-12f);
  }
  for (const Instance& flat : {hand_transform({1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0}), hand_transform({0})}) {
    const TransformNumbers numbers = numbers_of(flat);
    for (int k = 0; k < 3; ++k) {
      EXPECT_TRUE(std::isfinite(numbers.turn[k]) && std::isfinite(numbers.scale[k]) &&
                  std::isfinite(numbers.shear[k]));
    }
  }
}

TEST(Hand, MovesTheMiddleWithTheMouse) {
  Held held(HandMotion::move);
  EXPECT_EQ(largest_difference(held.at(0.1, 0), held.instance), 0) << "the mouse has not moved";
  const Instance moved = held.at(0.3, -0.15);
  const PlaceSeen before = place_seen(hand_camera, held_middle),
                  after = place_seen(hand_camera, placed_at(moved, {1, 2, 3}));
  EXPECT_NEAR(after.x - before.x, 0.2, 1e-5);
  EXPECT_NEAR(after.y - before.y, -0.15, 1e-5);
  EXPECT_NEAR(after.depth, before.depth, 1e-5);
  held.hand.limit_to(1);
  const dvec3 offset = placed_at(held.at(0.3, -0.15), {1, 2, 3}) - held_middle;
  EXPECT_GT(offset.y, 0.1);
  EXPECT_EQ(offset.x, 0);
  EXPECT_EQ(offset.z, 0);
  held.hand.limit_to(1);
  EXPECT_EQ(largest_difference(held.at(0.3, -0.15), moved), 0) << "the same axis again frees the motion";
}

TEST(Hand, TurnsAboutTheView) {
  Held held(HandMotion::turn);
  // From the right of the middle to above it: a quarter. The picture is 1.5 times as wide as high.
  const Instance turned = held.at(0, -0.15);
  const dvec3 right = glm::normalize(dvec3(hand_camera.right)), up = glm::normalize(dvec3(hand_camera.up));
  const auto goes_to = [&](const Instance& now, const dvec3& from) {  // a point beside the middle
    dvec3 local(0);  // of the transform {2, turned 90 degrees about z}
    const dvec3 offset = from * 0.5;
    local = {offset.y + 1, -offset.x + 2, offset.z + 3};
    return placed_at(now, local) - held_middle;
  };
  EXPECT_LT(glm::length(goes_to(held.instance, right) - right), 1e-6);
  EXPECT_LT(glm::length(goes_to(turned, right) - up), 1e-5);
  EXPECT_LT(glm::length(placed_at(turned, {1, 2, 3}) - held_middle), 1e-5) << "the middle stays";
  held.hand.limit_to(1);  // which points up, to the viewer's side
  const dvec3 x = goes_to(held.at(0, -0.15), {1, 0, 0});
  EXPECT_LT(glm::length(x - dvec3(0, 0, -1)), 1e-5);
}

TEST(Hand, ScalesByTheDistanceOfTheMouse) {
  Held held(HandMotion::scale);
  const Instance twice = held.at(0.2, 0);
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column) {
      EXPECT_NEAR(twice.rows[row][column], 2 * held.instance.rows[row][column], 1e-5);
    }
  }
  EXPECT_LT(glm::length(placed_at(twice, {1, 2, 3}) - held_middle), 1e-5);
  held.hand.limit_to(2);
  const Instance along_z = held.at(0, 0.3);
  EXPECT_NEAR(along_z.rows[2][2], 4, 1e-5);
  EXPECT_EQ(along_z.rows[0][1], held.instance.rows[0][1]);
  // At the middle itself the instance is small, but can still be inverted.
  held.hand.limit_to(2);
  EXPECT_GT(held.at(0, 0).rows[2][2], 1e-3);
  EXPECT_GT(Held(HandMotion::scale, 0, 0).at(0.1, 0).rows[2][2], 2);
}

TEST(Hand, IsUndoneWithinItsScene) {
  SmallSession s;
  s.session.open({grove_file});
  s.session.finish();
  const auto place = [&](u32 number) { return s.session.geometry()->placed->instances[number]; };
  const Instance at_rest = place(3), up = hand_transform({1, 0, 0, 0, 0, 1, 0, 9, 0, 0, 1, 0});
  History history;
  history.note(choices_of(s.session));
  s.session.place_instance(3, up);
  history.note(choices_of(s.session));
  s.session.place_instance(5, up);
  history.note(choices_of(s.session));
  for (const bool second : {true, false}) {
    const std::optional<Choices> before = history.undo();
    ASSERT_TRUE(before.has_value());
    choose(s.session, *before);
    s.session.finish();
    EXPECT_TRUE(same_transform(place(3), second ? up : at_rest));
    EXPECT_FALSE(same_transform(place(5), up));
  }
  EXPECT_FALSE(history.can_undo());
  choose(s.session, *history.redo());
  EXPECT_TRUE(same_transform(place(3), up));
  s.session.open({grove_file});
  s.session.finish();
  EXPECT_TRUE(same_transform(place(3), at_rest));
  EXPECT_TRUE(s.session.placed_by_hand().instances.empty());
  const Choices in_new_scene = choices_of(s.session);
  history.note(in_new_scene);
  while (const std::optional<Choices> before = history.undo()) choose(s.session, *before);
  EXPECT_TRUE(same_transform(place(3), at_rest)) << "what was moved in another scene stays there";
}

TEST(Hand, TheChosenInstanceHasABox) {
  SmallSession s;
  s.session.open({grove_file});
  s.session.finish();
  EXPECT_EQ(s.session.chosen_instance(), std::nullopt);
  EXPECT_TRUE(s.session.lines(0).empty());
  s.session.choose_instance(3);
  s.session.finish();
  ASSERT_EQ(s.session.lines(0).size(), 24u) << "12 edges";
  const PlacedMeshes& placed = *s.session.geometry()->placed;
  EXPECT_EQ(s.session.lines(0)[0].position, corners_of(placed, 3)[0]);
  Instance up = placed.instances[3];
  up.rows[1][3] += 2;
  s.session.update_mode() = UpdateMode::nothing;
  s.session.place_instance(3, up);
  s.session.finish();
  EXPECT_EQ(s.session.lines(0)[0].position, corners_of(*s.session.geometry()->placed, 3)[0]);
  s.session.choose_instance(340);
  EXPECT_EQ(s.session.chosen_instance(), std::nullopt) << "there are 340 instances, from 0";
  s.session.choose_instance(1);
  s.session.open({"assets/testball.ply"});
  s.session.finish();
  EXPECT_EQ(s.session.chosen_instance(), std::nullopt);
  EXPECT_TRUE(s.session.lines(0).empty());
  s.session.choose_instance(0);
  EXPECT_EQ(s.session.chosen_instance(), std::nullopt) << "a mesh has no instances";
}

}  // namespace copse::test
