#pragma once

#include <string>
#include <vector>

#include "builders/geometry/image.h"
#include "cli/options/camera_options.h"

// Several pictures of one scene, from places on a circle around it.

namespace copse::cli {

/// Returns the cameras of `frames` pictures that turn once around the scene, or that of place_camera for 0 frames. The
/// first is at the eye; the others follow to the right, around the up direction through the target. Without an eye
/// all look at the centre of the scene, from so far that it fits into every picture.
std::vector<Camera> place_cameras(const CameraOptions& options, const Aabb& box, float aspect, u32 frames);

/// Adds --turntable.
void add_turntable(CLI::App& command, u32& frames);

/// Returns "8 frames of " for 8, and nothing for a single picture.
std::string frames_in_words(u32 frames);

/// Writes the pictures of a command: one file; or, of a turn, a file per picture into a folder, or all of them side by
/// side into one file.
class PictureFiles {
 public:
  /// Checks that the pictures can be written.
  ///   output: ends in .png, or is an existing folder if there are frames
  ///   inputs: must be other files
  ///   frames: 0 for a single picture
  /// Throws: Error invalid_argument and Error bad_file as check_output; Error invalid_argument for more pixels than a PNG
  /// can have.
  PictureFiles(const std::string& output, const std::vector<std::string>& inputs, u32 width, u32 height,
               u32 frames);

  /// Takes the next picture.
  void add(Image image);
  /// Writes the strip, if the pictures go side by side. May be called once, as the last call.
  void finish();

 private:
  bool is_strip() const { return frames_ > 0 && !in_folder_; }
  std::string frame_name(u32 frame) const;

  std::string output_;
  u32 frames_;
  bool in_folder_;
  u32 next_ = 0;
  Image strip_;
};

}  // namespace copse::cli
