#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace copse::viewer {

/// A dialog to choose meshes or folders.
class FileDialog {
 public:
  enum class Purpose { open, add, sequence };

  struct Choice {
    Purpose purpose;
    std::vector<std::filesystem::path> paths;  // files, or one folder
  };

  /// Shows the dialog from the next frame on, at a folder; at the current folder if that is empty or missing.
  void open(Purpose purpose, const std::filesystem::path& folder);
  void close() { open_ = false; }
  bool is_open() const { return open_; }

  /// Draws the dialog while it is open. Returns a choice once.
  std::optional<Choice> draw();

  const std::filesystem::path& folder() const { return folder_; }

 private:
  struct Entry {
    std::string name;
    bool is_folder;
    std::uintmax_t bytes;
  };

  void enter(const std::filesystem::path& folder);
  void path_line();
  std::optional<Choice> list();
  bool row(const Entry& entry);
  std::optional<Choice> buttons();
  Choice chosen() const;

  bool open_ = false;
  Purpose purpose_ = Purpose::open;
  std::filesystem::path folder_;
  std::vector<Entry> entries_;
  std::set<std::string> selected_;
  std::string problem_;  // why the folder cannot be read
  std::string typed_;    // the line with the path
};

}  // namespace copse::viewer
