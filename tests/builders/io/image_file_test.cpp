#include "builders/io/image_file.h"

#include "tests/builders/io/temporary_folder.h"
#include "tests/support/backends.h"

namespace copse::test {
namespace {

u32 big_endian(const std::string& bytes, size_t at) {
  u32 value = 0;
  for (size_t i = 0; i < 4; ++i) value = value << 8 | u8(bytes[at + i]);
  return value;
}

TEST(SavePng, WritesAPngOfTheSize) {
  const TemporaryFolder folder;
  const Image image{3, 2, std::vector<Rgba8>(6, {10, 20, 30, 255})};
  save_png(folder / "image.png", image);
  const std::string bytes = read_bytes(folder / "image.png");
  ASSERT_GT(bytes.size(), 40u);
  EXPECT_EQ(bytes.substr(0, 8), "\x89PNG\r\n\x1a\n");
  EXPECT_EQ(bytes.substr(12, 4), "IHDR");
  EXPECT_EQ(big_endian(bytes, 16), 3u);
  EXPECT_EQ(big_endian(bytes, 20), 2u);
  EXPECT_EQ(bytes.substr(24, 2), "\x08\x06");  // 8 bits per channel, RGBA
  EXPECT_EQ(bytes.substr(bytes.size() - 8, 4), "IEND");
}

TEST(SavePng, RefusesSizesThatDoNotFit) {
  const TemporaryFolder folder;
  const auto save = [&](const Image& image) { save_png(folder / "image.png", image); };
  EXPECT_COPSE_ERROR(save({0, 5, {}}), ErrorCode::invalid_argument, "0 x 5 has no pixels");
  EXPECT_COPSE_ERROR(save({2, 2, std::vector<Rgba8>(3)}), ErrorCode::invalid_argument, "needs 4 pixels and has 3");
  EXPECT_EQ(folder.file_count(), 0u);
}

TEST(SavePng, TellsHowManyPixelsItCanWrite) {
  EXPECT_GE(max_png_pixels(11585), u64{11585} * 11585);
  EXPECT_LT(max_png_pixels(11600), u64{11600} * 11600);
  EXPECT_EQ(max_png_pixels(0xffffffffu), 0u);
}

TEST(SavePng, NamesWhyItCannotWrite) {
  const Image image{1, 1, {{0, 0, 0, 255}}};
  EXPECT_COPSE_ERROR(save_png("/no/such/folder/a.png", image), ErrorCode::bad_file, "No such file or directory");
  EXPECT_COPSE_ERROR(save_png("/dev/full", image), ErrorCode::bad_file, "No space left on device");
}

}  // namespace
}  // namespace copse::test
