#pragma once

// Vector arithmetic with single roundings, in float and in double, for results that are equal on all backends.

#include <type_traits>

#include "builders/geometry/aabb.h"

namespace copse {

using glm::dvec3;

template <class T>
using Vector3 = glm::vec<3, T>;

/// The scalar beside a vector: it takes the vector's type and has no part in deducing it.
template <class T>
using ScalarOf = std::type_identity_t<T>;

COPSE_HD inline dvec3 to_double(const vec3& a) {
  return dvec3(double(a.x), double(a.y), double(a.z));
}

COPSE_HD inline double div_rn(double a, double b) {
  return a / b;  // no option of a compiler makes it less than a single rounding
}

COPSE_HD inline double magnitude(double a) {
  return a < 0 ? -a : a;
}

template <class T>
COPSE_HD inline Vector3<T> add_rn(const Vector3<T>& a, const Vector3<T>& b) {
  return Vector3<T>(add_rn(a.x, b.x), add_rn(a.y, b.y), add_rn(a.z, b.z));
}

template <class T>
COPSE_HD inline Vector3<T> sub_rn(const Vector3<T>& a, const Vector3<T>& b) {
  return Vector3<T>(sub_rn(a.x, b.x), sub_rn(a.y, b.y), sub_rn(a.z, b.z));
}

template <class T>
COPSE_HD inline Vector3<T> mul_rn(const Vector3<T>& a, ScalarOf<T> b) {
  return Vector3<T>(mul_rn(a.x, b), mul_rn(a.y, b), mul_rn(a.z, b));
}

template <class T>
COPSE_HD inline Vector3<T> mul_rn(const Vector3<T>& a, const Vector3<T>& b) {
  return Vector3<T>(mul_rn(a.x, b.x), mul_rn(a.y, b.y), mul_rn(a.z, b.z));
}

template <class T>
COPSE_HD inline Vector3<T> div_rn(const Vector3<T>& a, ScalarOf<T> b) {
  return Vector3<T>(div_rn(a.x, b), div_rn(a.y, b), div_rn(a.z, b));
}

template <class T>
COPSE_HD inline T dot_rn(const Vector3<T>& a, const Vector3<T>& b) {
  return add_rn(add_rn(mul_rn(a.x, b.x), mul_rn(a.y, b.y)), mul_rn(a.z, b.z));
}

template <class T>
COPSE_HD inline Vector3<T> cross_rn(const Vector3<T>& a, const Vector3<T>& b) {
  return Vector3<T>(sub_rn(mul_rn(a.y, b.z), mul_rn(a.z, b.y)), sub_rn(mul_rn(a.z, b.x), mul_rn(a.x, b.z)),
                    sub_rn(mul_rn(a.x, b.y), mul_rn(a.y, b.x)));
}

COPSE_HD inline float length_rn(const vec3& a) {
  return sqrt_rn(dot_rn(a, a));
}

/// The largest magnitude of a component.
template <class T>
COPSE_HD inline T largest_component(const Vector3<T>& a) {
  return larger(magnitude(a.x), larger(magnitude(a.y), magnitude(a.z)));
}

/// The sum of the magnitudes of the components.
template <class T>
COPSE_HD inline T sum_of_magnitudes(const Vector3<T>& a) {
  return add_rn(add_rn(magnitude(a.x), magnitude(a.y)), magnitude(a.z));
}

/// From a to b; x in [0, 1], a number or one per component.
template <class Part>
COPSE_HD inline vec3 mix_rn(const vec3& a, const vec3& b, const Part& x) {
  return add_rn(a, mul_rn(sub_rn(b, a), x));
}

}  // namespace copse
