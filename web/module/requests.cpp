#include "web/module/requests.h"

#include <array>
#include <cstdio>

namespace copse::web {

namespace {

using Json = nlohmann::json;

constexpr uint32_t max_side = 4096;

std::string in_hexadecimal(uint64_t value) {
  std::array<char, 19> text{};
  std::snprintf(text.data(), text.size(), "%#018llx", static_cast<unsigned long long>(value));
  return text.data();
}

Json to_json(const Vector& v) {
  return {v.x, v.y, v.z};
}

Json to_json(const Facts& facts) {
  return {{"triangles", facts.triangle_count}, {"vertices", facts.vertex_count},
          {"nodes", facts.tree.node_count},    {"leaves", facts.tree.leaf_count},
          {"bytes", facts.tree.used_bytes},    {"depth", facts.tree.depth},
          {"sah_cost", facts.tree.sah_cost},   {"bounds", facts.bounds},
          {"build_ms", facts.build_ms},        {"checksum", in_hexadecimal(facts.checksum)}};
}

uint32_t side_of(const Json& request, const char* name) {
  const uint64_t side = request.at(name).get<uint64_t>();
  if (side >= 1 && side <= max_side) return uint32_t(side);
  throw std::runtime_error(std::string("the ") + name + " of the picture is " + std::to_string(side) +
                           "; it can be 1 to " + std::to_string(max_side));
}

Camera camera_of(const Json& request) {
  const auto n = request.at("camera").get<std::array<float, 12>>();
  return {{n[0], n[1], n[2]}, {n[3], n[4], n[5]}, {n[6], n[7], n[8]}, {n[9], n[10], n[11]}};
}

template <class T>
uint64_t address_of(const std::vector<T>& values) {
  return uint64_t(reinterpret_cast<uintptr_t>(values.data()));
}

}  // namespace

Json Requests::boxes(const Json& request) {
  uint64_t count = 0;
  floats_ = session_.boxes(request.at("level").get<uint32_t>(), request.at("most").get<uint64_t>(), count);
  return {{"floats", address_of(floats_)},
          {"shown", floats_.size() / 6},
          {"count", count},
          {"depth", session_.depth()}};
}

Json Requests::picture(const Json& request) {
  uint32_t max_visits = 0;
  pixels_ = session_.picture(camera_of(request), side_of(request, "width"), side_of(request, "height"),
                             request.at("heat").get<bool>(), max_visits);
  return {{"pixels", address_of(pixels_)}, {"max_visits", max_visits}};
}

Json Requests::pick(const Json& request) {
  const uint32_t width = side_of(request, "width"), height = side_of(request, "height");
  const uint64_t x = request.at("x").get<uint64_t>(), y = request.at("y").get<uint64_t>();
  if (x >= width || y >= height) {
    throw std::runtime_error("the pixel is (" + std::to_string(x) + ", " + std::to_string(y) +
                             "); the picture has " + std::to_string(width) + " x " + std::to_string(height));
  }
  const Pick pick = session_.pick(camera_of(request), width, height, uint32_t(x), uint32_t(y));
  const auto nodes = session_.nodes();
  Json visited = Json::array();
  for (const uint32_t number : pick.nodes) {
    const copse_tree_node& node = nodes[number];
    const float* const lo = node.lower;
    const float* const hi = node.upper;
    visited.push_back({{"node", number},
                       {"depth", node.depth},
                       {"leaf", node.triangle_count > 0},
                       {"triangles", node.triangle_count},
                       {"box", {lo[0], lo[1], lo[2], hi[0], hi[1], hi[2]}}});
  }
  const copse_hit& hit = pick.walk.hit;
  const bool is_hit = hit.primitive != COPSE_NO_ID;
  Json result = {{"hit", is_hit}, {"tests", pick.walk.triangle_tests}, {"visited", visited}};
  if (!is_hit) return result;
  result["t"] = hit.t;
  result["triangle"] = hit.primitive;
  result["point"] = to_json(pick.point);
  result["corners"] = {to_json(pick.corners.a), to_json(pick.corners.b), to_json(pick.corners.c)};
  return result;
}

Json Requests::perform(const Json& request) {
  const std::string command = request.at("command").get<std::string>();
  if (command == "load") {
    const auto* bytes = reinterpret_cast<const char*>(uintptr_t(request.at("bytes").get<uint64_t>()));
    return {{"message", session_.load({bytes, size_t(request.at("size").get<uint64_t>())}, request.at("name"))}};
  }
  if (command == "build") {
    const Recipe recipe{request.at("builder"), request.at("layout"), request.at("reinsertion").get<uint32_t>()};
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
  throw std::runtime_error("the command is " + command + "; it can be load, build, boxes, picture, pick or rays");
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
