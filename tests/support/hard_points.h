#pragma once

// Point sets, by name, at which code goes wrong.

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "builders/geometry/aabb.h"

namespace copse::test {

struct NamedPoints {
  std::string name;
  std::vector<vec3> points;
  u64 invalid_count = 0;
};

inline std::vector<vec3> random_points(u64 count, u32 seed, float lo = 0, float hi = 1) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> part(lo, hi);
  std::vector<vec3> points(count);
  for (vec3& p : points) {
    const float x = part(random), y = part(random), z = part(random);
    p = vec3(x, y, z);
  }
  return points;
}

inline std::vector<NamedPoints> hard_points() {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN(), most = std::numeric_limits<float>::max();
  constexpr float least = std::numeric_limits<float>::denorm_min();
  std::vector<NamedPoints> sets{{"none", {}}, {"one", {vec3(1, 2, 3)}}, {"two", {vec3(0), vec3(1)}}};
  sets.push_back({"all at one place", std::vector<vec3>(300, vec3(0.3f, -7, 1e5f))});
  sets.push_back({"all at zero, of either sign", {vec3(0.0f), vec3(-0.0f), vec3(0.0f, -0.0f, 0.0f)}});
  sets.push_back({"random", random_points(700, 1)});

  std::vector<vec3> line = random_points(300, 2), plane = line, far = line, offset = line, tiny = line,
                    huge = line;
  for (vec3& p : line) p = vec3(p.x, 5, -5);
  for (vec3& p : plane) p.y = 0.25f;
  far.push_back(vec3(1e30f, 0, 0));
  far.push_back(vec3(-most, most, most));
  for (vec3& p : offset) p = vec3(1e7f) + 100.0f * p;
  for (vec3& p : tiny) p *= 1e-40f;
  tiny.push_back(vec3(least, 0, -least));
  for (vec3& p : huge) p = (p * 2.0f - 1.0f) * most;
  sets.push_back({"along a line", line});
  sets.push_back({"in a plane", plane});
  sets.push_back({"outliers at the largest float", far});
  sets.push_back({"far from the origin", offset});
  sets.push_back({"denormal", tiny});
  sets.push_back({"over all floats", huge});

  std::vector<vec3> lattice;
  for (u32 i = 0; i < 8 * 8 * 8; ++i) lattice.push_back(vec3(i % 8, i / 8 % 8, i / 64));
  lattice.insert(lattice.end(), lattice.begin(), lattice.end());
  sets.push_back({"a lattice, twice", lattice});

  std::vector<vec3> clusters = random_points(400, 3, -1e-3f, 1e-3f);
  for (u64 i = 0; i < clusters.size(); ++i) clusters[i] += vec3(float(i % 3) * 1000, float(i % 2) * -1e6f, 0);
  sets.push_back({"clusters", clusters});

  std::vector<vec3> broken = random_points(200, 4);
  for (u64 i = 0; i < broken.size(); i += 4) broken[i][int(i / 4 % 3)] = i % 8 == 0 ? nan : infinity;
  sets.push_back({"a fourth is no point", broken, 50});
  sets.push_back({"none is a point", std::vector<vec3>(40, vec3(0, nan, -infinity)), 40});
  return sets;
}

}  // namespace copse::test
