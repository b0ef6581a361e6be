#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "web/module/session.h"

namespace copse::web {

/// Answers the requests of the page, which are JSON objects with a "command":
///
///   load     bytes (address), size, name             -> message
///   build    builder, layout, reinsertion            -> the members of Facts
///   boxes    level, most                             -> floats (address), shown, count, depth
///   picture  camera, width, height, heat             -> pixels (address), max_visits
///   pick     camera, width, height, x, y             -> hit, t, triangle, tests, corners, visited
///   rays     camera, width, height                   -> the members of RayTimes
///
/// A camera is an array of 12 numbers: eye, forward, right, up, as in Camera. What an address points to lives until the
/// next request. Checksums are texts in hexadecimal, because JavaScript's numbers have 53 bits. A request that fails is
/// answered by {"error": text}.
class Requests {
 public:
  nlohmann::json answer(const nlohmann::json& request) noexcept;

 private:
  nlohmann::json perform(const nlohmann::json& request);
  nlohmann::json boxes(const nlohmann::json& request);
  nlohmann::json picture(const nlohmann::json& request);
  nlohmann::json pick(const nlohmann::json& request);

  Session session_;
  std::vector<float> floats_;
  Pixels pixels_;
};

}  // namespace copse::web
