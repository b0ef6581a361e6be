#include "viewer/widget_file.h"

#include <fstream>
#include <nlohmann/json.hpp>

#include "primitives/core/error.h"

namespace copse::viewer {

namespace fs = std::filesystem;

std::string widget_map_json(const WidgetMap& widgets, std::span<const Pane> panes) {
  const auto numbers = [](const Rectangle& place) {
    return nlohmann::json{place.x, place.y, place.width, place.height};
  };
  nlohmann::json named = nlohmann::json::object(), pictures = nlohmann::json::array();
  for (const auto& [name, place] : widgets.places()) named[name] = numbers(place);
  for (const Pane& pane : panes) pictures.push_back(numbers(pane.place));
  return nlohmann::json{{"widgets", named}, {"pictures", pictures}}.dump(1);
}

void write_whole_file(const fs::path& file, const std::string& text) {
  const fs::path unfinished = file.string() + ".part";
  std::ofstream stream(unfinished, std::ios::binary);
  stream << text;
  stream.close();
  std::error_code error;
  if (stream) fs::rename(unfinished, file, error);
  if (!stream || error) throw Error(ErrorCode::bad_file, "'" + file.string() + "' cannot be written");
}

}  // namespace copse::viewer
