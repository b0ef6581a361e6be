// Makes the records, the boxes at keys and the swept boxes of instances that move.

#include "motion/motion_instance.h"
#include "motion/walk/moving_instance.h"

namespace copse::detail {

namespace {

/// The inputs of all steps.
struct MotionInputs {
  MotionInstanceView instances;
  BufferSpan<const AccelView> accels;
  BufferSpan<const MotionView> moving;

  COPSE_HD u32 accel_of(u64 i) const { return instances.accels.at(i, 0); }
  COPSE_HD bool is_still(u32 accel) const { return accel < accels.size(); }
  COPSE_HD bool exists(u32 accel) const { return accel < accels.size() + moving.size(); }
  COPSE_HD const MotionView& moving_mesh(u32 accel) const { return moving.data()[accel - accels.size()]; }
  COPSE_HD Aabb bounds_of(u32 accel) const {
    return is_still(accel) ? tree_of(accels.data()[accel].tree).bounds() : *moving_mesh(accel).box;
  }
};

struct StoreMovingInstance {
  MotionInputs inputs;
  MovingInstance* records;

  COPSE_HD void operator()(u64 i) const {
    MovingInstance record{};
    record.mask = inputs.instances.masks.at(i, ~u32{0});
    record.flags = InstanceFlags(inputs.instances.flags.at(i, 0));
    record.accel = inputs.accel_of(i);
    record.id = inputs.instances.ids.at(i, u32(i));
    if (inputs.is_still(record.accel)) {
      const AccelView& accel = inputs.accels.data()[record.accel];
      record.nodes = accel.tree.nodes.data();
      record.triangles = accel.triangles.data();
      record.masks = accel.masks;
    } else if (inputs.exists(record.accel)) {
      const MotionView& mesh = inputs.moving_mesh(record.accel);
      record.triangles = mesh.triangles.data();
      record.masks = mesh.masks;
      record.moves_inside = 1;
    }
    if (inputs.exists(record.accel)) record.farthest = TreeReach::of(inputs.bounds_of(record.accel)).farthest;
    records[i] = record;
  }
};

/// The length of a vector, rounded up.
COPSE_HD double length_above(const dvec3& v) {
  const double largest = largest_component(v);
  if (!(largest > 0) || !(largest < 1e300)) return largest;
  const dvec3 parts(div_rn(v.x, largest), div_rn(v.y, largest), div_rn(v.z, largest));
  return mul_rn(largest, mul_rn(double(sqrt_rn(float(dot_rn(parts, parts)))), 1.000001));
}

/// The stretch of a transform, and its pivot.
struct Stretch {
  double x, xy, xz, y, yz, z;
  dvec3 pivot;

  COPSE_HD static Stretch of(const MotionTransform& t) {
    return {t.stretch_x,
            t.stretch_xy,
            t.stretch_xz,
            t.stretch_y,
            t.stretch_yz,
            t.stretch_z,
            dvec3(double(t.pivot_x), double(t.pivot_y), double(t.pivot_z))};
  }

  /// `weight` * this + `other_weight` * other.
  COPSE_HD Stretch mixed(double w, const Stretch& o, double v) const {
    const auto mix = [w, v](double p, double q) { return add_rn(mul_rn(w, p), mul_rn(v, q)); };
    return {mix(x, o.x),
            mix(xy, o.xy),
            mix(xz, o.xz),
            mix(y, o.y),
            mix(yz, o.yz),
            mix(z, o.z),
            dvec3(mix(pivot.x, o.pivot.x), mix(pivot.y, o.pivot.y), mix(pivot.z, o.pivot.z))};
  }

  /// The greatest distance from the origin that a point of the box has after the stretch, rounded up.
  COPSE_HD double reach(const dvec3& c, const dvec3& h) const {
    const dvec3 middle(add_rn(add_rn(add_rn(mul_rn(x, c.x), mul_rn(xy, c.y)), mul_rn(xz, c.z)), pivot.x),
                       add_rn(add_rn(mul_rn(y, c.y), mul_rn(yz, c.z)), pivot.y), add_rn(mul_rn(z, c.z), pivot.z));
    const dvec3 half = across(h);
    return length_above(dvec3(add_rn(magnitude(middle.x), half.x), add_rn(magnitude(middle.y), half.y),
                              add_rn(magnitude(middle.z), half.z)));
  }

  /// Upper bounds of the coordinates of a stretched point this far from the mesh's origin: sums of magnitudes.
  COPSE_HD dvec3 across(const dvec3& far) const {
    return dvec3(
        add_rn(add_rn(mul_rn(magnitude(x), far.x), mul_rn(magnitude(xy), far.y)), mul_rn(magnitude(xz), far.z)),
        add_rn(mul_rn(magnitude(y), far.y), mul_rn(magnitude(yz), far.z)), mul_rn(magnitude(z), far.z));
  }
};

/// Upper bound, along each coordinate, of how far the rotation between two keys moves points off straight lines: see
/// motion/walk/moving_instance.h.
COPSE_HD vec3 bulge_between(const MotionTransform& p, const MotionTransform& q, const Aabb& bounds) {
  const double dot = rotations_dot(p, q);
  const double c = smaller(magnitude(dot), 1.0), gap = add_rn(sub_rn(1.0, c), 1e-15);
  const dvec3 lo = to_double(bounds.lo), hi = to_double(bounds.hi);
  const dvec3 middle = mul_rn(add_rn(lo, hi), 0.5), half = mul_rn(sub_rn(hi, lo), 0.5);
  const Stretch a = Stretch::of(p), b = Stretch::of(q);
  const double turned = mul_rn(a.mixed(0.5, b, 0.5).reach(middle, half), gap);
  const double changed = mul_rn(a.mixed(-1, b, 1).reach(middle, half), double(sqrt_rn(float(mul_rn(gap, 0.5)))));
  const double all = mul_rn(add_rn(turned, changed), 1.00001);
  // The vector part of the quaternion from p to q: the axis in the scene, times the sine of half the angle.
  const float(&u)[4] = p.rotation, (&v)[4] = q.rotation;
  const dvec3 from = to_double(vec3(u[0], u[1], u[2])), to = to_double(vec3(v[0], v[1], v[2]));
  const dvec3 axis = sub_rn(sub_rn(mul_rn(to, double(u[3])), mul_rn(from, double(v[3]))), cross_rn(to, from));
  const double square = dot_rn(axis, axis);
  vec3 bulge;
  for (int i = 0; i < 3; ++i) {
    // The direction of a short axis is not reliable.
    const double across = div_rn(sub_rn(square, mul_rn(axis[i], axis[i])), square);
    const double sine =
        square < 1e-6 ? 1.0 : smaller(1.0, add_rn(double(sqrt_rn(float(larger(across, 0.0)))), 1e-3));
    bulge[i] = -rounded_down(-mul_rn(all, sine));
  }
  return bulge;
}

/// Upper bound of the sum of all terms of an instance's coordinates.
COPSE_HD double sum_of_coordinates(const MotionTransform& t, const dvec3& far) {
  const Stretch stretch = Stretch::of(t);
  const double of_mesh =
      sum_of_magnitudes(add_rn(stretch.across(far), dvec3(magnitude(stretch.pivot.x), magnitude(stretch.pivot.y),
                                                          magnitude(stretch.pivot.z))));
  return add_rn(of_mesh, sum_of_magnitudes(
                             dvec3(double(t.translation[0]), double(t.translation[1]), double(t.translation[2]))));
}

/// Stores the transform of an instance at a key, and its box there.
struct StoreMovingKey {
  MotionInputs inputs;
  MotionTransform* transforms;
  MovingBox* boxes;

  COPSE_HD void operator()(u64 at) const {
    const u32 key_count = inputs.instances.key_count;
    const u64 i = at / key_count;
    const u32 key = u32(at % key_count);
    const MotionTransform* const own = inputs.instances.transforms.data() + i * key_count;
    const MotionTransform here = with_unit_rotation(own[key]);
    const MotionTransform next = key + 1 < key_count ? with_unit_rotation(own[key + 1]) : here;
    MovingBox box{vec3(infinity), 0, vec3(-infinity), 0, vec3(0.0f), 0};
    const u32 accel = inputs.accel_of(i);
    const Aabb bounds = inputs.exists(accel) ? inputs.bounds_of(accel) : Aabb::empty();
    if (!is_empty(bounds)) {
      const Aabb placed = box_at_key(rows_between(here, here, 0), accel, bounds);
      const dvec3 far(TreeReach::largest_magnitude(vec3(bounds.lo.x, bounds.hi.x, 0)),
                      TreeReach::largest_magnitude(vec3(bounds.lo.y, bounds.hi.y, 0)),
                      TreeReach::largest_magnitude(vec3(bounds.lo.z, bounds.hi.z, 0)));
      constexpr double part = 1.0 / (1u << 19), least = 1e-43;
      const double sum = larger(sum_of_coordinates(here, far), sum_of_coordinates(next, far));
      box.lo = placed.lo, box.hi = placed.hi;
      box.grain = -rounded_down(-add_rn(mul_rn(sum, part), least));
      box.bulge = bulge_between(here, next, bounds);
    }
    boxes[at] = box;
    transforms[at] = here;
  }

 private:
  COPSE_HD Aabb box_at_key(const TransformRows& rows, u32 accel, const Aabb& bounds) const {
    const Affine affine = Affine::of(&rows.rows[0][0]);
    if (inputs.is_still(accel)) return box_in_scene(affine, inputs.accels.data()[accel].tree.nodes.data(), bounds);
    const vec3 linear[3] = {vec3(affine.rows[0]), vec3(affine.rows[1]), vec3(affine.rows[2])};
    vec3 lo(infinity), hi(-infinity);
    merge_turned_box(linear, bounds, lo, hi);
    const Aabb box = padded_in_scene(affine, lo, hi, bounds);
    return is_valid(box) ? box : Aabb::empty();
  }
};

/// Stores the box of an instance over the time of a tree.
struct StoreSweptBox {
  const MovingBox* boxes;
  u64 instance_count;
  u64 stride;  // from the boxes of one tree to those of the next
  u32 key_count;
  u32 tree_count;
  Aabb* swept;

  COPSE_HD void operator()(u64 at) const {
    const u32 tree = u32(at / instance_count);
    const u64 i = at % instance_count;
    const MovingBox* const own = boxes + i * key_count;
    // Extends both ends by more than the rounding of a ray's time.
    constexpr double more = 1e-6;
    const double last = key_count - 1;
    const double begin = mul_rn(larger(sub_rn(div_rn(double(tree), double(tree_count)), more), 0.0), last),
                 end = mul_rn(smaller(add_rn(div_rn(tree + 1.0, double(tree_count)), more), 1.0), last);
    Aabb all = Aabb::empty();
    for (u32 key = u32(begin); key < key_count && key <= end; ++key) {
      if (key >= begin && !is_empty(own[key].box())) all = merge(all, own[key].box());
      if (key + 1 == key_count) break;
      const float from = float(larger(sub_rn(begin, key), 0.0)), to = float(smaller(sub_rn(end, key), 1.0));
      if (from < to) all = merge(all, swept_between(own[key], own[key + 1], from, to));
    }
    swept[tree * stride + i] = is_valid(all) ? all : Aabb::empty();
  }

 private:
  /// Contains box_between at all times from `from` to `to`. These are rounded, but this moves the box by less than
  /// one more grain.
  COPSE_HD static Aabb swept_between(const MovingBox& p, const MovingBox& q, float from, float to) {
    if (is_empty(p.box()) || is_empty(q.box())) return Aabb::empty();
    const float middle = larger(from, smaller(to, 0.5f));
    const float share = mul_rn(mul_rn(4.0f, middle), sub_rn(1.0f, middle));
    const vec3 pad = add_rn(mul_rn(p.bulge, share), vec3(mul_rn(p.grain, 2.0f)));
    const vec3 lo = lower_corner(between_keys(p.lo, q.lo, from), between_keys(p.lo, q.lo, to));
    const vec3 hi = upper_corner(between_keys(p.hi, q.hi, from), between_keys(p.hi, q.hi, to));
    return {clean_point(sub_rn(lo, pad)), clean_point(add_rn(hi, pad))};
  }
};

}  // namespace

template <class Executor>
void place_motion(const Executor& ex, const MotionInstanceView& instances, BufferSpan<const AccelView> accels,
                  BufferSpan<const MotionView> moving, const MotionPlaces& places) {
  const MotionInputs inputs{instances, accels, moving};
  const u64 n = instances.size();
  for_each(ex, "motion: instances", n, StoreMovingInstance{inputs, places.records});
  for_each(ex, "motion: keys", n * instances.key_count, StoreMovingKey{inputs, places.transforms, places.boxes});
  for_each(ex, "motion: swept boxes", n * places.tree_count,
           StoreSweptBox{places.boxes, n, places.stride, instances.key_count, places.tree_count, places.swept});
}

template void place_motion(const BodyExecutor&, const MotionInstanceView&, BufferSpan<const AccelView>,
                           BufferSpan<const MotionView>, const MotionPlaces&);

}  // namespace copse::detail
