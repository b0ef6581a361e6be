// Turk, "The PLY Polygon File Format", 1994.

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>

#include "builders/io/mesh/formats.h"
#include "builders/io/mesh/ply_source.h"
#include "builders/io/mesh/polygon.h"

namespace copse::detail {

namespace {

/// The values or elements between two looks at the cancel token.
constexpr u64 values_per_poll = 16384;

constexpr const char* axis_names[] = {"x", "y", "z"};

std::string text_of(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

/// Returns the position of the list of corners among the properties of a face, or -1 if there is none.
int find_corners(const PlyElement& face) {
  const int at = face.find("vertex_indices");
  return at >= 0 ? at : face.find("vertex_index");
}

/// Reads the elements after a header that check_header has accepted.
template <class Source>
class BodyReader {
 public:
  BodyReader(const std::filesystem::path& path, const PlyHeader& header, std::string_view body,
             const CancelToken& cancel)
      : header_(header), cancel_(cancel), place_{&path}, source_(body, place_) {}

  Mesh read() {
    std::optional<std::string_view> early_faces;
    for (const PlyElement& element : header_.elements) {
      begin(element);
      if (element.name == "vertex") {
        read_vertices();
      } else if (element.name == "face" && !mesh_.positions.empty()) {
        read_faces();
      } else {
        // Faces before the vertices are read after them.
        if (element.name == "face") early_faces = source_.rest();
        skip_element();
      }
    }
    check_rest();
    if (early_faces) {
      source_ = Source(*early_faces, place_);
      begin(*header_.find("face"));
      read_faces();
    }
    return std::move(mesh_);
  }

 private:
  /// Checks the count of the header against the bytes that are left, before memory is reserved or a loop begins.
  void begin(const PlyElement& element) {
    place_.element = &element;
    place_.number = 0;
    u64 least = 0;
    for (const PlyProperty& p : element.properties) least += Source::min_bytes(p.is_list ? p.count_type : p.type);
    if (least > 0 && element.count > source_.bytes_left() / least) {
      throw_bad_file(*place_.path, "the header promises " + std::to_string(element.count) + " of '" +
                                       element.name + "', the " + std::to_string(source_.rest().size()) +
                                       " bytes that are left hold at most " +
                                       std::to_string(source_.bytes_left() / least));
    }
  }

  void check_rest() const {
    const std::string_view rest = source_.rest();
    if (rest.find_first_not_of(" \t\r\n") != std::string_view::npos) {
      throw_bad_file(*place_.path, std::to_string(rest.size()) + " bytes are left after the last '" +
                                       header_.elements.back().name + "' that the header promises");
    }
  }

  void read_vertices() {
    const PlyElement& element = *place_.element;
    // The axis of each property; 3 for none.
    std::vector<int> axis_of(element.properties.size(), 3);
    for (int axis = 0; axis < 3; ++axis) axis_of[size_t(element.find(axis_names[axis]))] = axis;

    mesh_.positions.reserve(element.count);
    for (place_.number = 0; place_.number < element.count; ++place_.number) {
      poll(place_.number);
      vec3 position;
      for (size_t k = 0; k < axis_of.size(); ++k) {
        if (axis_of[k] == 3) {
          skip(element.properties[k]);
        } else {
          position[axis_of[k]] = coordinate(element.properties[k]);
        }
      }
      mesh_.positions.push_back(position);
    }
  }

  float coordinate(const PlyProperty& property) {
    const double wide = source_.real(property.type);
    const float value = float(wide);
    if (!is_finite(value)) {
      place_.fail(property.name + " is " + text_of(wide) + ", not a finite number of at most 3.4028235e38");
    }
    return value;
  }

  void read_faces() {
    const PlyElement& element = *place_.element;
    const int corners_at = find_corners(element);
    const PlyProperty& corners = element.properties[size_t(corners_at)];
    const u64 min_bytes = 3 * Source::min_bytes(corners.type);
    mesh_.triangles.reserve(std::min(element.count, source_.bytes_left() / min_bytes));
    for (place_.number = 0; place_.number < element.count; ++place_.number) {
      poll(place_.number);
      for (int k = 0; k < int(element.properties.size()); ++k) {
        if (k == corners_at) {
          read_face(corners);
        } else {
          skip(element.properties[size_t(k)]);
        }
      }
    }
  }

  void read_face(const PlyProperty& property) {
    const i64 count = source_.integer(property.count_type);
    if (count < 3) place_.fail("has " + std::to_string(count) + " corners; it needs at least 3");
    corners_.clear();
    for (i64 k = 0; k < count; ++k) {
      poll(u64(k) + 1);
      const i64 index = source_.integer(property.type);
      if (index < 0 || u64(index) >= mesh_.positions.size()) {
        place_.fail("index " + std::to_string(index) + " is not among the " +
                    std::to_string(mesh_.positions.size()) + " vertices, 0 to " +
                    std::to_string(mesh_.positions.size() - 1));
      }
      corners_.push_back(u32(index));
    }
    const size_t before = mesh_.triangles.size();
    mesh_.triangles.resize(before + corners_.size() - 2);
    cutter_.cut(mesh_.positions, corners_, mesh_.triangles.data() + before);
  }

  void skip_element() {
    const PlyElement& element = *place_.element;
    if (element.properties.empty()) return;
    for (place_.number = 0; place_.number < element.count; ++place_.number) {
      poll(place_.number);
      for (const PlyProperty& property : element.properties) skip(property);
    }
  }

  void skip(const PlyProperty& property) {
    u64 count = 1;
    if (property.is_list) {
      const i64 listed = source_.integer(property.count_type);
      if (listed < 0) place_.fail("the list '" + property.name + "' has " + std::to_string(listed) + " values");
      count = u64(listed);
    }
    for (; count > values_per_poll; count -= values_per_poll) {
      throw_if_cancelled(*place_.path, cancel_);
      source_.skip(property.type, values_per_poll);
    }
    source_.skip(property.type, count);
  }

  /// Looks at the cancel token at every values_per_poll-th step.
  void poll(u64 step) const {
    if (step % values_per_poll == 0) throw_if_cancelled(*place_.path, cancel_);
  }

  const PlyHeader& header_;
  const CancelToken& cancel_;
  PlyPlace place_;
  Source source_;
  Mesh mesh_;
  std::vector<u32> corners_;
  PolygonCutter cutter_;
};

void check_header(const std::filesystem::path& path, const PlyHeader& header) {
  const PlyElement* const vertex = header.find("vertex");
  const PlyElement* const face = header.find("face");
  if (!vertex || vertex->count == 0) throw_bad_file(path, "has 0 vertices; at least 1 is needed");
  if (!face || face->count == 0) throw_bad_file(path, "has 0 faces; at least 1 is needed");
  constexpr u64 max_vertices = u64{1} << 32;
  if (vertex->count > max_vertices) {
    throw_bad_file(path, "the header promises " + std::to_string(vertex->count) + " vertices; at most " +
                             std::to_string(max_vertices) + " can be read");
  }
  for (const char* axis : axis_names) {
    const int at = vertex->find(axis);
    if (at < 0) throw_bad_file(path, std::string("element 'vertex' has no property '") + axis + "'");
    if (vertex->properties[size_t(at)].is_list) {
      throw_bad_file(path, std::string("property '") + axis + "' of element 'vertex' is a list, not a number");
    }
  }
  const int corners_at = find_corners(*face);
  if (corners_at < 0) throw_bad_file(path, "element 'face' has no property 'vertex_indices' or 'vertex_index'");
  const PlyProperty& corners = face->properties[size_t(corners_at)];
  if (!corners.is_list || !is_integer(corners.type)) {
    throw_bad_file(path, "property '" + corners.name + "' of element 'face' is not a list of integers");
  }
}

}  // namespace

Mesh load_ply(const std::filesystem::path& path, const CancelToken& cancel) {
  const FileBytes bytes = read_whole_file(path, cancel);
  const PlyHeader header = parse_ply_header(path, bytes.text());
  check_header(path, header);
  const std::string_view body = bytes.text().substr(header.size_bytes);
  switch (header.format) {
    case PlyFormat::ascii: return BodyReader<AsciiSource>(path, header, body, cancel).read();
    case PlyFormat::little_endian: return BodyReader<BinarySource<false>>(path, header, body, cancel).read();
    case PlyFormat::big_endian: return BodyReader<BinarySource<true>>(path, header, body, cancel).read();
  }
  throw_bad_file(path, "unknown format");
}

}  // namespace copse::detail
