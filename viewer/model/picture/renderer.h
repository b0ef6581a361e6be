#pragma once

#include <optional>

#include "viewer/model/structures/live_structure.h"

namespace copse::viewer {

/// About how long a step may take, in milliseconds.
inline constexpr double default_budget_ms = 16;

/// What picture to make.
struct PictureRequest {
  Shot shot;
  u32 width = 0, height = 0;  // 0 for either: none
  double budget_ms = default_budget_ms;
  bool whole = false;         // no previews, no end before it is finished
  bool keeps_values = false;  // visits of every pixel are wanted too, for a heat map
  bool on_device = false;     // the pixels need not come to the host, where the device is a GPU
};

/// Makes pictures piece by piece, within a time budget per call. While the view changes, pictures are reduced, but
/// not below 640 x 360. Then one of full size follows, and more samples if the view takes them. Once begun, the
/// first picture of a view is always finished, so that there is always something new to see.
class Renderer {
 public:
  /// Works for about the budget, and on one piece at least. Returns true if the picture changed. A picture that is
  /// finished too late is shown by the next call.
  /// Throws: as tracing does. The same request is then not tried again.
  bool advance(LiveStructure& live, const PictureRequest& request);

  /// True if the picture is the requested one, with all its samples.
  bool is_done(const LiveStructure& live, const PictureRequest& request) const;

  /// True while a picture is being made. Moving triangles now would tear it.
  bool is_tracing_first() const { return working_ && is_first_; }

  const Picture& picture() const { return picture_; }
  /// The visits of the full picture, in rows, if the request keeps them; else empty.
  const std::vector<u32>& values() const { return values_; }

  /// Milliseconds that the last picture took to trace and shade; none if there is no new one since the last call.
  std::optional<double> take_trace_ms();

  /// True if the structure was built for another camera since the last call.
  bool take_aimed();

  /// Forgets the structure, which was replaced.
  void forget();

 private:
  /// What the pixels depend on.
  struct Key {
    Shot shot;
    u32 width = 0, height = 0;
    u64 revision = 0;  // of triangles and structure
    bool keeps_values = false;
  };
  static bool same(const Key& a, const Key& b);
  static Key with_scale_of(Key key, const Key& scale);
  static Key key_of(const LiveStructure& live, const PictureRequest& request);

  bool stays_on_device(const LiveStructure& live) const;
  bool choose(const Key& wanted, LiveStructure& live, const PictureRequest& request);
  void begin(const Key& wanted, LiveStructure& live, u32 width, u32 height);
  bool work(LiveStructure& live, bool whole);
  void complete(LiveStructure& live);
  void present(LiveStructure& live);
  u64 piece(const LiveStructure& live, double ns_per_ray, bool whole) const;
  double reduction(const PictureRequest& request) const;

  Picture picture_;
  std::vector<u32> values_;
  std::optional<Key> shown_;  // of the film's picture, or of the request that failed
  Key making_;                // of the picture that is being made
  bool working_ = false;      // there are rays left to trace
  bool is_preview_ = false;   // of what is being made, and then of the film: reduced
  bool is_first_ = false;     // for what it shows: finished even where the view has changed meanwhile
  u64 next_ray_ = 0;
  u32 samples_ = 0;         // finished ones
  u32 smoothed_ = 0;        // samples for smooth edges that were begun since the picture
  bool sampling_ = false;   // primary rays are done
  bool is_unseen_ = false;  // the film has a newer picture than picture_
  bool at_rest_ = true;
  bool on_device_ = false;                   // as the request says
  double work_ms_ = 0;                       // spent on what is being made
  double present_ms_ = 0;                    // spent on colouring the last one and taking it to the host
  double trace_ns_ = 100, sample_ns_ = 200;  // a ray of the last piece
  double picture_ns_ = 100;                  // a ray of the last picture, with its first sample
  std::optional<double> trace_ms_;
  bool has_aimed_ = false;
};

}  // namespace copse::viewer
