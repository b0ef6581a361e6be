#include "viewer/model/scene/mesh_names.h"

#include <cctype>
#include <string>

namespace copse::viewer {

bool is_mesh_name(const std::filesystem::path& path) {
  std::string ending = path.extension().string();
  for (char& c : ending) c = char(std::tolower(static_cast<unsigned char>(c)));
  return ending == ".obj" || ending == ".ply";
}

}  // namespace copse::viewer
