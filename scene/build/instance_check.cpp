#include "scene/build/instance_check.h"

#include <string>

#include "accel/build/accel_check.h"
#include "builders/geometry/primitive_set.h"
#include "primitives/core/counted.h"
#include "primitives/core/validation.h"

namespace copse::detail {

namespace {

void check_words(const char* function, const char* what, const WordSpan& words) {
  if (words.stride_bytes % sizeof(u32) == 0) return;
  refuse(function,
         std::string(what) + " are " + counted(words.stride_bytes, "bytes") + " apart; a multiple of 4 is needed");
}

void validate_words(const char* function, Context& context, const char* what, const WordSpan& words, u64 count) {
  const u64 bytes = count == 0 ? 0 : (count - 1) * words.stride_bytes + sizeof(u32);
  validate_memory(context, function, what, words.data, bytes, alignof(u32));
}

}  // namespace

void check_instances(const char* function, Context& context, const InstanceView& instances) {
  check_primitive_count(instances.size());
  const TransformSpan& transforms = instances.transforms;
  if (transforms.data == nullptr && transforms.size > 0) {
    refuse(function, "the address of " + counted(transforms.size, "transforms") + " is null");
  }
  check_words(function, "transforms", {nullptr, transforms.stride_bytes});
  check_words(function, "numbers of accels", instances.accels);
  check_words(function, "masks", instances.masks);
  check_words(function, "ids", instances.ids);
  check_words(function, "flags", instances.flags);
  const u64 n = transforms.size;
  validate_memory(context, function, "transforms", transforms.data,
                  n == 0 ? 0 : (n - 1) * transforms.stride_bytes + 12 * sizeof(float), alignof(float));
  validate_words(function, context, "numbers of accels", instances.accels, n);
  validate_words(function, context, "masks", instances.masks, n);
  validate_words(function, context, "ids", instances.ids, n);
  validate_words(function, context, "flags", instances.flags, n);
}

std::vector<AccelView> views_of(const char* function, const Context& context, const SceneAccels& accels) {
  std::vector<AccelView> views;
  if (accels.batch() != nullptr) {
    check_batch(function, context, *accels.batch());
    for (u64 i = 0; i < accels.size(); ++i) views.push_back(accels.batch()->view(i));
    return views;
  }
  for (u64 i = 0; i < accels.size(); ++i) {
    check_accel(function, context, accels[i]);
    views.push_back(accels[i].view());
  }
  return views;
}

}  // namespace copse::detail
