// --resolution: which numbers each structure takes.

#include <algorithm>
#include <charconv>

#include "builders/grid/bricks.h"
#include "builders/grid/distance_field.h"
#include "builders/grid/frustum_layout.h"
#include "builders/grid/layout.h"
#include "builders/grid/voxels.h"
#include "cli/options/structure_builds.h"

namespace copse::cli {

namespace {

/// Returns the numbers in "N" or "XxYxZ". Throws: Error invalid_argument for anything else.
std::vector<u32> parse_numbers(const std::string& text) {
  std::vector<u32> numbers;
  const char *at = text.data(), *const end = at + text.size();
  while (true) {
    u32 value = 0;
    const auto [stop, error] = std::from_chars(at, end, value);
    if (error != std::errc{}) break;
    numbers.push_back(value);
    if (stop == end) return numbers;
    if (*stop != 'x') break;
    at = stop + 1;
  }
  refuse_structure(
      fmt::format("--resolution is '{}'; it takes a number, or three as in 128x128x16", one_line(text)));
}

bool are_in_range(const std::vector<u32>& numbers, u32 highest) {
  return std::all_of(numbers.begin(), numbers.end(), [&](u32 n) { return n >= 1 && n <= highest; });
}

void check_grid(const std::string& text, const std::vector<u32>& numbers) {
  if (numbers.size() != 1 && numbers.size() != 3) {
    refuse_structure(fmt::format("--resolution is {}; a grid takes one number or three", text));
  }
  if (!are_in_range(numbers, max_grid_resolution)) {
    refuse_structure(
        fmt::format("--resolution is {}; a grid takes 1 to {} cells along each axis", text, max_grid_resolution));
  }
  const u64 cells = u64{numbers.front()} * numbers[numbers.size() / 2] * numbers.back();
  if (cells > max_grid_cells) {
    refuse_structure(fmt::format("--resolution is {}, which is {} cells; a grid takes up to {}", text,
                                 grouped(cells), grouped(max_grid_cells)));
  }
}

void check_frustum(const std::string& text, const std::vector<u32>& numbers) {
  if (numbers.size() != 3) {
    refuse_structure(
        fmt::format("--resolution is {}; a frustum takes three numbers: tiles across, tiles down, slabs", text));
  }
  if (!are_in_range({numbers[0], numbers[1]}, max_frustum_tiles) ||
      !are_in_range({numbers[2]}, max_frustum_slabs)) {
    refuse_structure(fmt::format("--resolution is {}; a frustum takes 1 to {} tiles each way and 1 to {} slabs",
                                 text, max_frustum_tiles, max_frustum_slabs));
  }
}

u32 highest_of(Structure structure) {
  if (structure == Structure::voxels) return max_voxel_resolution;
  return structure == Structure::distance ? max_field_resolution : max_brick_voxels;
}

void check_voxels(const StructureOptions& options, const std::vector<u32>& numbers) {
  const char* const name = name_of(options.structure);
  if (numbers.size() != 1) {
    refuse_structure(fmt::format("--resolution is {}; --structure {} takes one number, because voxels are cubes",
                                 options.resolution, name));
  }
  const u32 highest = highest_of(options.structure);
  if (are_in_range(numbers, highest)) return;
  refuse_structure(fmt::format("--resolution is {}; --structure {} takes 1 to {} voxels along the longest edge",
                               options.resolution, name, highest));
}

}  // namespace

std::vector<u32> resolution_of(const StructureOptions& options) {
  if (options.resolution.empty()) return {};
  const std::vector<u32> numbers = parse_numbers(options.resolution);
  if (options.structure == Structure::grid) {
    check_grid(options.resolution, numbers);
  } else if (options.structure == Structure::frustum) {
    check_frustum(options.resolution, numbers);
  } else {
    check_voxels(options, numbers);
  }
  return numbers;
}

}  // namespace copse::cli
