#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include "primitives/core/types.h"

namespace copse::test {

/// Returns a folder in memory if the system has one, since tests that damage every byte of a file write thousands
/// of files.
inline std::filesystem::path folder_of_folders() {
  const std::filesystem::path memory = "/dev/shm";
  const bool is_usable = std::getenv("TMPDIR") == nullptr && ::access(memory.c_str(), W_OK) == 0;
  return is_usable ? memory : std::filesystem::temp_directory_path();
}

/// A folder for one test. It is removed with all its files.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (folder_of_folders() / "copse-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder: " + name);
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

  /// Writes a file and returns its path.
  std::filesystem::path write(const std::string& name, const std::string& bytes) const {
    const std::filesystem::path path = path_ / name;
    std::ofstream(path, std::ios::binary).write(bytes.data(), std::streamsize(bytes.size()));
    return path;
  }

  size_t file_count() const {
    return size_t(
        std::distance(std::filesystem::directory_iterator(path_), std::filesystem::directory_iterator()));
  }

 private:
  std::filesystem::path path_;
};

inline std::string read_bytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// Returns four bytes of a file as a number.
inline u32 word_at(const std::string& bytes, size_t at) {
  u32 value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

}  // namespace copse::test
