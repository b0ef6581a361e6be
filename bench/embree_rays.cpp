#include "bench/embree_rays.h"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>

namespace copse::bench {

namespace {

constexpr size_t grain = 2048;  // as in Copse

Hit hit_of(float t, unsigned primitive, unsigned geometry, float u, float v) {
  if (geometry == RTC_INVALID_GEOMETRY_ID) return {t, invalid_id, invalid_id, 0, 0};
  return {t, primitive, geometry, u, v};
}

RTCRay ray_of(const Ray& ray) {
  RTCRay query{};
  query.org_x = ray.origin.x, query.org_y = ray.origin.y, query.org_z = ray.origin.z;
  query.dir_x = ray.direction.x, query.dir_y = ray.direction.y, query.dir_z = ray.direction.z;
  query.tnear = ray.t_min, query.tfar = ray.t_max;
  query.mask = ~0u;
  return query;
}

RTCRayHit query_of(const Ray& ray) {
  RTCRayHit query{};
  query.ray = ray_of(ray);
  query.hit.geomID = RTC_INVALID_GEOMETRY_ID;
  query.hit.instID[0] = RTC_INVALID_GEOMETRY_ID;
  return query;
}

void put(RTCRayHit16& packet, unsigned lane, const Ray& ray) {
  packet.ray.org_x[lane] = ray.origin.x, packet.ray.org_y[lane] = ray.origin.y;
  packet.ray.org_z[lane] = ray.origin.z, packet.ray.dir_x[lane] = ray.direction.x;
  packet.ray.dir_y[lane] = ray.direction.y, packet.ray.dir_z[lane] = ray.direction.z;
  packet.ray.tnear[lane] = ray.t_min, packet.ray.tfar[lane] = ray.t_max;
  packet.ray.time[lane] = 0, packet.ray.flags[lane] = 0, packet.ray.mask[lane] = ~0u;
  packet.hit.geomID[lane] = RTC_INVALID_GEOMETRY_ID;
  packet.hit.instID[0][lane] = RTC_INVALID_GEOMETRY_ID;
}

}  // namespace

void EmbreeRays::closest_hits(const std::vector<Ray>& rays, std::vector<Hit>& hits) const {
  hits.resize(rays.size());
  tbb::parallel_for(tbb::blocked_range<size_t>(0, rays.size(), grain), [&](const auto& range) {
    RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    for (size_t i = range.begin(); i < range.end(); ++i) {
      RTCRayHit query = query_of(rays[i]);
      rtcIntersect1(scene_.get(), &context, &query);
      hits[i] = hit_of(query.ray.tfar, query.hit.primID, query.hit.geomID, query.hit.u, query.hit.v);
    }
  });
}

void EmbreeRays::any_hits(const std::vector<Ray>& rays, std::vector<u8>& occluded) const {
  occluded.resize(rays.size());
  tbb::parallel_for(tbb::blocked_range<size_t>(0, rays.size(), grain), [&](const auto& range) {
    RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    for (size_t i = range.begin(); i < range.end(); ++i) {
      RTCRay query = ray_of(rays[i]);
      rtcOccluded1(scene_.get(), &context, &query);
      occluded[i] = query.tfar < 0 ? 1 : 0;
    }
  });
}

void EmbreeRays::closest_hits_of_packets(const std::vector<Ray>& rays, std::vector<Hit>& hits) const {
  hits.resize(rays.size());
  const size_t packets = (rays.size() + 15) / 16;
  tbb::parallel_for(tbb::blocked_range<size_t>(0, packets, grain / 16), [&](const auto& range) {
    RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    context.flags = RTC_INTERSECT_CONTEXT_FLAG_COHERENT;
    for (size_t p = range.begin(); p < range.end(); ++p) {
      const size_t begin = 16 * p, count = std::min<size_t>(16, rays.size() - begin);
      alignas(64) int valid[16];
      RTCRayHit16 packet;
      for (unsigned lane = 0; lane < 16; ++lane) {
        valid[lane] = lane < count ? -1 : 0;
        put(packet, lane, rays[begin + std::min<size_t>(lane, count - 1)]);
      }
      rtcIntersect16(valid, scene_.get(), &context, &packet);
      for (unsigned lane = 0; lane < count; ++lane) {
        hits[begin + lane] = hit_of(packet.ray.tfar[lane], packet.hit.primID[lane], packet.hit.geomID[lane],
                                    packet.hit.u[lane], packet.hit.v[lane]);
      }
    }
  });
}

}  // namespace copse::bench
