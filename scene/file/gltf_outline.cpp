#include "scene/file/gltf_outline.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "builders/io/whole_file.h"
#include "primitives/core/counted.h"
#include "scene/file/gltf_uri.h"
#include "scene/file/gltf_values.h"

namespace copse::detail {

namespace fs = std::filesystem;

namespace {

using Json = nlohmann::json;
using Wanted = GltfWanted;

constexpr size_t max_depth = 64;

/// The extensions that a file may require: the one that Copse reads, and those that change only the look of surfaces.
bool may_be_required(std::string_view extension) {
  return extension == "EXT_mesh_gpu_instancing" || extension.starts_with("KHR_materials_") ||
         extension == "KHR_texture_transform" || extension == "KHR_texture_basisu" ||
         extension == "EXT_texture_webp" || extension == "EXT_texture_avif" || extension == "MSFT_texture_dds" ||
         extension == "KHR_lights_punctual" || extension == "KHR_xmp_json_ld";
}

/// A buffer as the JSON describes it.
struct BufferEntry {
  std::optional<std::string> uri;
  std::optional<u64> bytes;
};

/// Reads the JSON value by value, and keeps the path of the current one.
class OutlineReader final : public nlohmann::json_sax<Json> {
 public:
  explicit OutlineReader(const fs::path& path) : path_(path) {}

  std::vector<BufferEntry> buffers;
  std::string version;

  bool null() override { return take("null", std::nullopt, false); }
  bool boolean(bool value) override { return take(value ? "true" : "false", std::nullopt, false); }
  bool number_integer(number_integer_t value) override { return take(std::to_string(value), std::nullopt, true); }
  bool number_unsigned(number_unsigned_t value) override { return take(std::to_string(value), value, true); }
  bool number_float(number_float_t, const string_t& text) override { return take(text, std::nullopt, true); }
  bool binary(binary_t&) override { return take("binary", std::nullopt, false); }

  bool string(string_t& text) override {
    begin_value();
    check_is_inside(in_quotes(text));
    const Wanted* const wanted = wanted_at(key_);
    if (wanted != nullptr && *wanted != Wanted::text) refuse(*wanted, in_quotes(text));
    if (key_ == "asset.version") version = text;
    if (key_ == "buffers[].uri") buffers.back().uri = std::move(text);
    if (key_ == "extensionsRequired[]" && !may_be_required(text)) {
      throw_bad_file(path_, "requires the extension " + in_quotes(text) + ", which Copse does not read");
    }
    return true;
  }

  bool start_object(size_t) override { return open(Wanted::object, "an object"); }
  bool start_array(size_t) override { return open(Wanted::array, "an array"); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  /// Names of glTF are not empty, and have no dots and brackets, which stand between names in a path. Other names are changed, so that
  /// their path is none that is asked for.
  bool key(string_t& name) override {
    key_.resize(levels_.back().key_length);
    if (!key_.empty()) key_ += '.';
    if (name.empty()) key_ += '?';
    for (const char c : name) key_ += c == '.' || c == '[' || c == ']' ? '?' : c;
    return true;
  }

  bool parse_error(size_t position, const std::string& last_token, const nlohmann::detail::exception&) override {
    throw_bad_file(path_, "byte " + std::to_string(position) + " of the JSON, " + in_quotes(last_token) +
                              ", is no valid continuation");
  }

 private:
  struct Level {
    size_t key_length;
    bool is_array;
    u64 next_element = 0;
  };

  void begin_value() {
    if (levels_.empty() || !levels_.back().is_array) return;
    key_.resize(levels_.back().key_length);
    key_ += "[]";
    ++levels_.back().next_element;
  }

  void check_is_inside(const std::string& value) const {
    if (levels_.empty()) throw_bad_file(path_, "the JSON is " + value + ", not an object");
  }

  bool open(Wanted kind, const char* name) {
    begin_value();
    if (levels_.size() == max_depth) {
      throw_bad_file(path_, "the JSON has more than " + std::to_string(max_depth) + " levels");
    }
    if (levels_.empty() && kind != Wanted::object) throw_bad_file(path_, "the JSON is an array, not an object");
    const Wanted* const wanted = wanted_at(key_);
    if (wanted != nullptr && *wanted != kind) refuse(*wanted, name);
    if (key_ == "buffers[]") buffers.emplace_back();
    levels_.push_back({key_.size(), kind == Wanted::array});
    return true;
  }

  bool close() {
    key_.resize(levels_.back().key_length);
    levels_.pop_back();
    return true;
  }

  /// Takes a number, or a literal of JSON. `whole`: its value, if it is an integer that is not negative.
  bool take(const std::string& text, std::optional<u64> whole, bool is_number) {
    begin_value();
    check_is_inside(text);
    if (const Wanted* const wanted = wanted_at(key_)) {
      const bool fits = *wanted == Wanted::number  ? is_number
                        : *wanted == Wanted::index ? whole && *whole <= max_gltf_index
                                                   : *wanted == Wanted::size && whole && *whole <= max_gltf_size;
      if (!fits) refuse(*wanted, text);
    }
    if (key_ == "buffers[].byteLength") buffers.back().bytes = whole;
    return true;
  }

  /// Returns the path with the numbers of elements: nodes[3].children[0].
  std::string place() const {
    std::string text;
    size_t begin = 0;
    for (const Level& level : levels_) {
      if (!level.is_array) continue;
      text += key_.substr(begin, level.key_length - begin);
      text += "[" + std::to_string(level.next_element - 1) + "]";
      begin = level.key_length + 2;
    }
    return text + (begin < key_.size() ? key_.substr(begin) : "");
  }

  [[noreturn]] void refuse(Wanted wanted, const std::string& value) const {
    const std::string is = place() + " is " + value + "; ";
    switch (wanted) {
      case Wanted::index: throw_bad_file(path_, is + "it takes a whole number from 0 to 2147483647");
      case Wanted::size: throw_bad_file(path_, is + "it takes a whole number from 0 to 2^53");
      case Wanted::number: throw_bad_file(path_, is + "it takes a number");
      case Wanted::text: throw_bad_file(path_, is + "it takes a string");
      case Wanted::array: throw_bad_file(path_, is + "it takes an array");
      case Wanted::object: throw_bad_file(path_, is + "it takes an object");
      case Wanted::nothing: throw_bad_file(path_, place() + " is a morph target, which Copse does not read");
    }
    throw_bad_file(path_, is + "it is not wanted");
  }

  const fs::path& path_;
  std::string key_;  // of the current value, as wanted_at takes it
  std::vector<Level> levels_;
};

void check_buffer(const fs::path& path, size_t number, const BufferEntry& buffer, u64 binary_bytes,
                  GltfOutline& outline) {
  const std::string name = "buffers[" + std::to_string(number) + "]";
  if (!buffer.bytes) throw_bad_file(path, name + " has no byteLength");
  if (*buffer.bytes == 0) throw_bad_file(path, name + ".byteLength is 0; it must be at least 1");
  if (!buffer.uri) {
    if (number > 0 || binary_bytes == 0)
      throw_bad_file(path, name + " has no uri, and the file has no bytes for it");
    if (*buffer.bytes > binary_bytes) {
      throw_bad_file(path, name + ".byteLength is " + std::to_string(*buffer.bytes) +
                               ", but the binary chunk has " + counted(binary_bytes, "bytes"));
    }
    return;
  }
  if (buffer.uri->starts_with("data:")) {
    if (is_known_data_uri(*buffer.uri)) return;
    throw_bad_file(path, name + ".uri is " + in_quotes(*buffer.uri) +
                             "; data URIs must be of the type application/octet-stream, in base64");
  }
  const fs::path file = file_of_uri(path, name + ".uri", *buffer.uri);
  // tinygltf takes a plus sign for a space.
  std::string asked_for = *buffer.uri;
  for (char& c : asked_for) c = c == '+' ? ' ' : c;
  outline.external_buffers[*without_escapes(asked_for)] = {file, *buffer.bytes};
}

}  // namespace

GltfOutline outline_of(const fs::path& path, std::string_view json, u64 binary_bytes, u64 max_bytes) {
  if (json.size() > max_gltf_index) {
    throw_bad_file(path,
                   "the JSON has " + std::to_string(json.size()) + " bytes; at most 2147483647 are possible");
  }
  OutlineReader reader(path);
  Json::sax_parse(json, &reader);
  if (reader.version.empty()) throw_bad_file(path, "asset.version is missing; it must be 2.0");
  if (!reader.version.starts_with("2.")) {
    throw_bad_file(path, "asset.version is " + in_quotes(reader.version) + "; Copse reads glTF 2.0");
  }
  GltfOutline outline;
  u64 bytes = 0;
  for (size_t i = 0; i < reader.buffers.size(); ++i) {
    check_buffer(path, i, reader.buffers[i], binary_bytes, outline);
    bytes += *reader.buffers[i].bytes;
    if (bytes <= max_bytes) continue;
    throw_bad_file(path, "buffers[0] to buffers[" + std::to_string(i) + "] have " + std::to_string(bytes) +
                             " bytes together; at most " + std::to_string(max_bytes) +
                             " are read (LoadSceneOptions::max_bytes)");
  }
  return outline;
}

}  // namespace copse::detail
