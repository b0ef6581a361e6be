// Photons in a spatial hash: those of one cell stand side by side, a hash map tells where those of a cell begin,
// and an estimate looks into the 27 cells around its point. Nothing is stored for empty cells, so that space may
// be as large as it likes.

#include <copse/copse.h>

#include <cmath>
#include <cstdio>
#include <exception>
#include <vector>

namespace {

constexpr copse::u32 photon_count = 100000, estimate_count = 64;
constexpr float radius = 0.05f;

std::vector<copse::u32> counted(copse::u64 n) {
  std::vector<copse::u32> numbers(n);
  for (copse::u64 i = 0; i < n; ++i) numbers[i] = copse::u32(i);
  return numbers;
}

/// Points on a sphere that look random: most cells around it stay empty.
std::vector<glm::vec3> photons_on_sphere(copse::u32 n, copse::u32 state) {
  const auto next = [&state] {
    state = state * 1664525u + 1013904223u;
    return float(state >> 8) / float(1 << 23) - 1;
  };
  std::vector<glm::vec3> points;
  while (points.size() < n) {
    const glm::vec3 p(next(), next(), next());
    const float length = glm::length(p);
    if (length > 0.1f && length <= 1) points.push_back(p / length);
  }
  return points;
}

glm::ivec3 cell_of(glm::vec3 p) {
  return glm::ivec3(glm::floor(p / radius));
}

/// Where the photons of a cell stand: cell c has those from begins[r] on, lengths[r] of them, r = runs[c].
struct PhotonHash {
  copse::HashMap<glm::ivec3, copse::u32> runs;
  std::vector<copse::u32> photons, begins, lengths;
};

PhotonHash build(copse::Context& context, const std::vector<glm::vec3>& positions) {
  const copse::u64 n = positions.size();
  std::vector<glm::ivec3> host_cells;
  for (const glm::vec3& p : positions) host_cells.push_back(cell_of(p));
  const copse::Buffer<glm::ivec3> cells(context, host_cells);
  const copse::Buffer<copse::u32> numbers(context, counted(n));

  // Name each cell by one of its photons: all of them insert it, and one wins.
  copse::HashMap<glm::ivec3, copse::u32> map(context, n);
  copse::Buffer<copse::u32> names(context, n);
  copse::insert(context, map, cells.span(), numbers.span());
  copse::find(context, map, cells.span(), names.span());

  // Sort photons by the names of their cells, and find where each cell begins.
  copse::Buffer<copse::u32> sorted_names(context, n), photons(context, n), run_names(context, n),
      lengths(context, n);
  copse::Buffer<copse::u32> begins(context, n);
  copse::Buffer<copse::u64> count(context, 1);
  copse::radix_sort_pairs<copse::u32>(context, names.span(), numbers.span(), sorted_names.span(), photons.span());
  copse::run_length_encode<copse::u32>(context, sorted_names.span(), run_names.span(), lengths.span(),
                                       count.span());
  const copse::u64 run_count = count.download()[0];
  copse::exclusive_scan<copse::u32>(context, lengths.span().first(run_count), begins.span().first(run_count));

  // Let the map tell a cell's run from now on.
  const auto host_names = copse::download(context, run_names.span().first(run_count));
  std::vector<glm::ivec3> host_run_cells;
  for (const copse::u32 name : host_names) host_run_cells.push_back(host_cells[name]);
  const copse::Buffer<glm::ivec3> run_cells(context, host_run_cells);
  copse::insert_or_assign(context, map, run_cells.span(), numbers.span().first(run_count));
  map.check();
  return {std::move(map), photons.download(), copse::download(context, begins.span().first(run_count)),
          copse::download(context, lengths.span().first(run_count))};
}

/// For each point, how many photons are within the radius.
std::vector<copse::u32> estimate(copse::Context& context, const PhotonHash& hash,
                                 const std::vector<glm::vec3>& photons, const std::vector<glm::vec3>& points) {
  constexpr copse::u32 neighbours = 27;
  std::vector<glm::ivec3> host_cells;
  for (const glm::vec3& p : points) {
    for (int k = 0; k < int(neighbours); ++k) {
      host_cells.push_back(cell_of(p) + glm::ivec3(k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1));
    }
  }
  const copse::Buffer<glm::ivec3> cells(context, host_cells);
  copse::Buffer<copse::u32> runs(context, cells.size());
  copse::Buffer<copse::u8> found(context, cells.size());
  copse::find(context, hash.runs, cells.span(), runs.span(), found.span());
  const auto run_of = runs.download();
  const auto is_there = found.download();

  std::vector<copse::u32> counts(points.size());
  for (copse::u64 i = 0; i < cells.size(); ++i) {
    if (is_there[i] == 0) continue;
    const glm::vec3 point = points[i / neighbours];
    for (copse::u32 k = 0; k < hash.lengths[run_of[i]]; ++k) {
      const copse::u32 photon = hash.photons[hash.begins[run_of[i]] + k];
      if (glm::distance(photons[photon], point) <= radius) ++counts[i / neighbours];
    }
  }
  return counts;
}

bool agrees_with_all_photons(const std::vector<copse::u32>& counts, const std::vector<glm::vec3>& photons,
                             const std::vector<glm::vec3>& points) {
  for (copse::u64 i = 0; i < points.size(); ++i) {
    copse::u32 count = 0;
    for (const glm::vec3& p : photons) count += glm::distance(p, points[i]) <= radius;
    if (count != counts[i]) return false;
  }
  return true;
}

}  // namespace

int main() {
  try {
    copse::Context context;
    const auto photons = photons_on_sphere(photon_count, 1), points = photons_on_sphere(estimate_count, 2);
    const PhotonHash hash = build(context, photons);
    const auto counts = estimate(context, hash, photons, points);
    copse::u64 total = 0;
    for (const copse::u32 count : counts) total += count;
    const bool agrees = agrees_with_all_photons(counts, photons, points);
    std::printf("%zu cells of %u photons; %llu photons around %u points, %s\n", hash.begins.size(), photon_count,
                static_cast<unsigned long long>(total), estimate_count,
                agrees ? "all of them" : "not all of them");
    return agrees ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "photon_hash: %s\n", error.what());
    return 1;
  }
}
