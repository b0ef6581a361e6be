#include "builders/io/mesh/ply_header.h"

#include "builders/io/file/words.h"
#include "builders/io/mesh/formats.h"
#include "builders/io/whole_file.h"

namespace copse::detail {

namespace {

struct TypeName {
  std::string_view name;
  PlyType type;
};

constexpr TypeName type_names[] = {
    {"char", PlyType::i8},   {"int8", PlyType::i8},     {"uchar", PlyType::u8},   {"uint8", PlyType::u8},
    {"short", PlyType::i16}, {"int16", PlyType::i16},   {"ushort", PlyType::u16}, {"uint16", PlyType::u16},
    {"int", PlyType::i32},   {"int32", PlyType::i32},   {"uint", PlyType::u32},   {"uint32", PlyType::u32},
    {"float", PlyType::f32}, {"float32", PlyType::f32}, {"double", PlyType::f64}, {"float64", PlyType::f64},
};

/// A limit, since finding names takes the square of their number.
constexpr u64 max_names = 4096;

class HeaderParser {
 public:
  HeaderParser(const std::filesystem::path& path, std::string_view file) : path_(path), file_(file) {}

  PlyHeader parse() {
    take_magic();
    for (;;) {
      std::string_view line = take_line();
      const std::string_view keyword = take_word(line);
      if (keyword == "end_header") break;
      if (keyword == "format") {
        take_format(line);
      } else if (keyword == "element") {
        take_element(line);
      } else if (keyword == "property") {
        take_property(line);
      } else if (!keyword.empty() && keyword != "comment" && keyword != "obj_info") {
        fail("unknown keyword " + in_quotes(keyword));
      }
    }
    if (!has_format_) fail("the header has no format");
    header_.size_bytes = next_;
    return std::move(header_);
  }

 private:
  /// Reads the first line, which shows how lines end. The data may begin with the byte of a line feed, so all
  /// lines of a header must end alike.
  void take_magic() {
    const size_t end = file_.find_first_of("\r\n");
    if (end == std::string_view::npos || file_.substr(0, end) != "ply") {
      fail("begins with " + in_quotes(file_.substr(0, 4)) + "; a PLY file begins with a line 'ply'");
    }
    const bool has_both = file_.substr(end).starts_with("\r\n");
    line_end_ = file_.substr(end, has_both ? 2 : 1);
    next_ = end + line_end_.size();
  }

  std::string_view take_line() {
    ++line_;
    const size_t end = file_.find(line_end_, next_);
    if (end == std::string_view::npos) fail("the file ends before 'end_header'");
    const std::string_view line = file_.substr(next_, end - next_);
    next_ = end + line_end_.size();
    return line;
  }

  void take_format(std::string_view line) {
    const std::string_view format = take_word(line), version = take_word(line);
    if (format == "ascii") {
      header_.format = PlyFormat::ascii;
    } else if (format == "binary_little_endian") {
      header_.format = PlyFormat::little_endian;
    } else if (format == "binary_big_endian") {
      header_.format = PlyFormat::big_endian;
    } else {
      fail("unknown format " + in_quotes(format));
    }
    if (version != "1.0") fail("version " + in_quotes(version) + "; only '1.0' is known");
    if (has_format_) fail("a second format");
    has_format_ = true;
  }

  void take_element(std::string_view line) {
    const std::string_view name = take_word(line), count = take_word(line);
    PlyElement element{.name = std::string(name), .count = 0, .properties = {}};
    if (name.empty() || parse_number(count, element.count) != std::errc{}) {
      fail("element " + in_quotes(name) + " has the count " + in_quotes(count) +
           ", not a number from 0 to 2^64 - 1");
    }
    count_name();
    if (header_.find(name)) fail("a second element " + in_quotes(name));
    header_.elements.push_back(std::move(element));
  }

  void take_property(std::string_view line) {
    if (header_.elements.empty()) fail("a property before the first element");
    PlyProperty property{};
    std::string_view type = take_word(line);
    if (type == "list") {
      property.is_list = true;
      const std::string_view count_type = take_word(line);
      property.count_type = type_of(count_type);
      if (!is_integer(property.count_type))
        fail("list count of type " + in_quotes(count_type) + ", not an integer");
      type = take_word(line);
    }
    property.type = type_of(type);
    property.name = take_word(line);
    if (property.name.empty()) fail("a property without a name");
    count_name();
    PlyElement& element = header_.elements.back();
    if (element.find(property.name) >= 0) fail("a second property " + in_quotes(property.name));
    element.properties.push_back(std::move(property));
  }

  void count_name() {
    if (++name_count_ > max_names) fail("more than " + std::to_string(max_names) + " elements and properties");
  }

  PlyType type_of(std::string_view name) const {
    for (const TypeName& known : type_names) {
      if (known.name == name) return known.type;
    }
    fail("unknown type " + in_quotes(name));
  }

  [[noreturn]] void fail(const std::string& message) const {
    throw_bad_file(path_, "line " + std::to_string(line_) + ": " + message);
  }

  const std::filesystem::path& path_;
  std::string_view file_;
  std::string_view line_end_;
  size_t next_ = 0;
  u64 line_ = 1;
  u64 name_count_ = 0;
  bool has_format_ = false;
  PlyHeader header_;
};

void check_corners(const std::filesystem::path& path, const PlyElement& element) {
  const int at = find_ply_corners(element);
  if (at < 0) {
    throw_bad_file(path, "element '" + element.name + "' has no property 'vertex_indices' or 'vertex_index'");
  }
  const PlyProperty& corners = element.properties[size_t(at)];
  if (!corners.is_list || !is_integer(corners.type)) {
    throw_bad_file(path,
                   "property '" + corners.name + "' of element '" + element.name + "' is not a list of integers");
  }
}

}  // namespace

int PlyElement::find(std::string_view property) const {
  for (size_t i = 0; i < properties.size(); ++i) {
    if (properties[i].name == property) return int(i);
  }
  return -1;
}

const PlyElement* PlyHeader::find(std::string_view element) const {
  for (const PlyElement& candidate : elements) {
    if (candidate.name == element) return &candidate;
  }
  return nullptr;
}

PlyHeader parse_ply_header(const std::filesystem::path& path, std::string_view file) {
  return HeaderParser(path, file).parse();
}

int find_ply_corners(const PlyElement& element) {
  const int at = element.find("vertex_indices");
  return at >= 0 ? at : element.find("vertex_index");
}

void check_ply_header(const std::filesystem::path& path, const PlyHeader& header) {
  const PlyElement* const vertex = header.find("vertex");
  if (!vertex || vertex->count == 0) throw_bad_file(path, "has 0 vertices; at least 1 is needed");
  const PlyElement* const face = header.find("face");
  const PlyElement* const strips = header.find("tristrips");
  if ((!face || face->count == 0) && (!strips || strips->count == 0)) throw_no_faces(path, {});
  constexpr u64 max_vertices = u64{1} << 32;
  if (vertex->count > max_vertices) {
    throw_bad_file(path, "the header promises " + std::to_string(vertex->count) + " vertices; at most " +
                             std::to_string(max_vertices) + " can be read");
  }
  for (const char* axis : ply_axis_names) {
    const int at = vertex->find(axis);
    if (at < 0) throw_bad_file(path, std::string("element 'vertex' has no property '") + axis + "'");
    if (vertex->properties[size_t(at)].is_list) {
      throw_bad_file(path, std::string("property '") + axis + "' of element 'vertex' is a list, not a number");
    }
  }
  for (const PlyElement* element : {face, strips}) {
    if (element != nullptr && element->count > 0) check_corners(path, *element);
  }
}

}  // namespace copse::detail
