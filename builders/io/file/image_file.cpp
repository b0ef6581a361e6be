#include "builders/io/image_file.h"

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
    detail::refuse("save_png", "an image of " + size + " needs " + std::to_string(pixels) + " pixels and has " +
                                   std::to_string(image.pixels.size()));
  }
  // stb counts the bytes of all rows, and twice as many while it packs them, in an int.
  constexpr u64 max_bytes = std::numeric_limits<int>::max() / 4;
  const u64 bytes = pixels * sizeof(Rgba8) + image.height;
  if (bytes > max_bytes) {
    detail::refuse("save_png", "an image of " + size + " takes " + std::to_string(bytes) +
                                   " bytes, past the limit of " + std::to_string(max_bytes));
  }
}

}  // namespace

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
