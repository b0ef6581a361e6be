#include "scale/slices/slice_builder.h"

#include <exception>

#include "builders/geometry/morton.h"
#include "primitives/core/dispatch.h"
#include "primitives/cpu/float_mode.h"
#include "primitives/cpu/workers.h"
#include "scale/team/team.h"

namespace copse::detail {

// The body: lbvh.inl, for either executor. That of H-PLOC is declared in hploc_slice.h.
template <class Executor>
void build_slice(const Executor& ex, const Aabb* boxes, u64 n, const MortonSlice& slice, const BvhArrays& bvh);
template <class Executor>
u64 build_slice_scratch_bytes(const Executor& ex, u64 n, u32 morton_bits);

namespace {

/// Calls body(i) for 0 to n - 1 on all threads of the host. Several threads may do so at once, so nothing is recorded
/// in the profile.
template <class Body>
void for_each_on_host(const cpu::Executor& host, u64 n, const Body& body) {
  constexpr u64 grain = 4096;
  throw_if_cancelled(host);
  host.workers.run(n, grain, [&body](u64 begin, u64 end) {
    const cpu::FloatMode mode;
    for (u64 i = begin; i < end; ++i) body(i);
  });
}

/// Calls body(i, element) for the elements of an array on the device.
template <class T, class Body>
void for_each_downloaded(const cpu::Executor& host, StagedCopies& copies, const T* from, u64 count,
                         const Body& body) {
  copies.download(from, count * sizeof(T), [&](const void* piece, u64 begin, u64 end) {
    const T* const elements = static_cast<const T*>(piece);
    const u64 first = begin / sizeof(T);
    for_each_on_host(host, end / sizeof(T) - first, [&](u64 i) { body(first + i, elements[i]); });
  });
}

u64 slice_scratch_bytes(Context& device, const SlicePlan& plan) {
  return dispatch(device, [&](const auto& ex) {
    return plan.is_hploc() ? cluster_slice_scratch_bytes(ex, plan.slice_size, plan.morton_bits)
                           : build_slice_scratch_bytes(ex, plan.slice_size, plan.morton_bits);
  });
}

void throw_first(const std::vector<std::exception_ptr>& errors) {
  for (const std::exception_ptr& error : errors) {
    if (error != nullptr) std::rethrow_exception(error);
  }
}

}  // namespace

u64 SliceBuilder::device_bytes(Context& device, const SlicePlan& plan) {
  const u64 sets = device.backend() == Backend::cuda ? 2 : 1;
  return slice_scratch_bytes(device, plan) + bvh_bytes(plan.slice_size) + sets * plan.slice_size * sizeof(Aabb) +
         plan.is_hploc() * sizeof(u32) + plan.waiting_ranges() * sizeof(WaitingRange);
}

SliceBuilder::SliceBuilder(const cpu::Executor& host, Context& device, const SlicePlan& plan, const Aabb& bounds,
                           const HostTriangleKeys& keys, const BvhArrays& tree)
    : host_(host),
      device_(device),
      plan_(plan),
      curve_{bounds, plan.morton_bits},
      keys_(keys),
      tree_(tree),
      range_count_(device, plan.is_hploc() ? 1 : 0),
      ranges_(device, plan.waiting_ranges()) {
  device.reserve_scratch(slice_scratch_bytes(device, plan));
  for (u32 set = 0; set < box_sets(); ++set) boxes_[set] = Buffer<Aabb>(device, plan.slice_size);
  slice_tree_ = make_bvh(device, plan.slice_size);
  ids_.resize(plan.slice_size);
  copies_ = device.backend() == Backend::cuda ? make_gpu_copies(device) : make_host_copies();
}

void SliceBuilder::build_all(u64 count) {
  slot_count_ = count;
  if (plan_.is_hploc()) range_join_.emplace(u32(count), plan_.hploc_radius);
  const u64 slice_count = divide_rounding_up(count, plan_.slice_size);
  for (u64 slice = 0; slice < slice_count; ++slice) slices_.push_back(slots_of(slice));
  if (device_.backend() == Backend::cpu) {
    for (u64 slice = 0; slice < slice_count; ++slice) {
      upload(slice);
      finish(slice);
    }
    return;
  }
  Team team(2);
  upload(0);
  for (u64 slice = 0; slice < slice_count; ++slice) {
    throw_first(team.run([&](u32 member) {
      if (member == 0) return finish(slice);
      if (slice + 1 < slice_count) upload(slice + 1);
    }));
  }
}

void SliceBuilder::join() {
  if (!plan_.is_hploc()) {
    join_slices(slices_, tree_);
    return store_has_deltas(tree_, 0);
  }
  push_ranges(0);
  range_join_->finish();
  place_clusters();
}

SliceTree SliceBuilder::slots_of(u64 slice) const {
  const u64 first = slice * plan_.slice_size;
  return {u32(first), u32(smaller(first + plan_.slice_size, slot_count_) - 1), {}};
}

/// Builds the tree over the boxes of a slice, and moves it to the host.
void SliceBuilder::finish(u64 slice_id) {
  SliceTree& slice = slices_[slice_id];
  build(slice, boxes_of(slice_id).data());
  download_nodes(slice);
  download_links(slice);
  download_ids(slice);
  if (slice_id > 0) tree_.deltas[slice.first - 1] = border_delta(slice.first - 1);
  if (!plan_.is_hploc()) return download_deltas(slice);
  if (slice_id > 0) push_ranges(1 + tree_.deltas[slice.first - 1]);
  download_ranges(slice);
}

void SliceBuilder::upload(u64 slice) {
  const SliceTree& slots = slices_[slice];
  const u32* const ids = tree_.primitive_ids + slots.first;
  const u64 count = u64{slots.last} + 1 - slots.first;
  copies_->upload(boxes_of(slice).data(), count * sizeof(Aabb), [&](void* piece, u64 begin, u64 end) {
    Aabb* const boxes = static_cast<Aabb*>(piece);
    const u64 first = begin / sizeof(Aabb);
    for_each_on_host(host_, end / sizeof(Aabb) - first, [&](u64 i) { boxes[i] = keys_.box(ids[first + i]); });
  });
}

void SliceBuilder::build(const SliceTree& slice, const Aabb* boxes) {
  const u64 count = u64{slice.last} + 1 - slice.first;
  const BvhArrays arrays = arrays_of(slice_tree_);
  dispatch(device_, [&](const auto& ex) {
    if (plan_.is_hploc()) {
      cluster_slice(ex, boxes, count, curve_, plan_.hploc_radius, arrays, {range_count_.data(), ranges_.data()});
    } else {
      build_slice(ex, boxes, count, curve_, arrays);
    }
  });
}

/// Node k of a slice belongs at place 2 * first + k of the tree, except the root, which has no place yet. H-PLOC makes
/// no root of a slice.
void SliceBuilder::download_nodes(SliceTree& slice) {
  const u32 first = slice.first, count = slice.last - first + 1;
  for_each_downloaded(host_, *copies_, slice_tree_.nodes.data(), 2 * u64{count} - 1,
                      [&](u64 k, const BvhNode& of_slice) {
                        BvhNode node = of_slice;
                        node.first += node.is_leaf() ? first : 2 * first;
                        (k == 0 ? slice.root : tree_.nodes[2 * u64{first} + k]) = node;
                      });
}

/// Links to the root as parent are wrong until the slices are joined, and so are those of pairs that H-PLOC has yet to
/// merge.
void SliceBuilder::download_links(const SliceTree& slice) {
  const u32 first = slice.first, gaps = slice.last - first;
  for_each_downloaded(host_, *copies_, slice_tree_.parents.data(), gaps,
                      [&](u64 pair, u32 parent) { tree_.parents[first + pair] = 2 * first + parent; });
}

void SliceBuilder::download_deltas(const SliceTree& slice) {
  const u32 first = slice.first, gaps = slice.last - first;
  for_each_downloaded(host_, *copies_, arrays_of(slice_tree_).deltas, gaps,
                      [&](u64 slot, u8 delta) { tree_.deltas[first + slot] = delta; });
}

/// The ids of a slice are numbers within the slice. They are replaced by the ids of these triangles.
void SliceBuilder::download_ids(const SliceTree& slice) {
  u32* const ids = tree_.primitive_ids + slice.first;
  const u64 count = u64{slice.last} + 1 - slice.first;
  for_each_downloaded(host_, *copies_, slice_tree_.primitive_ids.data(), count,
                      [&](u64 slot, u32 number) { ids_[slot] = ids[number]; });
  for_each_on_host(host_, count, [&](u64 slot) { ids[slot] = ids_[slot]; });
}

/// Downloads the ranges of a slice.
void SliceBuilder::download_ranges(const SliceTree& slice) {
  last_ranges_ = ranges_.download(range_count_.download()[0]);
  for (WaitingRange& range : last_ranges_) range.move_by(slice.first);
}

/// Joins the ranges of the last slice to those before them.
///   delta_right: of the slice
void SliceBuilder::push_ranges(u32 delta_right) {
  last_ranges_.back().delta_right = delta_right;
  for (const WaitingRange& range : last_ranges_) range_join_->push(range);
  place_clusters();
}

void SliceBuilder::place_clusters() {
  const PlaceCluster<SingleLeaves> place{{}, tree_};
  for (const PlacedCluster& placed : range_join_->take_placed()) place(placed.cluster, placed.node);
}

/// Returns the delta between a slot and the next one, which is the first of a slice.
u8 SliceBuilder::border_delta(u32 slot) const {
  const u32* const ids = tree_.primitive_ids;
  return u8(common_prefix(keys_(ids[slot]), keys_(ids[slot + 1]), slot));
}

}  // namespace copse::detail
