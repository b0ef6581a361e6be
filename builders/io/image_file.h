#pragma once

#include "builders/geometry/image.h"
#include "builders/io/file_path.h"

namespace copse {

/// Writes a PNG. A temporary file is written first and renamed when it is complete.
/// Throws: Error bad_file; Error invalid_argument if the number of pixels is 0 or not width * height.
void save_png(const FilePath& path, const Image& image);

}  // namespace copse
