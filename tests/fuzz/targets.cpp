#include "tests/fuzz/targets.h"

#include <cstdio>
#include <cstdlib>
#include <vector>

namespace copse::fuzz {

namespace {

template <class F>
void for_each_target(const F& f) {
  std::vector<std::span<const Target>> all = {mesh_targets(), file_targets(), settings_targets(), build_targets()};
  if constexpr (COPSE_FUZZES_ARGUMENTS) all.push_back(argument_targets());
  for (const auto& targets : all) {
    for (const Target& target : targets) f(target);
  }
}

}  // namespace

const Target* find_target(std::string_view name) {
  const Target* found = nullptr;
  for_each_target([&](const Target& target) { found = name == target.name ? &target : found; });
  return found;
}

std::string target_names() {
  std::string names;
  for_each_target([&](const Target& target) { names += (names.empty() ? "" : " ") + std::string(target.name); });
  return names;
}

void require(bool is_right, const char* what) {
  if (is_right) return;
  std::fprintf(stderr, "copse-fuzz: not so: %s\n", what);
  std::abort();
}

}  // namespace copse::fuzz
