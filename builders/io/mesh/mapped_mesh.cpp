#include "builders/io/mapped_mesh.h"

#include <atomic>
#include <cstring>
#include <string>

#include "builders/io/file/file_mapping.h"
#include "builders/io/mesh/formats.h"
#include "builders/io/mesh/ply_header.h"
#include "builders/io/mesh/reader_threads.h"
#include "builders/io/whole_file.h"
#include "primitives/core/check.h"
#include "primitives/core/counted.h"

namespace copse {

namespace {

using detail::PlyElement;
using detail::PlyHeader;
using detail::PlyProperty;
using detail::PlyType;
using std::to_string;

/// Where the elements of one kind are in a file. All of them have the same length.
struct ElementPlace {
  const PlyElement* element = nullptr;
  u64 begin = 0, stride = 0;
};

/// Finds the vertices and the triangles in the bytes of a PLY file.
class PlyPlaces {
 public:
  PlyPlaces(const std::filesystem::path& path, std::string_view file)
      : path_(path), file_(file), header_(detail::parse_ply_header(path, file)) {
    if (header_.format == detail::PlyFormat::ascii) fail("it is a text");
    if (header_.format == detail::PlyFormat::big_endian) fail("it is big-endian");
    detail::check_ply_header(path, header_);
    place_elements();
    find_positions();
    find_corners();
  }

  const TriangleRecords& records() const { return records_; }

  /// Checks all vertices and faces.
  void check(const LoadMeshOptions& options) const {
    check_each(vertices_, options, [&](u64 i) { return is_finite(records_.position(i)); });
    check_each(faces_, options, [&](u64 i) { return is_good_face(i); });
    const std::string_view rest = file_.substr(end_);
    if (rest.find_first_not_of(" \t\r\n") != std::string_view::npos)
      fail("there are " + detail::counted(rest.size(), "bytes") + " of other data behind its elements");
  }

 private:
  [[noreturn]] void fail(const std::string& cause) const {
    detail::throw_bad_file(path_, "cannot be mapped: " + cause);
  }

  void place_elements() {
    u64 begin = header_.size_bytes;
    for (const PlyElement& element : header_.elements) {
      if (element.count == 0) continue;
      const ElementPlace place{&element, begin, offset_of(element, element.properties.size())};
      const u64 left = file_.size() - begin;
      if (place.stride > 0 && element.count > left / place.stride) {
        fail("the header promises " + to_string(element.count) + " of '" + element.name + "' with " +
             detail::counted(place.stride, "bytes") + " each, but " + detail::counted(left, "bytes") +
             " are left");
      }
      begin += element.count * place.stride;
      if (element.name == "vertex") vertices_ = place;
      if (element.name == "face") faces_ = place;
    }
    end_ = begin;
  }

  /// Returns the bytes before a property of an element. The only list may be that of the corners of a triangle.
  u64 offset_of(const PlyElement& element, size_t property) const {
    u64 offset = 0;
    for (size_t i = 0; i < property; ++i) {
      const PlyProperty& p = element.properties[i];
      const bool is_corners = element.name == "face" && int(i) == detail::find_ply_corners(element);
      if (p.is_list && !is_corners) {
        fail("the list '" + p.name + "' of element '" + element.name + "' may have any length");
      }
      offset += p.is_list ? bytes_of(p.count_type) + 3 * bytes_of(p.type) : bytes_of(p.type);
    }
    return offset;
  }

  void find_positions() {
    const PlyElement& vertex = *vertices_.element;
    const int x = vertex.find("x");
    if (vertex.find("y") != x + 1 || vertex.find("z") != x + 2) {
      fail("the properties 'x', 'y' and 'z' do not follow one another");
    }
    for (int k = x; k < x + 3; ++k) {
      const PlyProperty& p = vertex.properties[size_t(k)];
      if (p.type != PlyType::f32) fail("property '" + p.name + "' is not a float");
    }
    records_.positions = file_.data() + vertices_.begin + offset_of(vertex, size_t(x));
    records_.vertex_count = vertex.count;
    records_.position_stride = vertices_.stride;
  }

  void find_corners() {
    const PlyElement& face = *faces_.element;
    const size_t at = size_t(detail::find_ply_corners(face));
    const PlyProperty& corners = face.properties[at];
    if (corners.type != PlyType::i32 && corners.type != PlyType::u32) {
      fail("the indices have " + to_string(8 * bytes_of(corners.type)) + " bits, not 32");
    }
    count_bytes_ = bytes_of(corners.count_type);
    records_.triangles = file_.data() + faces_.begin + offset_of(face, at) + count_bytes_;
    records_.triangle_count = face.count;
    records_.triangle_stride = faces_.stride;
    vertex_limit_ =
        corners.type == PlyType::i32 ? smaller(vertices_.element->count, u64{1} << 31) : vertices_.element->count;
  }

  u32 corner_count(u64 face) const {
    u32 count = 0;
    std::memcpy(&count, records_.triangles + face * faces_.stride - count_bytes_, count_bytes_);
    return count;
  }

  bool is_good_face(u64 i) const {
    const uvec3 ids = records_.vertex_ids(i);
    return corner_count(i) == 3 && ids.x < vertex_limit_ && ids.y < vertex_limit_ && ids.z < vertex_limit_;
  }

  /// Refuses the file for the first element that is not good.
  template <class IsGood>
  void check_each(const ElementPlace& place, const LoadMeshOptions& options, const IsGood& is_good) const {
    constexpr u64 per_piece = u64{1} << 16;
    const u64 count = place.element->count;
    std::atomic<u64> first_bad = count;
    detail::for_each_on_threads(divide_rounding_up(count, per_piece), options.workers, [&](u64 piece) {
      detail::throw_if_cancelled(path_, options.cancel);
      const u64 end = smaller((piece + 1) * per_piece, count);
      for (u64 i = piece * per_piece; i < end; ++i) {
        if (is_good(i)) continue;
        for (u64 before = first_bad; i < before && !first_bad.compare_exchange_weak(before, i);) {
        }
        return;
      }
    });
    if (first_bad < count) fail(fault_of(place, first_bad));
  }

  std::string fault_of(const ElementPlace& place, u64 number) const {
    const std::string name = place.element->name + " " + to_string(number);
    if (place.element == vertices_.element) return name + " is not finite";
    const u32 corners = corner_count(number);
    if (corners != 3) return name + " has " + to_string(corners) + " corners, not 3";
    const uvec3 ids = records_.vertex_ids(number);
    u32 worst = ids.x;
    for (int k = 0; k < 3; ++k) {
      if (ids[k] >= vertex_limit_) worst = ids[k];
    }
    return name + " has vertex " + to_string(worst) + " of " + to_string(vertices_.element->count);
  }

  const std::filesystem::path& path_;
  std::string_view file_;
  PlyHeader header_;
  ElementPlace vertices_, faces_;
  u64 end_ = 0;  // of all elements
  u32 count_bytes_ = 0;
  u64 vertex_limit_ = 0;
  TriangleRecords records_;
};

}  // namespace

MappedMesh::MappedMesh(const FilePath& file_path, const LoadMeshOptions& options) {
  detail::check_mesh_options("MappedMesh", options);
  const std::filesystem::path path = file_path.text();
  mapping_ = std::make_unique<detail::FileMapping>(path, detail::PageAccess::read);
  const std::span<char> bytes = mapping_->bytes();
  const PlyPlaces places(path, {bytes.data(), bytes.size()});
  places.check(options);
  records_ = places.records();
}

MappedMesh::~MappedMesh() = default;
MappedMesh::MappedMesh(MappedMesh&&) noexcept = default;
MappedMesh& MappedMesh::operator=(MappedMesh&&) noexcept = default;

}  // namespace copse
