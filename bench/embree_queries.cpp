#include "bench/embree_queries.h"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>

#include <cmath>
#include <glm/geometric.hpp>
#include <limits>

namespace copse::bench {

namespace {

/// Source: Ericson, "Real-Time Collision Detection", 2005, 5.1.5. Embree's own tutorial of closest points has it
/// too.
vec3 closest_point(const vec3& p, const vec3& a, const vec3& b, const vec3& c) {
  const vec3 ab = b - a, ac = c - a, ap = p - a;
  const float d1 = glm::dot(ab, ap), d2 = glm::dot(ac, ap);
  if (d1 <= 0 && d2 <= 0) return a;
  const vec3 bp = p - b;
  const float d3 = glm::dot(ab, bp), d4 = glm::dot(ac, bp);
  if (d3 >= 0 && d4 <= d3) return b;
  const vec3 cp = p - c;
  const float d5 = glm::dot(ab, cp), d6 = glm::dot(ac, cp);
  if (d6 >= 0 && d5 <= d6) return c;
  const float vc = d1 * d4 - d3 * d2;
  if (vc <= 0 && d1 >= 0 && d3 <= 0) return a + d1 / (d1 - d3) * ab;
  const float vb = d5 * d2 - d1 * d6;
  if (vb <= 0 && d2 >= 0 && d6 <= 0) return a + d2 / (d2 - d6) * ac;
  const float va = d3 * d6 - d5 * d4;
  if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) return b + (d4 - d3) / (d4 - d3 + d5 - d6) * (c - b);
  const float denominator = 1 / (va + vb + vc);
  return a + vb * denominator * ab + vc * denominator * ac;
}

struct Question {
  const Mesh* mesh;
  vec3 point;
  u32 count = 0;
};

float square_distance(const RTCPointQueryFunctionArguments* arguments, Question& question) {
  question = *static_cast<const Question*>(arguments->userPtr);
  const uvec3 t = question.mesh->triangles[arguments->primID];
  const auto& p = question.mesh->positions;
  const vec3 to = closest_point(question.point, p[t.x], p[t.y], p[t.z]) - question.point;
  return glm::dot(to, to);
}

bool shrink_to_nearest(RTCPointQueryFunctionArguments* arguments) {
  Question question;
  const float square = square_distance(arguments, question);
  if (!(square < arguments->query->radius * arguments->query->radius)) return false;
  arguments->query->radius = std::sqrt(square);
  return true;
}

bool count_near(RTCPointQueryFunctionArguments* arguments) {
  Question question;
  const float square = square_distance(arguments, question);
  const float radius = arguments->query->radius;
  if (square <= radius * radius) ++static_cast<Question*>(arguments->userPtr)->count;
  return false;
}

RTCPointQuery query_at(const vec3& point, float radius) {
  return {point.x, point.y, point.z, 0, radius};
}

}  // namespace

void EmbreeQueries::nearest_distances(const std::vector<vec3>& points, std::vector<float>& distances) const {
  distances.resize(points.size());
  tbb::parallel_for(tbb::blocked_range<size_t>(0, points.size(), 64), [&](const auto& range) {
    RTCPointQueryContext context;
    rtcInitPointQueryContext(&context);
    for (size_t i = range.begin(); i < range.end(); ++i) {
      Question question{mesh_, points[i]};
      RTCPointQuery query = query_at(points[i], std::numeric_limits<float>::infinity());
      rtcPointQuery(scene_.get(), &query, &context, shrink_to_nearest, &question);
      distances[i] = query.radius;
    }
  });
}

void EmbreeQueries::count_within(const std::vector<vec3>& points, float radius, std::vector<u32>& counts) const {
  counts.resize(points.size());
  tbb::parallel_for(tbb::blocked_range<size_t>(0, points.size(), 64), [&](const auto& range) {
    RTCPointQueryContext context;
    rtcInitPointQueryContext(&context);
    for (size_t i = range.begin(); i < range.end(); ++i) {
      Question question{mesh_, points[i]};
      RTCPointQuery query = query_at(points[i], radius);
      rtcPointQuery(scene_.get(), &query, &context, count_near, &question);
      counts[i] = question.count;
    }
  });
}

}  // namespace copse::bench
