#pragma once

#include "viewer/model/settings/json_reader.h"
#include "viewer/model/structures/structure_options.h"

namespace copse::viewer {

/// The options of a structure, to and from JSON.
nlohmann::json to_json(const StructureOptions& options);
void read_options(const JsonReader& reader, StructureOptions& options);

inline nlohmann::json json_of(const vec3& p) {
  return {p.x, p.y, p.z};
}
inline nlohmann::json json_of(const uvec3& p) {
  return {p.x, p.y, p.z};
}

}  // namespace copse::viewer
