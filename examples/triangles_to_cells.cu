// Records in several categories: each triangle of a mesh goes to all cells of a grid that its box touches, and
// every cell gets the list of its triangles. Compiled with C++20 and no other option.

#include <copse/copse.h>
#include <copse/primitives.h>
#include <copse/primitives/cuda/expand.cuh>
#include <copse/primitives/cuda/split.cuh>

#include <utility>

#include "example_support.h"

namespace {

using copse::Buffer;
using copse::u32;
using copse::u64;
using glm::uvec3;

/// side x side x side cells over a box.
struct Grid {
  copse::Aabb box;
  u32 side;

  COPSE_HD uvec3 cell_of(const glm::vec3& p) const {
    const glm::vec3 place = (p - box.lo) / (box.hi - box.lo) * float(side);
    return {cut(place.x), cut(place.y), cut(place.z)};
  }
  COPSE_HD u32 number_of(const uvec3& cell) const { return (cell.z * side + cell.y) * side + cell.x; }
  COPSE_HD u32 cell_count() const { return side * side * side; }

 private:
  COPSE_HD u32 cut(float place) const { return place < float(side - 1) ? u32(place) : side - 1; }
};

/// A block of cells, from `first` on.
struct CellRange {
  uvec3 first, size;
};
struct CellsOfTriangle {
  copse::TriangleView triangles;
  Grid grid;
  COPSE_HD CellRange operator()(u64 i) const {
    const copse::Aabb box = copse::bounds(copse::load_triangle(triangles, i));
    const uvec3 first = grid.cell_of(box.lo);
    return {first, grid.cell_of(box.hi) - first + 1u};
  }
};

// snippet begins
/// How many references triangle i needs: one for each of its cells.
struct CountCells {
  CellsOfTriangle cells_of;
  COPSE_HD u32 operator()(u64 i) const {
    const uvec3 size = cells_of(i).size;
    return size.x * size.y * size.z;
  }
};

struct Reference {
  u32 cell, triangle;
};

/// Stores the k-th reference of triangle i in the slot that it has been given.
struct StoreReference {
  CellsOfTriangle cells_of;
  Reference* references;
  COPSE_HD void operator()(u64 i, u64 k, u64 slot) const {
    const auto [first, size] = cells_of(i);
    const uvec3 offset(k % size.x, k / size.x % size.y, k / size.x / size.y);
    references[slot] = {cells_of.grid.number_of(first + offset), u32(i)};
  }
};

struct CellOfReference {
  COPSE_HD u32 operator()(const Reference& reference) const { return reference.cell; }
};

/// The references of cell c stand at begins[c] up to begins[c + 1], their triangles ascending.
struct CellLists {
  Buffer<Reference> references;
  Buffer<u64> begins;
};

CellLists lists_of_cells(copse::Context& context, const CellsOfTriangle& cells_of) {
  const auto& ex = context.cuda_executor();
  const u64 triangle_count = cells_of.triangles.triangle_count();
  const u32 cell_count = cells_of.grid.cell_count();
  const CountCells count{cells_of};
  u64* const no_offsets = nullptr;

  // Learn how many references there are: with room for none, none is stored.
  Buffer<u64> total(context, 1);
  copse::cuda::expand(ex, "count references", triangle_count, count, StoreReference{cells_of, nullptr}, 0,
                      no_offsets, total.data());
  const u64 reference_count = total.download()[0];  // waits

  // Store them, triangle by triangle, and bring together those of a cell.
  Buffer<Reference> references(context, reference_count), by_cell(context, reference_count);
  Buffer<u64> begins(context, cell_count + 1);
  copse::cuda::expand(ex, "store references", triangle_count, count, StoreReference{cells_of, references.data()},
                      reference_count, no_offsets, total.data());
  copse::cuda::split(ex, "references to cells", reference_count, copse::Elements<Reference>{references.data()},
                     CellOfReference{}, cell_count, by_cell.data(), begins.data());
  return {std::move(by_cell), std::move(begins)};
}
// snippet ends

/// The same on the host, by the same functors.
std::vector<std::vector<u32>> slow_lists(const CellsOfTriangle& cells_of) {
  std::vector<std::vector<u32>> lists(cells_of.grid.cell_count());
  for (u32 i = 0; i < cells_of.triangles.triangle_count(); ++i) {
    const CellRange range = cells_of(i);
    for (u32 z = 0; z < range.size.z; ++z) {
      for (u32 y = 0; y < range.size.y; ++y) {
        for (u32 x = 0; x < range.size.x; ++x) {
          lists[cells_of.grid.number_of(range.first + uvec3(x, y, z))].push_back(i);
        }
      }
    }
  }
  return lists;
}

bool equal(const CellLists& cells, const std::vector<std::vector<u32>>& expected) {
  const std::vector<Reference> references = cells.references.download();
  const std::vector<u64> begins = cells.begins.download();
  u64 at = 0;
  for (u64 cell = 0; cell < expected.size(); ++cell) {
    if (begins[cell] != at || begins[cell + 1] != at + expected[cell].size()) return false;
    for (const u32 triangle : expected[cell]) {
      if (references[at].cell != cell || references[at].triangle != triangle) return false;
      ++at;
    }
  }
  return at == references.size();
}

bool sort_sphere_into_cells() {
  const copse::Mesh mesh = copse::generate_sphere(5);
  const Grid grid{copse::bounds(mesh), 16};
  const copse::TriangleView on_host{
      .positions = {mesh.positions.data(), mesh.positions.size(), sizeof(glm::vec3)},
      .triangles = copse::BufferSpan<const uvec3>(mesh.triangles.data(), mesh.triangles.size())};

  copse::Context context({.backend = copse::Backend::cuda});
  const Buffer<glm::vec3> positions(context, mesh.positions);
  const Buffer<uvec3> triangles(context, mesh.triangles);
  const copse::TriangleView view{.positions = positions.span(), .triangles = triangles.span()};
  const CellLists cells = lists_of_cells(context, {view, grid});

  const bool right = equal(cells, slow_lists({on_host, grid}));
  std::printf("%zu triangles, %zu references from %u cells%s\n", size_t(mesh.triangles.size()),
              size_t(cells.references.size()), grid.cell_count(), right ? "" : ": not those that the host finds");
  return right;
}

}  // namespace

int main() {
  return example::run("triangles_to_cells", sort_sphere_into_cells);
}
