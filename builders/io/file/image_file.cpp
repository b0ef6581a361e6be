#include "builders/io/image_file.h"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <string>

#include "builders/io/whole_file.h"
#include "primitives/core/check.h"

#define STB_IMAGE_WRITE_STATIC
#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STBI_WRITE_NO_STDIO
#include <stb_image_write.h>

namespace copse {

namespace {

void append_bytes(void* to, void* data, int size) {
  static_cast<std::string*>(to)->append(static_cast<const char*>(data), size_t(size));
}

void check(const Image& image) {
  const std::string size = std::to_string(image.width) + " x " + std::to_string(image.height);
  const u64 pixels = u64{image.width} * image.height;
  if (pixels == 0) detail::refuse("save_png", "an image of " + size + " has no pixels");
  if (pixels != image.pixels.size()) {
    detail::refuse("save_png", "an image of " + size + " needs " + detail::counted(pixels, "pixels") +
                                   " and has " + std::to_string(image.pixels.size()));
  }
  if (pixels > max_png_pixels(image.height)) {
    detail::refuse("save_png", "an image of " + size + " has " + std::to_string(pixels) +
                                   " pixels, past the limit of " + std::to_string(max_png_pixels(image.height)));
  }
}

}  // namespace

u64 max_png_pixels(u32 height) {
  // stb counts the bytes of all rows, a filter byte in front of each, and twice as many while it packs them, in an int.
  constexpr u64 max_bytes = std::numeric_limits<int>::max() / 4;
  return (max_bytes - std::min<u64>(height, max_bytes)) / sizeof(Rgba8);
}

void save_png(const FilePath& file_path, const Image& image) {
  const std::filesystem::path path = file_path.text();
  check(image);
  detail::FileReplacement file(path);
  std::string png;
  const int width = int(image.width), height = int(image.height);
  if (!stbi_write_png_to_func(append_bytes, &png, width, height, 4, image.pixels.data(), 4 * width)) {
    throw Error(ErrorCode::out_of_memory,
                "save_png: no memory to pack " + std::to_string(image.pixels.size()) + " pixels");
  }
  file.write(png.data(), png.size());
  file.commit();
}

}  // namespace copse
