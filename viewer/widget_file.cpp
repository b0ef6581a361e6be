#include "viewer/widget_file.h"

#include <nlohmann/json.hpp>

namespace copse::viewer {

std::string widget_map_json(const WidgetMap& widgets, std::span<const Pane> panes) {
  const auto numbers = [](const Rectangle& place) {
    return nlohmann::json{place.x, place.y, place.width, place.height};
  };
  nlohmann::json named = nlohmann::json::object(), pictures = nlohmann::json::array();
  for (const auto& [name, place] : widgets.places()) named[name] = numbers(place);
  for (const Pane& pane : panes) pictures.push_back(numbers(pane.place));
  return nlohmann::json{{"widgets", named}, {"pictures", pictures}}.dump(1);
}

}  // namespace copse::viewer
