// Opens placed instances into references: see scene/build/opening.h.
//
// Record i stays that of instance i, and holds its first reference. The added references follow the records of all
// instances, in the order of instances. Unused records have an empty box and the number invalid_id.

#include "primitives/core/atomic.h"
#include "primitives/inputs.h"
#include "primitives/scan.h"
#include "scene/build/opening.h"
#include "scene/build/place_instance.h"

namespace copse::detail {

namespace {

/// Instances, their records and the boxes of their references.
struct OpenedInstances {
  InstanceView instances;
  BufferSpan<const AccelView> accels;
  PlacedInstance* records;
  Aabb* boxes;  // of the references

  template <class Visit>
  COPSE_HD void cut(u64 i, u32 limit, Visit& visit) const {
    const Affine affine = Affine::of(instances.transforms.at(i));
    // Trees with splits are not cut: two of their parts may contain the same triangle, which queries must count once.
    const bool has_splits = accels.data()[records[i].accel].tree.repeats != nullptr;
    cut_tree(affine, records[i].nodes, has_splits ? 0 : root_key(affine, records[i]), limit, visit);
  }
};

/// Histogram over area keys: counts the references that opening each node adds, by the key of the node.
struct CountAreas {
  OpenedInstances opened;
  u32* counts;

  struct Adder {
    u32* counts;
    COPSE_HD void opened(u32 key, u32 added) { fetch_add_relaxed(counts + key, added); }
    COPSE_HD void reference(u32) {}
  };

  COPSE_HD void operator()(u64 i) const {
    if (is_empty(opened.records[i].box())) return;
    Adder adder{counts};
    opened.cut(i, 0, adder);
  }
};

/// The histogram from the largest area to the smallest.
struct CountsFromLargest {
  const u32* counts;
  COPSE_HD u64 operator()(u64 i) const { return counts[AreaKey::count - 1 - i]; }
};

/// Stores the smallest limit that adds at most `room` references. `added`: prefix sums of the histogram, from the
/// largest area on.
struct ChooseLimit {
  const u64* added;
  u64 room;
  u32* limit;

  COPSE_HD void operator()(u64 i) const {
    const bool is_last = i + 1 == AreaKey::count;
    if (added[i] <= room && (is_last || added[i + 1] > room)) *limit = u32(AreaKey::count - 1 - i);
  }
};

struct CountAdded {
  OpenedInstances opened;
  const u32* limit;
  u32* added;

  struct Sum {
    u32 added = 0;
    COPSE_HD void opened(u32, u32 more) { added += more; }
    COPSE_HD void reference(u32) {}
  };

  COPSE_HD void operator()(u64 i) const {
    Sum sum;
    if (!is_empty(opened.records[i].box())) opened.cut(i, *limit, sum);
    added[i] = sum.added;
  }
};

struct AddedReferences {
  const u32* added;
  COPSE_HD u64 operator()(u64 i) const { return added[i]; }
};

struct ClearReference {
  PlacedInstance* records;
  Aabb* boxes;

  COPSE_HD void operator()(u64 i) const {
    PlacedInstance none{};
    none.number = invalid_id;
    none.lo = Aabb::empty().lo;
    none.hi = Aabb::empty().hi;
    records[i] = none;
    boxes[i] = Aabb::empty();
  }
};

COPSE_HD vec3 magnitudes(const vec3& v) {
  return vec3(magnitude(v.x), magnitude(v.y), magnitude(v.z));
}

/// Returns the box in the scene of the subtree below a node. It also contains the vertices as queries place them, by
/// the inverse of the instance's inverse in floats (scene/queries/placed_triangles.h). Each number of the inverse
/// errs by up to 2^-24 of it. This moves a vertex by up to 2^-24 times the product of the largest row sums, which is
/// at most max_opened_distortion, times its greatest distance from the mesh's origin. The margin is twice that.
COPSE_HD Aabb reference_box(const InstanceView& instances, const CompressedBvh4View& tree, u64 i, u32 node) {
  const Affine affine = Affine::of(instances.transforms.at(i));
  const Aabb bounds = tree_of(tree).bounds();
  Aabb box = box_in_scene(affine, tree.nodes.data(), bounds, node);
  if (is_empty(box)) return box;
  const dvec3 far = to_double(upper_corner(magnitudes(bounds.lo), magnitudes(bounds.hi)));
  double reach = 0;
  for (const dvec3& row : affine.rows) {
    reach = larger(reach, dot_rn(dvec3(magnitude(row.x), magnitude(row.y), magnitude(row.z)), far));
  }
  const double margin = mul_rn(reach, 2 * max_opened_distortion / (1u << 24));
  for (int axis = 0; axis < 3; ++axis) {
    box.lo[axis] = rounded_down(sub_rn(double(box.lo[axis]), margin));
    box.hi[axis] = -rounded_down(-add_rn(double(box.hi[axis]), margin));
  }
  return is_valid(box) ? box : Aabb::empty();
}

struct StoreReferences {
  OpenedInstances opened;
  const u32* limit;
  const u64* first_added;  // where the added references of each instance begin
  u64 count;               // of instances

  struct Store {
    const StoreReferences& to;
    PlacedInstance record;
    u64 at, next;

    COPSE_HD void opened(u32, u32) {}
    COPSE_HD void reference(u32 node) {
      record.node = node;
      to.opened.records[at] = record;
      to.opened.boxes[at] =
          reference_box(to.opened.instances, to.opened.accels.data()[record.accel].tree, record.number, node);
      at = next++;
    }
  };

  COPSE_HD void operator()(u64 i) const {
    opened.boxes[i] = Aabb::empty();
    if (is_empty(opened.records[i].box())) return;
    Store store{*this, opened.records[i], i, count + first_added[i]};
    opened.cut(i, *limit, store);
  }
};

/// Computes the same references again for instances that have moved.
struct MoveReference {
  OpenedInstances opened;
  Aabb* instance_boxes;
  u64 count;  // of instances

  COPSE_HD void operator()(u64 i) const {
    const PlacedInstance before = opened.records[i];
    if (before.number == invalid_id) return;
    PlacedInstance record = place_instance(opened.instances, opened.accels, before.accel, before.number);
    record.node = before.node;
    opened.records[i] = record;
    if (i < count) instance_boxes[i] = record.box();
    opened.boxes[i] =
        is_empty(record.box())
            ? Aabb::empty()
            : reference_box(opened.instances, opened.accels.data()[record.accel].tree, record.number, record.node);
  }
};

}  // namespace

template <class Executor>
void open_instances(const Executor& ex, const InstanceView& instances, BufferSpan<const AccelView> accels,
                    PlacedInstance* records, Aabb* boxes, u64 record_count) {
  const u64 n = instances.size();
  const OpenedInstances opened{instances, accels, records, boxes};
  ScratchArena::Frame frame(ex.scratch);
  u32* counts = frame.template allocate<u32>(AreaKey::count);
  u64* above = frame.template allocate<u64>(AreaKey::count);
  u32* limit = frame.template allocate<u32>(1);
  u32* added = frame.template allocate<u32>(n);
  u64* first_added = frame.template allocate<u64>(n);
  u64* const no_total = nullptr;
  fill_bytes(ex, "scene: clear areas", counts, AreaKey::count, 0);
  for_each(ex, "scene: count areas", n, CountAreas{opened, counts});
  exclusive_scan(ex, "scene: sum areas", AreaKey::count, CountsFromLargest{counts}, u64{0}, Plus{}, above,
                 no_total);
  for_each(ex, "scene: choose limit", AreaKey::count, ChooseLimit{above, record_count - n, limit});
  for_each(ex, "scene: count references", n, CountAdded{opened, limit, added});
  exclusive_scan(ex, "scene: place references", n, AddedReferences{added}, u64{0}, Plus{}, first_added, no_total);
  for_each(ex, "scene: clear references", record_count - n, ClearReference{records + n, boxes + n});
  for_each(ex, "scene: store references", n, StoreReferences{opened, limit, first_added, n});
}

template <class Executor>
void move_references(const Executor& ex, const InstanceView& instances, BufferSpan<const AccelView> accels,
                     PlacedInstance* records, Aabb* boxes, u64 record_count, Aabb* instance_boxes) {
  for_each(ex, "scene: move references", record_count,
           MoveReference{{instances, accels, records, boxes}, instance_boxes, instances.size()});
}

template <class Executor>
u64 opening_scratch_bytes(const Executor& ex, u64 n) {
  return ScratchArena::bytes_for<u32>(AreaKey::count) + ScratchArena::bytes_for<u64>(AreaKey::count) +
         ScratchArena::bytes_for<u32>(1) + ScratchArena::bytes_for<u32>(n) + ScratchArena::bytes_for<u64>(n) +
         larger(u64(scan_scratch_bytes<u64>(ex, n)), u64(scan_scratch_bytes<u64>(ex, AreaKey::count)));
}

template void open_instances(const BodyExecutor&, const InstanceView&, BufferSpan<const AccelView>,
                             PlacedInstance*, Aabb*, u64);
template void move_references(const BodyExecutor&, const InstanceView&, BufferSpan<const AccelView>,
                              PlacedInstance*, Aabb*, u64, Aabb*);
template u64 opening_scratch_bytes(const BodyExecutor&, u64);

}  // namespace copse::detail
