#pragma once

#include <optional>

#include "viewer/model/structures/live_structure.h"

namespace copse::viewer {

/// What a step may take, about, in milliseconds.
inline constexpr double default_budget_ms = 16;

/// What to make a picture of.
struct PictureRequest {
  Shot shot;
  u32 width = 0, height = 0;  // 0 for either: none
  double budget_ms = default_budget_ms;
  bool whole = false;         // no previews, no end before it is finished
  bool keeps_values = false;  // visits of every pixel are wanted too, for a heat map
  bool on_device = false;     // the pixels need not come to the host, where the device is a GPU
};

/// Makes pictures piece by piece, within a budget of time a call: reduced ones as long as what they show changes,
/// never under 640 x 360 where that was asked for, then one of the full size, then more samples where the view
/// takes them. The first picture of a view, reduced or not, is finished once it has begun, so that there is always
/// something new to see.
class Renderer {
 public:
  /// Goes on for about the budget, by a piece at least. True where the picture changed; one that is finished too
  /// late for it is shown by the next call.
  /// Throws: as tracing does; the same request is then not tried again.
  bool advance(LiveStructure& live, const PictureRequest& request);

  /// True where the picture is the one asked for, and as good as it gets.
  bool is_done(const LiveStructure& live, const PictureRequest& request) const;

  /// Triangles that move now would tear the picture that is being made.
  bool is_tracing_first() const { return working_ && is_first_; }

  const Picture& picture() const { return picture_; }
  /// Of the full picture, in rows, where they were kept; else empty.
  const std::vector<u32>& values() const { return values_; }

  /// Milliseconds that the last picture took to trace and shade, since the last call; none where there is no new
  /// one.
  std::optional<double> take_trace_ms();

  /// True where the structure was built for another camera, since the last call.
  bool take_aimed();

  /// The structure was replaced: nothing of it is used any more.
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
  std::optional<Key> shown_;  // what the film shows, or what failed
  Key making_;                // what is being made
  bool working_ = false;      // rays are left to trace
  bool is_preview_ = false;   // of what is being made, and then of the film: reduced
  bool is_first_ = false;     // for what it shows: finished even where the view has changed meanwhile
  u64 next_ray_ = 0;
  u32 samples_ = 0;         // finished ones
  bool sampling_ = false;   // primary rays are done
  bool is_unseen_ = false;  // the film shows more than picture_
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
