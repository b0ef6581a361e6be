#pragma once

// Vector arithmetic in double precision with single roundings: what decides whether triangles touch.

#include <glm/vec3.hpp>

#include "builders/geometry/aabb.h"

namespace copse {

using glm::dvec3;

COPSE_HD inline dvec3 to_double(const vec3& a) {
  return dvec3(double(a.x), double(a.y), double(a.z));
}

COPSE_HD inline dvec3 add_rn(const dvec3& a, const dvec3& b) {
  return dvec3(add_rn(a.x, b.x), add_rn(a.y, b.y), add_rn(a.z, b.z));
}

COPSE_HD inline dvec3 sub_rn(const dvec3& a, const dvec3& b) {
  return dvec3(sub_rn(a.x, b.x), sub_rn(a.y, b.y), sub_rn(a.z, b.z));
}

COPSE_HD inline dvec3 mul_rn(const dvec3& a, double b) {
  return dvec3(mul_rn(a.x, b), mul_rn(a.y, b), mul_rn(a.z, b));
}

COPSE_HD inline double dot_rn(const dvec3& a, const dvec3& b) {
  return add_rn(add_rn(mul_rn(a.x, b.x), mul_rn(a.y, b.y)), mul_rn(a.z, b.z));
}

COPSE_HD inline dvec3 cross_rn(const dvec3& a, const dvec3& b) {
  return dvec3(sub_rn(mul_rn(a.y, b.z), mul_rn(a.z, b.y)), sub_rn(mul_rn(a.z, b.x), mul_rn(a.x, b.z)),
               sub_rn(mul_rn(a.x, b.y), mul_rn(a.y, b.x)));
}

COPSE_HD inline double div_rn(double a, double b) {
  return a / b;  // no option of a compiler makes it less than a single rounding
}

COPSE_HD inline double magnitude(double a) {
  return a < 0 ? -a : a;
}

/// The sum of the magnitudes of the components.
COPSE_HD inline double sum_of_magnitudes(const dvec3& a) {
  return add_rn(add_rn(magnitude(a.x), magnitude(a.y)), magnitude(a.z));
}

/// The largest magnitude of a component.
COPSE_HD inline double largest_component(const dvec3& a) {
  return larger(magnitude(a.x), larger(magnitude(a.y), magnitude(a.z)));
}

}  // namespace copse
