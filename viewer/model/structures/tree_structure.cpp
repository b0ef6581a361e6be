#include <algorithm>
#include <optional>

#include "accel/accel_file.h"
#include "builders/bvh/build.h"
#include "builders/bvh/collapse.h"
#include "builders/bvh/end_point_overlap.h"
#include "builders/bvh/pack_triangles.h"
#include "builders/bvh/refit.h"
#include "builders/bvh/reinsert.h"
#include "builders/bvh/stats.h"
#include "builders/io/structure_file.h"
#include "viewer/model/inspect/host_copies.h"
#include "viewer/model/structures/structure_kinds.h"
#include "viewer/model/structures/tree_parts.h"

namespace copse::viewer {

namespace {

/// Leaves of cbvh8 hold at most 3 primitives.
u32 leaf_size(const StructureOptions& options) {
  return options.layout == Layout::cbvh8 ? std::min(options.max_leaf_size, CompressedBvh8Node::max_leaf_primitives)
                                         : options.max_leaf_size;
}

SahCosts costs(const StructureOptions& options) {
  return {.traversal = double(options.traversal_cost), .intersection = 1};
}

AnyBuildOptions build_options(const StructureOptions& options) {
  const u32 max_leaf_size = leaf_size(options);
  switch (options.builder) {
    case Builder::lbvh:
      return LbvhOptions{
          .morton_bits = options.morton_bits, .max_leaf_size = max_leaf_size, .splits = options.splits};
    case Builder::hploc:
      return HplocOptions{.radius = options.radius,
                          .morton_bits = options.morton_bits,
                          .max_leaf_size = max_leaf_size,
                          .splits = options.splits};
    case Builder::sah:
      return SahOptions{.bin_count = options.bin_count,
                        .max_leaf_size = max_leaf_size,
                        .rotation_passes = options.rotation_passes,
                        .costs = costs(options),
                        .splits = options.splits};
    default: break;  // a quality: make_tree makes an Accel
  }
  return {};
}

CollapseOptions collapse_options(const StructureOptions& options) {
  const u32 automatic = std::max(leaf_size(options), CollapseOptions{}.max_leaf_size);
  const u32 most = options.layout == Layout::cbvh8 ? CompressedBvh8Node::max_leaf_primitives : 32;
  return {.max_leaf_size = options.wide_leaf_size == 0 ? automatic : std::min(options.wide_leaf_size, most),
          .costs = costs(options)};
}

/// Calls `f` with the wide tree, or with the binary one if there is no wide one.
template <class Wide, class F>
auto with_tree(Wide& wide, const Bvh& bvh, const F& f) {
  return std::visit(
      [&](auto& tree) {
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(tree)>, std::monostate>) {
          return f(bvh);
        } else {
          return f(tree);
        }
      },
      wide);
}

/// How the tree of a file was built, as in "sah, cbvh8, leaves to 4".
std::string origin_of(const StructureFile& file) {
  constexpr const char* layouts[] = {"", ", bvh4", ", cbvh4", ", cbvh8"};
  return file.builder + layouts[file.wide.index()] + ", leaves to " + std::to_string(file.max_leaf_size);
}

/// A tree by any builder, in any layout; or the tree of a file.
class TreeStructure : public TriangleStructure {
 public:
  TreeStructure(Context& context, const StructureOptions& options, std::filesystem::path file = {})
      : TriangleStructure(context), options_(options), file_(std::move(file)) {}

  void build(const TriangleView& triangles) override {
    if (!file_.empty()) {
      if (bvh_.nodes.empty()) read_file();
      refit(triangles);
      labels_.forget();
      return;
    }
    build_binary(triangles);
    build_wide();
    pack(triangles);
    labels_.forget();
  }

  void refit(const TriangleView& triangles) override {
    if (!is_wide()) copse::refit(context_, bvh_, triangles);
    std::visit(
        [&](auto& wide) {
          if constexpr (!std::is_same_v<std::remove_cvref_t<decltype(wide)>, std::monostate>) {
            copse::refit(context_, wide, triangles);
          }
        },
        wide_);
    pack(triangles);
  }

  void leave(const TriangleView& triangles) override { pack(triangles); }

  void hit(const TriangleView&, BufferSpan<const Ray> rays, BufferSpan<Hit> hits) override {
    // Pixels in tiles stay together.
    const TraceKernel kernel = is_wide() ? TraceKernel::automatic : TraceKernel::packets;
    closest_hits(context_, tree_view(), packed_.view(), rays, hits, {.kernel = kernel});
  }

  void occlude(const TriangleView&, BufferSpan<const Ray> rays, BufferSpan<u8> occluded) override {
    any_hits(context_, tree_view(), packed_.view(), rays, occluded, {.kernel = TraceKernel::persistent});
  }

  void count_visits(const TriangleView& triangles, BufferSpan<const Ray> rays, BufferSpan<u32> visits) override {
    viewer::count_visits(context_, tree_view(), triangles, rays, visits);
  }

  void label(BufferSpan<const Ray>, BufferSpan<const SurfaceHit> surfaces, LeafTint tint,
             BufferSpan<u32> labels) override {
    labels_.label(context_, tree_view(), bvh_.source_count, surfaces, tint, labels);
  }

  const char* depth_unit() const override { return "edges"; }

  Statistics measure(const TriangleView& triangles) override {
    Statistics statistics;
    with_tree(wide_, bvh_, [&](const auto& tree) { take_tree(statistics, stats(context_, tree)); });
    statistics.leaf_depth_histogram = leaf_depths(context_, tree_view(), bvh_.place_count());
    statistics.origin = origin_;
    if (options_.overlap) {
      // If a wide tree was refitted, the binary one was not.
      if (is_wide()) copse::refit(context_, bvh_, triangles);
      statistics.overlap = end_point_overlap(context_, bvh_, triangles);
    }
    return statistics;
  }

  double sah_cost() override {
    return with_tree(wide_, bvh_, [&](const auto& tree) { return stats(context_, tree).sah_cost; });
  }

  std::unique_ptr<HostCopy> copy() const override { return copy_tree(context_, tree_view()); }

 private:
  void read_file() {
    StructureFile file = load_structure(file_, context_);
    origin_ = origin_of(file);
    bvh_ = std::move(file.bvh);
    wide_ = std::move(file.wide);
  }

  void build_binary(const TriangleView& triangles) {
    const AnyBuildOptions options = build_options(options_);
    if (bvh_.nodes.empty()) {
      bvh_ = copse::build(context_, triangles, options);
    } else {
      copse::rebuild(context_, bvh_, triangles, options);
    }
    if (options_.reinsertion_passes > 0) reinsert(context_, bvh_, {.passes = options_.reinsertion_passes});
  }

  void build_wide() {
    const CollapseOptions options = collapse_options(options_);
    if (is_wide()) {
      std::visit(
          [&](auto& wide) {
            if constexpr (!std::is_same_v<std::remove_cvref_t<decltype(wide)>, std::monostate>) {
              collapse(context_, wide, bvh_, options);
            }
          },
          wide_);
      return;
    }
    switch (options_.layout) {
      case Layout::bvh2: break;
      case Layout::bvh4: wide_ = collapse<Bvh4>(context_, bvh_, options); break;
      case Layout::cbvh4: wide_ = collapse<CompressedBvh4>(context_, bvh_, options); break;
      case Layout::cbvh8: wide_ = collapse<CompressedBvh8>(context_, bvh_, options); break;
    }
  }

  void pack(const TriangleView& triangles) {
    with_tree(wide_, bvh_, [&](const auto& tree) {
      if (packed_.triangles.size() != tree.primitive_ids.size()) {
        packed_ = pack_triangles(context_, tree.view(), triangles);
      } else {
        repack_triangles(context_, packed_, tree.view(), triangles);
      }
    });
  }

  TreeView tree_view() const {
    return with_tree(wide_, bvh_, [](const auto& tree) { return TreeView(tree.view()); });
  }

  bool is_wide() const { return wide_.index() != 0; }

  StructureOptions options_;
  std::filesystem::path file_;  // that the tree is read from; empty: it is built
  std::string origin_;
  Bvh bvh_;
  AnyWideBvh wide_;
  PackedTriangles packed_;
  LeafLabels labels_;
};

}  // namespace

std::unique_ptr<TriangleStructure> make_tree(Context& context, const StructureOptions& options) {
  if (const std::optional<Quality> quality = quality_of(options.builder)) {
    return make_accel(context, {.quality = *quality, .splits = options.splits});
  }
  return std::make_unique<TreeStructure>(context, options);
}

std::unique_ptr<Structure> make_tree_of_file(Context& context, const StructureOptions& options,
                                             const std::filesystem::path& file) {
  if (holds_accel(file)) return make_accel_of_file(context, file);
  return std::make_unique<TreeStructure>(context, options, file);
}

}  // namespace copse::viewer
