#include <string>

#include "builders/io/file/words.h"
#include "builders/io/mesh/formats.h"
#include "builders/io/mesh/stl_size.h"
#include "builders/io/mesh/text_lines.h"

namespace copse::detail {

namespace {

struct Ending {
  const char* text;
  MeshFormat format;
};

constexpr Ending endings[] = {
    {".obj", MeshFormat::obj}, {".ply", MeshFormat::ply}, {".stl", MeshFormat::stl}, {".off", MeshFormat::off}};

std::string lower_case(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
  return text;
}

/// Returns the first word of a text that is not in a comment, in small letters and cut to 8 characters.
std::string first_word(std::string_view text) {
  TextLines lines(text);
  while (lines.next()) {
    std::string_view line = lines.line();
    const std::string_view word = take_word(line);
    if (!word.empty() && word[0] != '#') return lower_case(std::string(word.substr(0, 8)));
  }
  return "";
}

}  // namespace

bool has_gzip_ending(const std::filesystem::path& path) {
  return lower_case(path.extension().string()) == ".gz";
}

std::optional<MeshFormat> mesh_format_of_name(const std::filesystem::path& path) {
  const std::string ending = lower_case((has_gzip_ending(path) ? path.stem() : path).extension().string());
  for (const Ending& known : endings) {
    if (ending == known.text) return known.format;
  }
  return std::nullopt;
}

MeshFormat mesh_format_of_bytes(std::string_view bytes) {
  if (bytes.starts_with("ply\n") || bytes.starts_with("ply\r")) return MeshFormat::ply;
  const std::string word = first_word(bytes);
  if (word == "solid" || has_binary_stl_size(bytes)) return MeshFormat::stl;
  if (word.find("off") < 5) return MeshFormat::off;
  return MeshFormat::obj;
}

}  // namespace copse::detail

namespace copse {

bool has_mesh_ending(const FilePath& path) {
  return detail::mesh_format_of_name(path.text()).has_value();
}

}  // namespace copse
