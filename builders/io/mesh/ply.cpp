// Turk, "The PLY Polygon File Format", 1994.

#include <algorithm>
#include <optional>
#include <string>

#include "builders/io/mesh/formats.h"
#include "builders/io/mesh/ply_source.h"
#include "builders/io/mesh/polygon.h"
#include "builders/io/mesh/vertex_filter.h"
#include "builders/io/whole_file.h"
#include "primitives/core/counted.h"

namespace copse::detail {

namespace {

/// The values or elements between two polls of the cancel token.
constexpr u64 values_per_poll = 16384;

/// True for the elements that give triangles. A strip gives one per corner after the second.
bool has_corners(const PlyElement& element) {
  return element.name == "face" || element.name == "tristrips";
}

/// Reads the elements after a header that check_ply_header has accepted.
template <class Source>
class BodyReader {
 public:
  BodyReader(const std::filesystem::path& path, const PlyHeader& header, std::string_view body,
             const CancelToken& cancel, MeshReport& report)
      : header_(header), cancel_(cancel), report_(report), place_{&path}, source_(body, place_) {}

  Mesh read() {
    struct Early {
      const PlyElement& element;
      std::string_view data;
    };
    std::vector<Early> early;
    for (const PlyElement& element : header_.elements) {
      begin(element);
      if (element.name == "vertex") {
        read_vertices();
      } else if (has_corners(element) && filter_ && early.empty()) {
        read_faces();
      } else {
        // Faces before the vertices are read after them, and then those behind them.
        if (has_corners(element)) early.push_back({element, source_.rest()});
        skip_element();
      }
    }
    check_rest();
    for (const Early& one : early) {
      source_ = Source(one.data, place_);
      begin(one.element);
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
      throw_bad_file(*place_.path, counted(rest.size(), "bytes") + " of other data behind the last '" +
                                       header_.elements.back().name + "' that the header promises");
    }
  }

  void read_vertices() {
    const PlyElement& element = *place_.element;
    // The axis of each property; 3 for none.
    std::vector<int> axis_of(element.properties.size(), 3);
    for (int axis = 0; axis < 3; ++axis) axis_of[size_t(element.find(ply_axis_names[axis]))] = axis;

    mesh_.positions.reserve(element.count);
    for (place_.number = 0; place_.number < element.count; ++place_.number) {
      poll(place_.number);
      vec3 position;
      for (size_t k = 0; k < axis_of.size(); ++k) {
        if (axis_of[k] == 3) {
          skip(element.properties[k]);
        } else {
          position[axis_of[k]] = float(source_.real(element.properties[k].type));
        }
      }
      if (!is_finite(position)) leave_out(report_.vertices);
      mesh_.positions.push_back(position);
    }
    vertex_count_ = element.count;
    filter_.emplace(mesh_.positions);
  }

  void leave_out(MeshReport::LeftOut& kind) const {
    if (kind.count++ == 0) kind.first = place_.element->name + " " + std::to_string(place_.number);
  }

  void read_faces() {
    const PlyElement& element = *place_.element;
    if (element.count == 0) return;
    const bool is_strip = element.name == "tristrips";
    const int corners_at = find_ply_corners(element);
    const PlyProperty& corners = element.properties[size_t(corners_at)];
    const u64 min_bytes = 3 * Source::min_bytes(corners.type);
    mesh_.triangles.reserve(std::min(element.count, source_.bytes_left() / min_bytes));
    for (place_.number = 0; place_.number < element.count; ++place_.number) {
      poll(place_.number);
      for (int k = 0; k < int(element.properties.size()); ++k) {
        if (k != corners_at) {
          skip(element.properties[size_t(k)]);
        } else if (is_strip) {
          read_strips(corners);
        } else {
          read_face(corners);
        }
      }
    }
  }

  void read_face(const PlyProperty& property) {
    const i64 count = read_corner_count(property, 3);
    corners_.clear();
    for (i64 k = 0; k < count; ++k) add_corner(k, source_.integer(property.type));
    if (count < 3) return leave_out(report_.short_faces);
    if (!filter_->renumber(corners_)) return leave_out(report_.faces);
    const size_t before = mesh_.triangles.size();
    mesh_.triangles.resize(before + corners_.size() - 2);
    cutter_.cut(mesh_.positions, corners_, mesh_.triangles.data() + before);
  }

  /// Reads the strips of one list. An index of -1 ends a strip.
  void read_strips(const PlyProperty& property) {
    const i64 count = read_corner_count(property, 0);
    corners_.clear();
    for (i64 k = 0; k < count; ++k) {
      const i64 index = source_.integer(property.type);
      if (index == -1) {
        append_strip();
      } else {
        add_corner(k, index);
      }
    }
    append_strip();
  }

  void append_strip() {
    if (corners_.size() == 1 || corners_.size() == 2) leave_out(report_.short_faces);
    for (size_t i = 2; i < corners_.size(); ++i) {
      // Every other triangle of a strip is mirrored.
      const bool is_mirrored = i % 2 == 1;
      u32 corners[3] = {corners_[i - 2 + is_mirrored], corners_[i - 1 - is_mirrored], corners_[i]};
      // A strip turns by repeating a corner, which gives triangles without area.
      if (corners[0] == corners[1] || corners[1] == corners[2] || corners[2] == corners[0]) continue;
      if (filter_->renumber(corners)) {
        mesh_.triangles.push_back({corners[0], corners[1], corners[2]});
      } else {
        leave_out(report_.faces);
      }
    }
    corners_.clear();
  }

  i64 read_corner_count(const PlyProperty& property, i64 least) {
    const i64 count = source_.integer(property.count_type);
    if (count < 0) {
      place_.fail("has " + std::to_string(count) + " corners; it needs at least " + std::to_string(least));
    }
    return count;
  }

  void add_corner(i64 number, i64 index) {
    poll(u64(number) + 1);
    if (index < 0 || u64(index) >= vertex_count_) {
      place_.fail("index " + std::to_string(index) + " is not among the " + counted(vertex_count_, "vertices") +
                  ", 0 to " + std::to_string(vertex_count_ - 1));
    }
    corners_.push_back(u32(index));
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

  /// Polls the cancel token at every values_per_poll-th step.
  void poll(u64 step) const {
    if (step % values_per_poll == 0) throw_if_cancelled(*place_.path, cancel_);
  }

  const PlyHeader& header_;
  const CancelToken& cancel_;
  MeshReport& report_;
  PlyPlace place_;
  Source source_;
  Mesh mesh_;
  u64 vertex_count_ = 0;                // in the file
  std::optional<VertexFilter> filter_;  // once the vertices have been read
  PolygonCutter cutter_;
  std::vector<u32> corners_;
};

}  // namespace

Mesh read_ply(const std::filesystem::path& path, std::string_view bytes, const LoadMeshOptions& options,
              MeshReport& report) {
  const PlyHeader header = parse_ply_header(path, bytes);
  check_ply_header(path, header);
  const std::string_view body = bytes.substr(header.size_bytes);
  switch (header.format) {
    case PlyFormat::ascii: return BodyReader<AsciiSource>(path, header, body, options.cancel, report).read();
    case PlyFormat::little_endian:
      return BodyReader<BinarySource<false>>(path, header, body, options.cancel, report).read();
    case PlyFormat::big_endian:
      return BodyReader<BinarySource<true>>(path, header, body, options.cancel, report).read();
  }
  throw_bad_file(path, "unknown format");
}

}  // namespace copse::detail
