#include "viewer/model/settings/text_file.h"

#include "builders/io/whole_file.h"

namespace copse::viewer {

void save_text(const std::filesystem::path& file, std::string_view text) {
  detail::FileReplacement replacement(file);
  replacement.write(text.data(), text.size());
  replacement.commit();
}

}  // namespace copse::viewer
