#include "builders/io/whole_file.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <csignal>
#include <cstdint>

#include "tests/builders/io/temporary_folder.h"
#include "tests/support/backends.h"
#include "tests/support/forbid_unnamed_files.h"

namespace copse::test {
namespace {

using detail::FileReplacement;
using detail::read_whole_file;

void write_file(const std::filesystem::path& path, const std::string& bytes) {
  FileReplacement file(path);
  file.write(bytes.data(), bytes.size());
  file.commit();
}

TEST(ReadWholeFile, GivesAllBytesAligned) {
  const TemporaryFolder folder;
  const std::string bytes("a\0b\r\n\xff", 6);
  const detail::FileBytes read = read_whole_file(folder.write("file", bytes));
  EXPECT_EQ(read.text(), bytes);
  EXPECT_EQ(std::uintptr_t(read.data()) % detail::FileBytes::alignment, 0u);
  EXPECT_EQ(read_whole_file(folder.write("empty", "")).size(), 0u);
}

TEST(ReadWholeFile, NamesWhyItCannotRead) {
  const TemporaryFolder folder;
  EXPECT_COPSE_ERROR(read_whole_file(folder / "none"), ErrorCode::bad_file,
                     "none: cannot be opened: No such file");
  EXPECT_COPSE_ERROR(read_whole_file(folder.path()), ErrorCode::bad_file, "Is a directory");
  EXPECT_COPSE_ERROR(read_whole_file("/dev/zero"), ErrorCode::bad_file, "is not a regular file");
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_COPSE_ERROR(read_whole_file(folder / "pipe"), ErrorCode::bad_file, "is not a regular file");
}

TEST(FileReplacement, WritesPiecesOfAnySize) {
  const TemporaryFolder folder;
  std::string expected;
  {
    FileReplacement file(folder / "file");
    for (const size_t size : {0u, 1u, 1000u, (1u << 20) - 1001u, 1u, (3u << 20) + 7u, 5u}) {
      const std::string piece(size, char('a' + expected.size() % 26));
      file.write(piece.data(), piece.size());
      expected += piece;
    }
    EXPECT_FALSE(std::filesystem::exists(folder / "file"));
    file.commit();
  }
  EXPECT_EQ(read_bytes(folder / "file"), expected);
  EXPECT_EQ(folder.file_count(), 1u);
}

TEST(FileReplacement, LeavesTheOldFileWithoutCommit) {
  const TemporaryFolder folder;
  const auto path = folder.write("file", "old");
  {
    FileReplacement file(path);
    file.write("new", 3);
  }
  EXPECT_EQ(read_bytes(path), "old");
  EXPECT_EQ(folder.file_count(), 1u);
}

TEST(FileReplacement, TwoWritersOfOneFileDoNotMix) {
  const TemporaryFolder folder;
  FileReplacement first(folder / "file"), second(folder / "file");
  first.write("first", 5);
  second.write("second", 6);
  second.commit();
  first.commit();
  EXPECT_EQ(read_bytes(folder / "file"), "first");
  EXPECT_EQ(folder.file_count(), 1u);
}

TEST(FileReplacement, KeepsTheModeOfTheOldFile) {
  const TemporaryFolder folder;
  const auto path = folder.write("file", "old");
  ASSERT_EQ(::chmod(path.c_str(), 0640), 0);
  write_file(path, "new");
  struct stat status;
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0640u);
}

TEST(FileReplacement, WritesBehindSymbolicLinks) {
  const TemporaryFolder folder;
  std::filesystem::create_symlink(folder.write("file", "old"), folder / "link");
  write_file(folder / "link", "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(read_bytes(folder / "file"), "new");
}

TEST(FileReplacement, NamesWhyItCannotWrite) {
  const TemporaryFolder folder;
  EXPECT_COPSE_ERROR(write_file(folder / "none" / "file", "x"), ErrorCode::bad_file, "No such file or directory");
  EXPECT_COPSE_ERROR(write_file(folder.path(), "x"), ErrorCode::bad_file, "Is a directory");
  EXPECT_COPSE_ERROR(write_file(folder.write("file", "") / "below", "x"), ErrorCode::bad_file, "Not a directory");
  std::filesystem::create_symlink(folder / "nowhere", folder / "broken");
  EXPECT_COPSE_ERROR(write_file(folder / "broken", "x"), ErrorCode::bad_file, "No such file or directory");
}

TEST(FileReplacement, WritesDevicesWithoutReplacingThem) {
  write_file("/dev/null", "x");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  EXPECT_COPSE_ERROR(write_file("/dev/full", "x"), ErrorCode::bad_file,
                     "/dev/full: cannot be written: No space left");
}

TEST(FileReplacement, WritesNamesAsLongAsTheSystemAllows) {
  const TemporaryFolder folder;
  for (const size_t length : {252u, 255u}) {
    const std::string name(length, 'n');
    write_file(folder / name, "first");
    write_file(folder / name, "second");
    EXPECT_EQ(read_bytes(folder / name), "second");
  }
  EXPECT_EQ(folder.file_count(), 2u);
  EXPECT_COPSE_ERROR(write_file(folder / std::string(256, 'n'), "x"), ErrorCode::bad_file, "File name too long");
}

/// Returns the status with which a child process ends that runs `body`; 0 if it returns true.
template <class Body>
int status_of_child(const Body& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    try {
      ::_exit(body() ? 0 : 1);
    } catch (const std::exception&) {
      ::_exit(2);
    }
  }
  int status = -1;
  return ::waitpid(child, &status, 0) == child ? status : -1;
}

TEST(FileReplacement, LeavesNothingIfItsProcessIsKilled) {
  const TemporaryFolder folder;
  const int probe = ::open(folder.path().c_str(), O_WRONLY | O_TMPFILE, 0600);
  if (probe < 0) GTEST_SKIP() << "the file system has no files without names";
  ::close(probe);
  folder.write("old", "old");
  const int status = status_of_child([&] {
    FileReplacement first(folder / "new"), second(folder / "old");
    const std::string bytes(3 << 20, 'x');
    first.write(bytes.data(), bytes.size());
    second.write(bytes.data(), bytes.size());
    return ::raise(SIGKILL) == 0;
  });
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(read_bytes(folder / "old"), "old");
  EXPECT_EQ(folder.file_count(), 1u);
}

constexpr int no_filter = 3;

TEST(FileReplacement, WritesUnderATemporaryNameWhereFilesNeedOne) {
  const TemporaryFolder folder;
  folder.write("old", "old");
  const int status = status_of_child([&] {
    if (!forbid_unnamed_files()) ::_exit(no_filter);
    write_file(folder / "new", "1");
    write_file(folder / "old", "2");
    { FileReplacement given_up(folder / "none"); }
    return true;
  });
  if (WEXITSTATUS(status) == no_filter) GTEST_SKIP() << "the kernel has no filters";
  EXPECT_EQ(status, 0);
  EXPECT_EQ(read_bytes(folder / "new"), "1");
  EXPECT_EQ(read_bytes(folder / "old"), "2");
  EXPECT_EQ(folder.file_count(), 2u);
}

TEST(FileReplacement, TemporaryNamesAreRemovedOnRequest) {
  const TemporaryFolder folder;
  const int status = status_of_child([&] {
    if (!forbid_unnamed_files()) ::_exit(no_filter);
    { FileReplacement given_up(folder / "none"); }
    FileReplacement first(folder / "first"), second(folder / "second");
    const bool were_there = folder.file_count() == 2;
    detail::remove_temporary_files();
    return were_there && folder.file_count() == 0;
  });
  if (WEXITSTATUS(status) == no_filter) GTEST_SKIP() << "the kernel has no filters";
  EXPECT_EQ(status, 0);
}

/// Runs in a child process, so that the limit stays there. Exits with 0 if all is right.
[[noreturn]] void fail_at_64_kilobytes(const TemporaryFolder& folder) {
  ::signal(SIGXFSZ, SIG_IGN);
  const rlimit limit{65536, 65536};
  ::setrlimit(RLIMIT_FSIZE, &limit);
  int status = 1;
  try {
    write_file(folder / "file", std::string(5 << 20, 'n'));
  } catch (const Error& error) {
    const bool named =
        std::string(error.what()).find("file: cannot be written: File too large") != std::string::npos;
    status = error.code() == ErrorCode::bad_file && named ? 0 : 2;
  }
  ::_exit(status);
}

TEST(FileReplacement, OldFileSurvivesAFailedWrite) {
  const TemporaryFolder folder;
  folder.write("file", "old");
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) fail_at_64_kilobytes(folder);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(read_bytes(folder / "file"), "old");
  EXPECT_EQ(folder.file_count(), 1u);
}

/// A token that asks for a stop from the second question on.
struct StopsInTheMiddle {
  u32* questions;
  bool stop_requested() const { return ++*questions > 1; }
};

TEST(FileReplacement, OldFileSurvivesACancelledWrite) {
  const TemporaryFolder folder;
  folder.write("file", "old");
  const std::string bytes(40 << 20, 'n');
  u32 questions = 0;
  FileReplacement file(folder / "file", StopsInTheMiddle{&questions});
  EXPECT_COPSE_ERROR(file.write(bytes.data(), bytes.size()), ErrorCode::cancelled, "file: writing was cancelled");
  EXPECT_COPSE_ERROR(file.commit(), ErrorCode::cancelled, "file: writing was cancelled");
  EXPECT_EQ(read_bytes(folder / "file"), "old");
}

}  // namespace
}  // namespace copse::test
