// copse-web-check MESH [BUILDER LAYOUT]
//
// Builds a tree by each builder in each layout over a mesh, those of cbvh4 with reinsertion. It traces a small picture
// through each, and prints a line of JSON per tree, without times. The same program is compiled for this machine, for
// WebAssembly and for aarch64, and all must print the same. The last line is the answer to a bad request. With BUILDER
// and LAYOUT it prints the line of this tree alone, without reinsertion.

#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>

#include "web/module/requests.h"

namespace {

using Json = nlohmann::json;
using copse::web::Vector;

Json without_times(Json answer) {
  for (const char* name : {"build_ms", "ms"}) answer.erase(name);
  return answer;
}

/// Returns a camera outside of a box, in the page's form. Only sums and products make it, which are equal on all
/// machines; the sines of their libraries are not.
Json camera_of(const Json& bounds) {
  const auto at = [&](int i) { return bounds[i].get<float>(); };
  const Vector lower{at(0), at(1), at(2)}, extent{at(3) - at(0), at(4) - at(1), at(5) - at(2)};
  const Vector eye{lower.x + 1.75f * extent.x, lower.y + 1.5f * extent.y, lower.z + 2.0f * extent.z};
  const Vector middle = lower + extent * 0.5f, forward = middle - eye,
               right{-0.3f * forward.z, 0, 0.3f * forward.x};
  Json camera = Json::array();
  for (const Vector& v : {eye, forward, right, Vector{0, 0.3f * extent.y, 0}}) {
    for (const float number : {v.x, v.y, v.z}) camera.push_back(number);
  }
  return camera;
}

void check_tree(copse::web::Requests& requests, const Json& recipe) {
  Json build = recipe;
  build["command"] = "build";
  const Json facts = requests.answer(build);
  Json line = {{"recipe", recipe}, {"tree", without_times(facts)}};
  if (!facts.contains("error")) {
    Json request = {{"camera", camera_of(facts["bounds"])}, {"width", 96}, {"height", 96}};
    request["command"] = "rays";
    line["rays"] = without_times(requests.answer(request));
    request["command"] = "pick", request["x"] = 48, request["y"] = 48;
    line["pick"] = requests.answer(request);
    Json boxes = requests.answer({{"command", "boxes"}, {"level", 3}, {"most", 1000}});
    boxes.erase("floats");
    line["boxes"] = boxes;
  }
  std::cout << line.dump() << "\n";
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 && argc != 4) {
    std::cerr << "usage: copse-web-check MESH [BUILDER LAYOUT]\n";
    return 2;
  }
  std::ifstream file(argv[1], std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  copse::web::Requests requests;
  const Json load = {{"command", "load"},
                     {"bytes", uint64_t(reinterpret_cast<uintptr_t>(bytes.data()))},
                     {"size", bytes.size()},
                     {"name", "mesh"}};
  const Json loaded = requests.answer(load);
  if (argc == 4) {
    check_tree(requests, {{"builder", argv[2]}, {"layout", argv[3]}, {"reinsertion", 0}});
    return 0;
  }
  std::cout << loaded.dump() << "\n";
  for (const char* builder : {"lbvh", "hploc", "sah"}) {
    for (const char* layout : {"bvh2", "bvh4", "cbvh4", "cbvh8"}) {
      const bool is_reinserted = std::string(layout) == "cbvh4";
      check_tree(requests, {{"builder", builder}, {"layout", layout}, {"reinsertion", is_reinserted ? 2 : 0}});
    }
  }
  check_tree(requests, {{"builder", "octree"}, {"layout", "bvh2"}, {"reinsertion", 0}});
  return 0;
}
