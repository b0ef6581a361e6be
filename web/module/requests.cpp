#include "web/module/requests.h"

#include <array>
#include <cstdio>

namespace copse::web {

namespace {

using Json = nlohmann::json;

constexpr u32 max_side = 4096;

std::string in_hexadecimal(u64 value) {
  std::array<char, 19> text{};
  std::snprintf(text.data(), text.size(), "%#018llx", static_cast<unsigned long long>(value));
  return text.data();
}

Json to_json(const vec3& v) {
  return {v.x, v.y, v.z};
}
Json to_json(const Aabb& box) {
  return {box.lo.x, box.lo.y, box.lo.z, box.hi.x, box.hi.y, box.hi.z};
}

Json to_json(const Facts& facts) {
  return {{"triangles", facts.triangle_count},
          {"vertices", facts.vertex_count},
          {"nodes", facts.node_count},
          {"leaves", facts.leaf_count},
          {"bytes", facts.tree_bytes},
          {"depth", facts.depth},
          {"sah_cost", facts.sah_cost},
          {"bounds", to_json(facts.bounds)},
          {"build_ms", facts.build_ms},
          {"collapse_ms", facts.collapse_ms},
          {"checksum", in_hexadecimal(facts.checksum)}};
}

u32 side_of(const Json& request, const char* name) {
  const u64 side = request.at(name).get<u64>();
  if (side >= 1 && side <= max_side) return u32(side);
  throw Error(ErrorCode::invalid_argument, std::string("the ") + name + " of the picture is " +
                                               std::to_string(side) + "; it can be 1 to " +
                                               std::to_string(max_side));
}

Camera camera_of(const Json& request) {
  const auto n = request.at("camera").get<std::array<float, 12>>();
  return {{n[0], n[1], n[2]}, {n[3], n[4], n[5]}, {n[6], n[7], n[8]}, {n[9], n[10], n[11]}};
}

template <class T>
u64 address_of(const std::vector<T>& values) {
  return u64(reinterpret_cast<uintptr_t>(values.data()));
}

}  // namespace

Json Requests::boxes(const Json& request) {
  u64 count = 0;
  floats_ = session_.boxes(request.at("level").get<u32>(), request.at("most").get<u64>(), count);
  return {{"floats", address_of(floats_)},
          {"shown", floats_.size() / 6},
          {"count", count},
          {"depth", session_.depth()}};
}

Json Requests::picture(const Json& request) {
  u32 max_visits = 0;
  image_ = session_.picture(camera_of(request), side_of(request, "width"), side_of(request, "height"),
                            request.at("heat").get<bool>(), max_visits);
  return {{"pixels", address_of(image_.pixels)}, {"max_visits", max_visits}};
}

Json Requests::pick(const Json& request) {
  const u32 width = side_of(request, "width"), height = side_of(request, "height");
  const u64 x = request.at("x").get<u64>(), y = request.at("y").get<u64>();
  if (x >= width || y >= height) {
    throw Error(ErrorCode::invalid_argument, "the pixel is (" + std::to_string(x) + ", " + std::to_string(y) +
                                                 "); the picture has " + std::to_string(width) + " x " +
                                                 std::to_string(height));
  }
  const viewer::Pick pick = session_.pick(camera_of(request), width, height, u32(x), u32(y));
  Json visited = Json::array();
  for (const viewer::VisitedNode& node : pick.visited) {
    visited.push_back({{"node", node.node},
                       {"depth", node.depth},
                       {"leaf", node.is_leaf},
                       {"triangles", node.primitive_count},
                       {"box", to_json(node.box)}});
  }
  const bool hit = is_hit(pick.hit);
  Json result = {{"hit", hit}, {"tests", pick.primitive_tests}, {"visited", visited}};
  if (!hit) return result;
  const Triangle corners = session_.triangle(pick.hit.primitive);
  result["t"] = pick.hit.t;
  result["triangle"] = pick.hit.primitive;
  result["point"] = to_json(pick.point);
  result["corners"] = {to_json(corners.a), to_json(corners.b), to_json(corners.c)};
  return result;
}

Json Requests::perform(const Json& request) {
  const std::string command = request.at("command").get<std::string>();
  if (command == "load") {
    const auto* bytes = reinterpret_cast<const char*>(uintptr_t(request.at("bytes").get<u64>()));
    return {{"message", session_.load({bytes, size_t(request.at("size").get<u64>())}, request.at("name"))}};
  }
  if (command == "build") {
    const Recipe recipe{request.at("builder"), request.at("layout"), request.at("reinsertion").get<u32>()};
    return to_json(session_.build(recipe));
  }
  if (command == "boxes") return boxes(request);
  if (command == "picture") return picture(request);
  if (command == "pick") return pick(request);
  if (command == "rays") {
    const RayTimes times =
        session_.time_rays(camera_of(request), side_of(request, "width"), side_of(request, "height"));
    return {{"rays", times.ray_count},
            {"hits", times.hit_count},
            {"ms", times.milliseconds},
            {"checksum", in_hexadecimal(times.checksum)}};
  }
  throw Error(ErrorCode::invalid_argument,
              "the command is " + command + "; it can be load, build, boxes, picture, pick or rays");
}

Json Requests::answer(const Json& request) noexcept {
  try {
    return perform(request);
  } catch (const std::bad_alloc&) {
    return {{"error", "the memory of the page is full; a smaller mesh may fit"}};
  } catch (const std::exception& error) {
    return {{"error", error.what()}};
  }
}

}  // namespace copse::web
