#pragma once

// Vector arithmetic with single roundings, for pictures that are equal on all backends.

#include "builders/geometry/aabb.h"

namespace copse {

COPSE_HD inline vec3 add_rn(const vec3& a, const vec3& b) {
  return vec3(add_rn(a.x, b.x), add_rn(a.y, b.y), add_rn(a.z, b.z));
}

COPSE_HD inline vec3 sub_rn(const vec3& a, const vec3& b) {
  return vec3(sub_rn(a.x, b.x), sub_rn(a.y, b.y), sub_rn(a.z, b.z));
}

COPSE_HD inline vec3 mul_rn(const vec3& a, float b) {
  return vec3(mul_rn(a.x, b), mul_rn(a.y, b), mul_rn(a.z, b));
}

COPSE_HD inline vec3 div_rn(const vec3& a, float b) {
  return vec3(div_rn(a.x, b), div_rn(a.y, b), div_rn(a.z, b));
}

COPSE_HD inline float dot_rn(const vec3& a, const vec3& b) {
  return add_rn(add_rn(mul_rn(a.x, b.x), mul_rn(a.y, b.y)), mul_rn(a.z, b.z));
}

COPSE_HD inline float length_rn(const vec3& a) {
  return sqrt_rn(dot_rn(a, a));
}

COPSE_HD inline vec3 cross_rn(const vec3& a, const vec3& b) {
  return vec3(sub_rn(mul_rn(a.y, b.z), mul_rn(a.z, b.y)), sub_rn(mul_rn(a.z, b.x), mul_rn(a.x, b.z)),
              sub_rn(mul_rn(a.x, b.y), mul_rn(a.y, b.x)));
}

/// The largest magnitude of a component.
COPSE_HD inline float largest_component(const vec3& a) {
  return larger(magnitude(a.x), larger(magnitude(a.y), magnitude(a.z)));
}

COPSE_HD inline vec3 mul_rn(const vec3& a, const vec3& b) {
  return vec3(mul_rn(a.x, b.x), mul_rn(a.y, b.y), mul_rn(a.z, b.z));
}

/// From a to b; x in [0, 1].
COPSE_HD inline vec3 mix_rn(const vec3& a, const vec3& b, float x) {
  return add_rn(a, mul_rn(sub_rn(b, a), x));
}

COPSE_HD inline vec3 mix_rn(const vec3& a, const vec3& b, const vec3& x) {
  return add_rn(a, mul_rn(sub_rn(b, a), x));
}

}  // namespace copse
