// Runs every target on the files of its corpus: seeds, and what the fuzzer has found.

#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

#include "tests/builders/io/temporary_folder.h"
#include "tests/fuzz/targets.h"

namespace copse::test {
namespace {

const std::filesystem::path corpus_folder = "tests/corpus";

TEST(Corpus, EveryTargetHasSeedsAndRunsOnThem) {
  std::istringstream names(fuzz::target_names());
  for (std::string name; names >> name;) {
    u32 count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(corpus_folder / name)) {
      SCOPED_TRACE(entry.path().string());
      fuzz::find_target(name)->run(read_bytes(entry.path()));
      ++count;
    }
    EXPECT_GE(count, 3u) << name;
  }
}

TEST(Corpus, EveryFolderIsThatOfATarget) {
  for (const auto& entry : std::filesystem::directory_iterator(corpus_folder)) {
    if (entry.path().filename() == "arguments" && !COPSE_FUZZES_ARGUMENTS) continue;
    if (entry.path().filename() == "gzip" && !COPSE_FUZZES_GZIP) continue;
    EXPECT_NE(fuzz::find_target(entry.path().filename().string()), nullptr) << entry.path();
  }
}

/// Each seed with more and more bytes changed, at places that its size tells.
TEST(Corpus, DamagedSeedsAreRunToo) {
  std::istringstream names(fuzz::target_names());
  for (std::string name; names >> name;) {
    for (const auto& entry : std::filesystem::directory_iterator(corpus_folder / name)) {
      SCOPED_TRACE(entry.path().string());
      std::string bytes = read_bytes(entry.path());
      u32 at = u32(bytes.size());
      for (int k = 0; k < 4 && !bytes.empty(); ++k) {
        at = at * 1664525 + 1013904223;
        bytes[at % bytes.size()] = char(at >> 24);
        fuzz::find_target(name)->run(bytes);
      }
    }
  }
}

}  // namespace
}  // namespace copse::test
