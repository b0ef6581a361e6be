#include "viewer/panels/file_dialog.h"

#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cstdlib>
#include <tuple>

#include "viewer/model/scene/scene_file.h"
#include "viewer/panels/widgets.h"

namespace copse::viewer {

namespace fs = std::filesystem;

namespace {

const char* title_of(FileDialog::Purpose purpose) {
  switch (purpose) {
    case FileDialog::Purpose::open: return "Open meshes";
    case FileDialog::Purpose::add: return "Add meshes to the scene";
    case FileDialog::Purpose::sequence: return "Open a numbered sequence: choose one of its files";
  }
  return "";
}

}  // namespace

void FileDialog::open(Purpose purpose, const fs::path& folder) {
  purpose_ = purpose;
  open_ = true;
  std::error_code error;
  const fs::path current = fs::current_path(error);
  enter(!folder.empty() && fs::is_directory(folder, error) ? folder : error ? fs::path("/") : current);
}

void FileDialog::enter(const fs::path& folder) {
  std::error_code error;
  const fs::path absolute = fs::weakly_canonical(folder, error);
  folder_ = error ? folder : absolute;
  typed_ = folder_.string();
  entries_.clear();
  selected_.clear();
  problem_.clear();
  fs::directory_iterator entry(folder_, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    std::error_code ignored;
    const bool is_folder = entry->is_directory(ignored);
    if (name.empty() || name[0] == '.' || (!is_folder && !is_scene_name(name))) continue;
    const std::uintmax_t bytes = is_folder ? 0 : entry->file_size(ignored);
    entries_.push_back({name, is_folder, ignored ? 0 : bytes});
  }
  if (error) problem_ = "This folder cannot be read: " + error.message();
  std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
    return std::tuple(!a.is_folder, a.name) < std::tuple(!b.is_folder, b.name);
  });
}

FileDialog::Choice FileDialog::chosen() const {
  Choice choice{purpose_, {}};
  for (const std::string& name : selected_) choice.paths.push_back(folder_ / name);
  return choice;
}

void FileDialog::path_line() {
  if (button("Up", "Goes to the parent folder")) enter(folder_.parent_path());
  ImGui::SameLine();
  const char* home = std::getenv("HOME");
  if (home != nullptr && button("Home")) enter(home);
  ImGui::SameLine();
  ImGui::SetNextItemWidth(-1);
  if (ImGui::InputText("##path", &typed_, ImGuiInputTextFlags_EnterReturnsTrue)) {
    std::error_code error;
    const fs::path path = typed_;
    if (fs::is_directory(path, error)) {
      enter(path);
    } else if (fs::is_regular_file(path, error)) {
      enter(path.parent_path());
      selected_.insert(path.filename().string());
    } else {
      problem_ = "There is no such file or folder: " + path.string();
    }
  }
  note_widget("Path");
}

/// Returns true if it was double-clicked.
bool FileDialog::row(const Entry& entry) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  const std::string text = entry.is_folder ? entry.name + "/" : entry.name;
  constexpr int flags = ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowDoubleClick;
  const bool clicked = ImGui::Selectable(text.c_str(), selected_.count(entry.name) > 0, flags);
  note_widget(entry.name);
  ImGui::TableNextColumn();
  if (!entry.is_folder) ImGui::TextUnformatted(readable_bytes(entry.bytes).c_str());
  if (!clicked) return false;
  const bool extends = ImGui::GetIO().KeyCtrl && !entry.is_folder && purpose_ != Purpose::sequence;
  if (!extends) selected_.clear();
  if (!entry.is_folder && !selected_.insert(entry.name).second) selected_.erase(entry.name);
  return ImGui::IsMouseDoubleClicked(0);
}

std::optional<FileDialog::Choice> FileDialog::list() {
  const float below = ImGui::GetFrameHeightWithSpacing() + ImGui::GetTextLineHeightWithSpacing();
  if (!ImGui::BeginTable("files", 2,
                         ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg | ImGuiTableFlags_BordersOuter,
                         ImVec2(0, -below))) {
    return std::nullopt;
  }
  ImGui::TableSetupColumn("name", ImGuiTableColumnFlags_WidthStretch);
  ImGui::TableSetupColumn("size", ImGuiTableColumnFlags_WidthFixed, ImGui::GetFontSize() * 6);
  const Entry* opened = nullptr;
  for (const Entry& entry : entries_) {
    if (row(entry)) opened = &entry;
  }
  ImGui::EndTable();
  if (opened == nullptr) return std::nullopt;
  if (opened->is_folder) {
    enter(folder_ / std::string(opened->name));
    return std::nullopt;
  }
  selected_ = {opened->name};
  return chosen();
}

std::optional<FileDialog::Choice> FileDialog::buttons() {
  std::optional<Choice> choice;
  ImGui::BeginDisabled(selected_.empty());
  if (button("Open", "Ctrl click selects several files")) choice = chosen();
  ImGui::EndDisabled();
  ImGui::SameLine();
  if (purpose_ != Purpose::sequence) {
    if (button("Open whole folder", "Opens all meshes in this folder")) choice = Choice{purpose_, {folder_}};
    ImGui::SameLine();
  }
  if (button("Cancel", "Esc")) close();
  return choice;
}

std::optional<FileDialog::Choice> FileDialog::draw() {
  if (!open_) return std::nullopt;
  const WidgetScope scope("Dialog");
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const float unit = ImGui::GetFontSize();
  ImGui::SetNextWindowPos(ImVec2(display.x / 2, display.y / 2), ImGuiCond_Appearing, ImVec2(0.5f, 0.5f));
  ImGui::SetNextWindowSize(ImVec2(std::min(unit * 42, display.x - 20), std::min(unit * 32, display.y - 20)),
                           ImGuiCond_Appearing);
  std::optional<Choice> choice;
  const std::string title = std::string(title_of(purpose_)) + "###dialog";
  if (ImGui::Begin(title.c_str(), &open_, ImGuiWindowFlags_NoCollapse)) {
    path_line();
    choice = list();
    quiet_text(!problem_.empty() ? problem_ : entries_.empty() ? "There are no folders and no meshes here." : "");
    if (const auto pressed = buttons()) choice = pressed;
  }
  ImGui::End();
  if (choice) close();
  return choice;
}

}  // namespace copse::viewer
