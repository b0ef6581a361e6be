#include "scale/shards/border_search.h"

#include <algorithm>
#include <bit>

#include "builders/geometry/morton.h"

namespace copse::detail {

namespace {

constexpr u32 digit_bits = 11;

DigitRange digits_below(u32 end) {
  return {end, end > digit_bits ? end - digit_bits : 0};
}

/// A candidate for a border: more zero bits at the end of the key are better, then a shorter distance.
struct NearPlace {
  u64 key, slot, distance;

  bool is_better_than(const NearPlace& other) const {
    const int zeros = std::countr_zero(key), other_zeros = std::countr_zero(other.key);
    return zeros != other_zeros ? zeros > other_zeros : distance < other.distance;
  }
};

}  // namespace

BorderSearch::BorderSearch(u32 rank_count)
    : rank_count_(rank_count), splitters_(rank_count - 1), digits_(digits_below(morton_key_bits)) {
  for (u32 border = 0; border + 1 < rank_count; ++border) open_.push_back({border, 0, 0});
  list_prefixes();
}

void BorderSearch::take(const std::vector<u64>& counts) {
  if (targets_.empty()) set_targets(counts);
  std::vector<OpenBorder> still_open;
  for (const OpenBorder& open : open_) {
    const u64 place = u64(std::lower_bound(prefixes_.begin(), prefixes_.end(), open.prefix) - prefixes_.begin());
    OpenBorder narrowed = open;
    if (!find_in_bins(open, counts.data() + place * digits_.bin_count(), narrowed)) still_open.push_back(narrowed);
  }
  open_ = still_open;
  digits_ = digits_below(digits_.begin);
  list_prefixes();
}

/// The first counts are those of all keys.
void BorderSearch::set_targets(const std::vector<u64>& counts) {
  u64 total = 0;
  for (const u64 count : counts) total += count;
  tolerance_ = total / rank_count_ / 100;
  for (u64 rank = 1; rank < rank_count_; ++rank) {
    targets_.push_back(total / rank_count_ * rank + total % rank_count_ * rank / rank_count_);
  }
}

/// Returns true if a border is found among the bins of its prefix. If not, `narrowed` becomes the bin that contains
/// it.
bool BorderSearch::find_in_bins(const OpenBorder& open, const u64* counts, OpenBorder& narrowed) {
  const u64 target = targets_[open.border], bins = digits_.bin_count();
  const u64 first_key = open.prefix << digits_.end;
  bool is_found = false;
  NearPlace best{};
  for (u64 bin = 0, slot = open.first_slot; bin <= bins; slot += bin < bins ? counts[bin] : 0, ++bin) {
    const u64 distance = slot > target ? slot - target : target - slot;
    const NearPlace place{first_key + (bin << digits_.begin), slot, distance};
    if (distance <= tolerance_ && (!is_found || place.is_better_than(best))) {
      best = place;
      is_found = true;
    }
    if (bin < bins && slot <= target && target < slot + counts[bin]) {
      narrowed = {open.border, open.prefix << (digits_.end - digits_.begin) | bin, slot};
    }
  }
  if (is_found) {
    splitters_[open.border] = {best.key, best.slot};
  } else if (digits_.begin == 0) {
    splitters_[open.border] = {narrowed.prefix, target};  // among equal keys
    is_found = true;
  }
  return is_found;
}

void BorderSearch::list_prefixes() {
  prefixes_.clear();
  for (const OpenBorder& open : open_) prefixes_.push_back(open.prefix);
  std::sort(prefixes_.begin(), prefixes_.end());
  prefixes_.erase(std::unique(prefixes_.begin(), prefixes_.end()), prefixes_.end());
}

}  // namespace copse::detail
