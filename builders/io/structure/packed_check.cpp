#include "builders/io/structure/packed_check.h"

#include <algorithm>
#include <vector>

namespace copse::detail {

namespace {

using std::to_string;

/// The part that has a triangle, and the triangle's number in it.
struct PlaceInPart {
  const StructurePart* part;
  u64 local_id;
};

/// Finds the part of any triangle of a mesh.
class PartFinder {
 public:
  explicit PartFinder(std::span<const StructurePart> parts) : parts_(parts) {
    for (const StructurePart& part : parts)
      ends_.push_back(part.triangle_count + (ends_.empty() ? 0 : ends_.back()));
  }

  PlaceInPart find(u64 triangle) const {
    const u64 k = u64(std::upper_bound(ends_.begin(), ends_.end(), triangle) - ends_.begin());
    return {&parts_[k], triangle - (k == 0 ? 0 : ends_[k - 1])};
  }

 private:
  std::span<const StructurePart> parts_;
  std::vector<u64> ends_;  // [part]: the first triangle after it
};

/// Returns how a packed triangle differs from that of the mesh, or an empty string.
std::string find_difference(const TriangleRecords& mesh, const PartFinder& parts, const PackedTriangle& packed,
                            u32 mask) {
  const Triangle triangle = mesh.triangle(packed.primitive);
  if (triangle.a != packed.a || triangle.b != packed.b || triangle.c != packed.c)
    return "has other vertices than the structure";
  const auto [part, local_id] = parts.find(packed.primitive);
  if (part->geometry != packed.geometry || local_id != packed.local_id) {
    return "is triangle " + to_string(local_id) + " of geometry " + to_string(part->geometry) +
           ", but in the structure it is triangle " + to_string(packed.local_id) + " of geometry " +
           to_string(packed.geometry);
  }
  if (part->mask != mask) {
    return "has the mask " + to_string(part->mask) + ", but in the structure it has the mask " + to_string(mask);
  }
  return "";
}

}  // namespace

std::string find_packed_fault(const TriangleRecords& mesh, std::span<const StructurePart> parts,
                              std::span<const PackedTriangle> packed, std::span<const u32> masks) {
  const PartFinder finder(parts);
  for (u64 place = 0; place < packed.size(); ++place) {
    const std::string difference =
        find_difference(mesh, finder, packed[place], masks.empty() ? ~u32{0} : masks[place]);
    if (!difference.empty())
      return "triangle " + to_string(packed[place].primitive) + " of the mesh " + difference;
  }
  return "";
}

}  // namespace copse::detail
