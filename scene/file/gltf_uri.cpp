#include "scene/file/gltf_uri.h"

#include "builders/io/whole_file.h"

namespace copse::detail {

namespace fs = std::filesystem;

namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

}  // namespace

std::optional<std::string> without_escapes(const std::string& uri) {
  std::string text;
  for (size_t i = 0; i < uri.size(); ++i) {
    char c = uri[i];
    if (c == '%') {
      const int high = i + 2 < uri.size() ? hex_digit(uri[i + 1]) : -1;
      const int low = i + 2 < uri.size() ? hex_digit(uri[i + 2]) : -1;
      if (high < 0 || low < 0) return std::nullopt;
      c = char(16 * high + low);
      i += 2;
    }
    if (c == 0) return std::nullopt;
    text += c;
  }
  return text;
}

fs::path file_of_uri(const fs::path& path, const std::string& where, const std::string& uri) {
  const auto refuse = [&](const char* fault) {
    throw_bad_file(path, where + " is " + in_quotes(uri) + "; " + fault);
  };
  const std::optional<std::string> name = without_escapes(uri);
  if (!name || name->empty()) refuse("it is no name of a file");
  if (name->find_first_of(":\\") != std::string::npos)
    refuse("it takes a file beside the glTF file, without ':' and '\\'");
  const fs::path relative(*name);
  if (relative.is_absolute()) refuse("it takes a file below the folder of the glTF file");
  for (const fs::path& part : relative) {
    if (part == "..") refuse("it takes a file below the folder of the glTF file");
  }
  return path.parent_path() / relative;
}

bool is_known_data_uri(const std::string& uri) {
  return uri.starts_with("data:application/octet-stream;base64,") ||
         uri.starts_with("data:application/gltf-buffer;base64,") || uri.starts_with("data:text/plain;base64,");
}

}  // namespace copse::detail
