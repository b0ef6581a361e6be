// Triangles that move.

#include "capi/motion.h"

#include "capi/bridge/stats.h"
#include "capi/bridge/timed.h"
#include "capi/bridge/triangles.h"

using namespace copse;
using namespace copse::capi;

namespace {

/// The triangles of all keys in the memory of a context. The copies live as long as this object.
class KeyTriangles {
 public:
  KeyTriangles(Context& context, const copse_geometry* geometries, u64 key_count, u64 geometry_count)
      : all_(context, geometries, checked_count(key_count, geometry_count)), key_count_(key_count) {}

  MotionTriangles triangles() const {
    std::vector<std::vector<TriangleView>> keys;
    const std::vector<TriangleView>& views = all_.views();
    const u64 per_key = views.size() / key_count_;
    for (u64 key = 0; key < key_count_; ++key) {
      keys.emplace_back(views.begin() + std::ptrdiff_t(key * per_key),
                        views.begin() + std::ptrdiff_t((key + 1) * per_key));
    }
    return MotionTriangles(std::move(keys));
  }

 private:
  static u64 checked_count(u64 key_count, u64 geometry_count) {
    if (key_count < 2 || key_count > max_motion_keys) {
      refuse("key_count is " + std::to_string(key_count) + "; it can be 2 to " + std::to_string(max_motion_keys));
    }
    check_product("geometries", key_count, geometry_count);
    return key_count * geometry_count;
  }

  Triangles all_;
  u64 key_count_;
};

}  // namespace

copse_status copse_motion_build(copse_context* context, const copse_geometry* geometries, uint64_t key_count,
                                uint64_t geometry_count, const copse_build_options* options,
                                copse_motion** motion) {
  if (motion != nullptr) *motion = nullptr;
  return run("copse_motion_build", context, [&](Context& c) {
    require(motion, "the handle of the motion");
    const AccelOptions all = accel_options_of(options);
    const KeyTriangles keys(c, geometries, key_count, geometry_count);
    *motion = new copse_motion{context->own(build(c, keys.triangles(), all))};
  });
}

copse_status copse_motion_rebuild(copse_context* context, copse_motion* motion, const copse_geometry* geometries,
                                  uint64_t key_count, uint64_t geometry_count) {
  return run("copse_motion_rebuild", context, [&](Context& c) {
    MotionAccel& object = object_of(context, motion, "motion");
    const KeyTriangles keys(c, geometries, key_count, geometry_count);
    rebuild(c, object, keys.triangles());
  });
}

copse_status copse_motion_refit(copse_context* context, copse_motion* motion, const copse_geometry* geometries,
                                uint64_t key_count, uint64_t geometry_count) {
  return run("copse_motion_refit", context, [&](Context& c) {
    MotionAccel& object = object_of(context, motion, "motion");
    const KeyTriangles keys(c, geometries, key_count, geometry_count);
    refit(c, object, keys.triangles());
  });
}

void copse_motion_destroy(copse_motion* motion) {
  delete motion;
}

uint64_t copse_motion_triangle_count(const copse_motion* motion) {
  return motion == nullptr ? 0 : motion->owned->object.triangle_count();
}

uint32_t copse_motion_key_count(const copse_motion* motion) {
  return motion == nullptr ? 0 : motion->owned->object.key_count();
}

uint64_t copse_motion_size_bytes(const copse_motion* motion) {
  return motion == nullptr ? 0 : motion->owned->object.size_bytes();
}

copse_status copse_motion_closest_hits(copse_context* context, const copse_motion* motion, const copse_rays* rays,
                                       const float* times, copse_memory times_memory, float time, copse_hit* hits,
                                       copse_memory hits_memory, const copse_trace_options* options) {
  return run("copse_motion_closest_hits", context, [&](Context& c) {
    const MotionAccel& object = object_of(context, motion, "motion");
    trace_at_times<Hit>(c, rays, {times, times_memory, time}, hits, hits_memory, options, "hits",
                        [&](const auto& all, auto results, const MotionTraceOptions& of_batch) {
                          closest_hits(c, object, all, results, of_batch);
                        });
  });
}

copse_status copse_motion_any_hits(copse_context* context, const copse_motion* motion, const copse_rays* rays,
                                   const float* times, copse_memory times_memory, float time, uint8_t* occluded,
                                   copse_memory occluded_memory, const copse_trace_options* options) {
  return run("copse_motion_any_hits", context, [&](Context& c) {
    const MotionAccel& object = object_of(context, motion, "motion");
    trace_at_times<u8>(c, rays, {times, times_memory, time}, occluded, occluded_memory, options, "results",
                       [&](const auto& all, auto results, const MotionTraceOptions& of_batch) {
                         any_hits(c, object, all, results, of_batch);
                       });
  });
}
