#include "tests/viewer/window/png.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#define STB_IMAGE_IMPLEMENTATION
#define STBI_ONLY_PNG
#include <stb_image.h>

namespace copse::test {

Png read_png(const std::filesystem::path& file) {
  int width = 0, height = 0, channels = 0;
  stbi_uc* bytes = stbi_load(file.c_str(), &width, &height, &channels, 3);
  if (bytes == nullptr) return {};
  Png png{u32(width), u32(height), {bytes, bytes + size_t(width) * size_t(height) * 3}};
  stbi_image_free(bytes);
  return png;
}

Png kept_picture(const std::string& name, const std::filesystem::path& made) {
  const std::filesystem::path file = std::filesystem::path(COPSE_VIEWER_PICTURES) / name;
  if (std::getenv("COPSE_KEEP_PICTURES") != nullptr) {
    std::filesystem::copy_file(made, file, std::filesystem::copy_options::overwrite_existing);
  }
  return read_png(file);
}

double mean_difference(const Png& a, const Png& b) {
  if (a.width != b.width || a.height != b.height || a.bytes.empty()) {
    ADD_FAILURE() << "no two pictures of one size: " << a.width << " x " << a.height << " and " << b.width << " x "
                  << b.height;
    return 256;
  }
  double sum = 0;
  for (size_t i = 0; i < a.bytes.size(); ++i) sum += std::abs(int(a.bytes[i]) - int(b.bytes[i]));
  return sum / double(a.bytes.size());
}

}  // namespace copse::test
