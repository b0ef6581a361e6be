#pragma once

#include "builders/geometry/image.h"
#include "builders/io/file_path.h"

namespace copse {

/// Writes a PNG, to a temporary file that is renamed when complete.
/// Throws: Error bad_file; Error invalid_argument where the number of pixels is not width * height or 0.
void save_png(const FilePath& path, const Image& image);

}  // namespace copse
